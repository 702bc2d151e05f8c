/** The view in any host of anywidgets: VS Code, Colab, marimo, a page of one's own. */
import '../../style/index.css';
import type { AnyModel, RenderProps } from '@anywidget/types';
import type { Kernel } from '../model/kernel';
import { decode } from '../model/wire/index';
import { mount } from '../view';
import { Asking } from './asking';

interface Traits {
  /** A program in its wire form. */
  payload: DataView<ArrayBuffer>;
  /** The kind of the stage that is seen first. */
  stage: string;
}

function render({ model, el }: RenderProps<Traits>): () => void {
  const shown = new AbortController();
  const { buffer, byteOffset, byteLength } = model.get('payload');
  const program = decode(new Uint8Array(buffer, byteOffset, byteLength));
  const kernel = kernelOf(model, shown.signal);
  mount(el, { program, partial: null, stage: model.get('stage'), kernel }, shown.signal);
  return () => shown.abort();
}

/** Who made the program; a saved page, whose model only holds it, has none. */
function kernelOf(model: Partial<AnyModel<Traits>>, signal: AbortSignal): Kernel | null {
  if (!model.send || !model.on) return null;
  const asking = new Asking((question) => model.send?.(question));
  const receive = (message: unknown, buffers: DataView[]) => asking.receive(message, buffers);
  model.on('msg:custom', receive);
  signal.addEventListener('abort', () => {
    model.off?.('msg:custom', receive);
    asking.close('The view was closed.');
  });
  return asking;
}

export default { render };
