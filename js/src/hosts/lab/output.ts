import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Panel } from '@lumino/widgets';
import type { Kernel, LogKernel } from '../../model/kernel';
import type { Preferring } from '../../model/preferences';
import { decode, fromBase64 } from '../../model/wire/index';
import { type Display, LOG_MIME, MIME, type Program } from '../../schema';
import { mount } from '../../view';
import { readDisplay } from './display';
import type { Live } from './live';
import { LogOutput } from './log-output';

/** What a notebook or console gives to its outputs. */
export interface Around {
  live: Live;
  /** Who can be asked about the program or log with that key. */
  kernel: (key: string, signal: AbortSignal) => (Kernel & LogKernel) | null;
  /** Once its kernel has run what it runs now. */
  run: (signal: AbortSignal) => Promise<void>;
  preferring: Preferring;
  /** Hears what is selected in an output, until the signal aborts. */
  listen: (output: HTMLElement, signal: AbortSignal) => void;
  /** Takes back what an output has marked. */
  forget: (output: Element) => void;
}

/** Ahead of the widgets' renderer (-10) and of HTML. */
const RANK = -20;

/** A program: drawn from its own data, so that it needs neither a kernel nor trust. */
class Output extends Panel implements IRenderMime.IRenderer {
  readonly #around: Around;
  readonly #ending = new AbortController();
  #shown = new AbortController();

  constructor(around: Around) {
    super();
    this.#around = around;
    around.listen(this.node, this.#ending.signal);
    this.addClass('jp-jaxviz');
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.#clear();
    const display = readDisplay(model.data[MIME]);
    if (typeof display === 'string') {
      this.node.textContent = display;
      return;
    }
    const { partial, stage, key } = display;
    const { preferring } = this.#around;
    const program = preferring.ready.then(() => read(display));
    const { signal } = this.#shown;
    // Later stages lead to the eqns of the whole jaxpr, which an output that is not whole may lack.
    const kernel = partial === null ? this.#around.kernel(key, signal) : null;
    mount(this.node, { program, partial, stage, kernel, preferring }, signal);
    if (partial === null) return;
    // Where there is no widget to be had, the part that was saved stays.
    this.#handOver(model, signal).catch(() => undefined);
  }

  override dispose(): void {
    this.#around.forget(this.node);
    this.#shown.abort();
    this.#ending.abort();
    super.dispose();
  }

  /** Saved data that is not whole gives way to the widget, which has all of it. */
  async #handOver(model: IRenderMime.IMimeModel, signal: AbortSignal): Promise<void> {
    const widget = await this.#around.live(model);
    if (!widget || signal.aborted) return;
    this.#clear();
    this.addWidget(widget);
    await widget.renderModel(model);
  }

  #clear(): void {
    this.#around.forget(this.node);
    this.#shown.abort();
    this.#shown = new AbortController();
    for (const widget of [...this.widgets]) widget.dispose();
    this.node.replaceChildren();
  }
}

async function read({ program }: Display): Promise<Program> {
  return decode(fromBase64(program));
}

export function rendererFactory(around: Around): IRenderMime.IRendererFactory {
  return {
    safe: true,
    mimeTypes: [MIME, LOG_MIME],
    defaultRank: RANK,
    createRenderer: ({ mimeType }) =>
      mimeType === LOG_MIME ? new LogOutput(around) : new Output(around),
  };
}
