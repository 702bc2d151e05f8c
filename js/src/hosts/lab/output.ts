import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Panel } from '@lumino/widgets';
import { decode, fromBase64 } from '../../model/wire/index';
import { type Display, MIME, type Program } from '../../schema';
import { mount } from '../../view';
import { readDisplay } from './display';
import type { Live } from './live';

/** Ahead of the widgets' renderer (-10) and of HTML. */
const RANK = -20;

/** One output: drawn from its own data, so that it needs neither a kernel nor trust. */
class Output extends Panel implements IRenderMime.IRenderer {
  readonly #live: Live;
  #shown = new AbortController();

  constructor(live: Live) {
    super();
    this.#live = live;
    this.addClass('jp-jaxviz');
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.#clear();
    const display = readDisplay(model.data[MIME]);
    if (typeof display === 'string') {
      this.node.textContent = display;
      return;
    }
    const { partial, stage } = display;
    const program = read(display);
    mount(this.node, { program, partial, stage, kernel: null }, this.#shown.signal);
    if (partial === null) return;
    // Where there is no widget to be had, the part that was saved stays.
    this.#handOver(model, this.#shown.signal).catch(() => undefined);
  }

  override dispose(): void {
    this.#shown.abort();
    super.dispose();
  }

  /** Saved data that is not whole gives way to the widget, which has all of it. */
  async #handOver(model: IRenderMime.IMimeModel, signal: AbortSignal): Promise<void> {
    const widget = await this.#live(model);
    if (!widget || signal.aborted) return;
    this.#clear();
    this.addWidget(widget);
    await widget.renderModel(model);
  }

  #clear(): void {
    this.#shown.abort();
    this.#shown = new AbortController();
    for (const widget of [...this.widgets]) widget.dispose();
    this.node.replaceChildren();
  }
}

async function read({ program }: Display): Promise<Program> {
  return decode(fromBase64(program));
}

export function rendererFactory(live: Live): IRenderMime.IRendererFactory {
  return {
    safe: true,
    mimeTypes: [MIME],
    defaultRank: RANK,
    createRenderer: () => new Output(live),
  };
}
