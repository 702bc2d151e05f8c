/** The view in any host of anywidgets: VS Code, Colab, marimo, a page of one's own. */
import '../../style/index.css';
import type { RenderProps } from '@anywidget/types';
import { decode } from '../model/wire/index';
import { mount } from '../view';

interface Traits {
  /** A program in its wire form. */
  payload: DataView<ArrayBuffer>;
}

function render({ model, el }: RenderProps<Traits>): () => void {
  const shown = new AbortController();
  const { buffer, byteOffset, byteLength } = model.get('payload');
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  const program = decode(bytes);
  mount(el, { program, partial: null, stage: 'jaxpr', kernel: null }, shown.signal);
  return () => shown.abort();
}

export default { render };
