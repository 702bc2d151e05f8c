import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Panel } from '@lumino/widgets';
import { decode, fromBase64 } from '../../facts/wire/index';
import { type Display, LOG_MIME, MIME, type Program } from '../../schema';
import type { Preferring } from '../../state/preferences';
import { cannotShow, mount } from '../../view';
import type { Asking } from '../asking';
import { readDisplay } from './display';
import { LogOutput } from './log-output';
import { type Others, showOtherwise } from './otherwise';

/** What a notebook or console gives to its outputs. */
export interface Around {
  /** Who can be asked about the program or log with that key. */
  kernel: (key: string, signal: AbortSignal) => Asking | null;
  /** Once its kernel has run what it runs now. */
  run: (signal: AbortSignal) => Promise<void>;
  preferring: Preferring;
  rendermime: Others;
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
      await showOtherwise(this, model, this.#around.rendermime, display);
      return;
    }
    const program = read(display);
    const { signal } = this.#shown;
    this.#mount(display, program);
    program.catch((error) => {
      if (signal.aborted) return;
      this.#clear();
      return showOtherwise(this, model, this.#around.rendermime, cannotShow(error, 'program'));
    });
    if (display.partial !== null) this.#complete(display).catch(() => undefined);
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.#around.forget(this.node);
    this.#shown.abort();
    this.#ending.abort();
    super.dispose();
  }

  #mount({ partial, stage, key }: Display, read: Promise<Program>): void {
    const { preferring } = this.#around;
    const program = preferring.ready.then(() => read);
    const { signal } = this.#shown;
    // Later stages lead to the eqns of the whole jaxpr, which an output that is not whole may lack.
    const kernel = partial === null ? this.#around.kernel(key, signal) : null;
    mount(this.node, { program, partial, stage, kernel, preferring }, signal);
  }

  /** Saved data that is not whole gives way to all of it, where its kernel still has that. */
  async #complete(display: Display): Promise<void> {
    const { signal } = this.#shown;
    const program = await this.#around.kernel(display.key, signal)?.whole(signal);
    if (!program || signal.aborted) return;
    this.#clear();
    this.#mount({ ...display, partial: null }, Promise.resolve(program));
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
