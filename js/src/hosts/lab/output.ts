/** The outputs of cells: programs and logs, drawn from the data that is saved in the notebook. */
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { Message } from '@lumino/messaging';
import { Panel } from '@lumino/widgets';
import { decode, fromBase64, readLog } from '../../facts/wire';
import { __ } from '../../language';
import {
  type Display,
  type Job,
  LOG_MIME,
  type Log,
  type LogDisplay,
  MIME,
  type Program,
} from '../../schema';
import { mount, mountLog } from '../../shell';
import { cannotShow } from '../../shell/parts/arrival';
import type { PreferenceSource } from '../../state/preferences';
import { pageSentence } from '../../words/sentence-text';
import type { Asking } from '../asking';
import type { Known } from './cell-margin';
import { readDisplay, readLogDisplay } from './display';
import { canJoin, type EngineOutput, engineOf, join } from './engines';
import { type OtherRenderers, showOtherwise } from './other-output';

/** What outputs need of the notebook or console that they are in. */
export interface OutputContext {
  /** Gives the kernel to ask about the program or log with that key, until the signal aborts; null if
   * there is none. */
  kernel: (key: string, signal: AbortSignal) => Asking | null;
  /** Resolves once the kernel has run what it runs now. */
  run: (signal: AbortSignal) => Promise<void>;
  preferring: PreferenceSource;
  rendermime: OtherRenderers;
  /** Begins to hear what is selected in an output, until the signal aborts. */
  listen: (output: HTMLElement, signal: AbortSignal) => void;
  /** Forgets what was selected in an output, and what it has marked in cells. */
  forget: (output: Element) => void;
  /** Tells what an output knows of lines of cells; null once it knows nothing. */
  tell: (output: Element, known: Known | null) => void;
}

/** A program. It is drawn from its data alone, so it needs neither a kernel nor a trusted notebook. */
class ProgramOutput extends Panel implements IRenderMime.IRenderer {
  readonly #context: OutputContext;
  readonly #ending = new AbortController();
  #shown = new AbortController();
  /** Where it came from an engine of ipyparallel. */
  #ofEngine: EngineOutput | null = null;
  #leave: () => void = noted;

  constructor(context: OutputContext) {
    super();
    this.#context = context;
    context.listen(this.node, this.#ending.signal);
    this.addClass('jp-jaxviz');
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.#clear();
    const display = readDisplay(model.data[MIME]);
    const engine = engineOf(model.metadata);
    if (typeof display !== 'string' && engine !== null) {
      this.#showOfEngine(display, engine);
      return;
    }
    if (typeof display === 'string') {
      await showOtherwise(this, model, this.#context.rendermime, display);
      return;
    }
    const program = readProgram(display);
    const { signal } = this.#shown;
    this.#mount(display, program);
    const isWhole = display.partial === null;
    program.then((one) => signal.aborted || !isWhole || this.#tell({ program: one }), noted);
    program.catch((error) => {
      if (signal.aborted) return;
      this.#clear();
      return showOtherwise(this, model, this.#context.rendermime, cannotShow(error, 'program'));
    });
    if (display.partial !== null) this.#complete(display).catch(() => undefined);
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.#leave();
    this.#context.forget(this.node);
    this.#tell(null);
    this.#shown.abort();
    this.#ending.abort();
    super.dispose();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this.#join();
  }

  /** The program of an engine, of which the notebook's own kernel knows nothing. */
  #showOfEngine(display: Display, engine: number): void {
    const program = readProgram(display);
    const show = (job: Job | null) => {
      this.#clear();
      const { preferring } = this.#context;
      const { partial, opening } = display;
      const joined = { report: job ?? display.report, engines: job !== null };
      const source = { program, partial, opening, kernel: null, preferring };
      mount(this.node, { ...source, ...joined }, this.#shown.signal);
    };
    this.#ofEngine = canJoin(display) ? { engine, display, program, node: this.node, show } : null;
    show(null);
    this.#join();
  }

  #join(): void {
    this.#leave();
    this.#leave = this.#ofEngine && this.isAttached ? join(this.#ofEngine) : noted;
  }

  #mount(display: Display, read: Promise<Program>): void {
    const { partial, opening, key, since, report, can_step } = display;
    const { preferring } = this.#context;
    const program = preferring.ready.then(() => read);
    const { signal } = this.#shown;
    // Later stages lead to the eqns of the whole jaxpr, which an output that is not whole may lack.
    const kernel = partial === null ? this.#context.kernel(key, signal) : null;
    const earlier = kernel && { told: since, compared: () => kernel.since(signal) };
    const stepping = can_step && kernel ? () => kernel.stepped(signal) : null;
    const isCard = report?.tool === 'explain';
    const asked = isCard ? { kernel: null, tries: this.#context.kernel(key, signal) } : { kernel };
    const source = { program, partial, opening, report, preferring, earlier };
    mount(this.node, { ...source, ...asked, stepping }, signal);
  }

  /** Shows all of a program of which only a part was saved, if its kernel still has it. */
  async #complete(display: Display): Promise<void> {
    const { signal } = this.#shown;
    const program = await this.#context.kernel(display.key, signal)?.whole(signal);
    if (!program || signal.aborted) return;
    this.#clear();
    this.#mount({ ...display, partial: null }, Promise.resolve(program));
  }

  #tell(known: Known | null): void {
    this.#context.tell(this.node, known);
  }

  #clear(): void {
    this.#context.forget(this.node);
    this.#tell(null);
    this.#shown.abort();
    this.#shown = new AbortController();
    for (const widget of [...this.widgets]) widget.dispose();
    this.node.replaceChildren();
  }
}

/** A failure to read is told where the output stands. */
const noted = (): void => undefined;

async function readProgram({ program }: Display): Promise<Program> {
  return decode(fromBase64(program));
}

interface ShownLog {
  /** The key and form for which the view was made. A newer log with the same ones is shown in it. */
  key: string;
  strip: boolean;
  latest: Promise<Log>;
  show: (log: Promise<Log>) => void;
}

const cutOff = (): string => __('This was saved while the cell ran: later events are missing.');

/** A log. While its cell runs, JupyterLab gives it the newer logs that take the place of the first. */
export class LogOutput extends Panel implements IRenderMime.IRenderer {
  readonly #context: OutputContext;
  readonly #closing = new AbortController();
  #ending = new AbortController();
  #shown: ShownLog | null = null;

  constructor(context: OutputContext) {
    super();
    this.#context = context;
    context.listen(this.node, this.#closing.signal);
    this.addClass('jp-jaxviz');
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const display = readLogDisplay(model.data[LOG_MIME]);
    if (typeof display === 'string') {
      this.#clear();
      await showOtherwise(this, model, this.#context.rendermime, display);
      return;
    }
    const { key, strip } = display;
    const log = readSavedLog(display);
    log.then((one) => this.isDisposed || this.#context.tell(this.node, { log: one }), noted);
    if (this.#shown?.key === key && this.#shown.strip === strip) {
      this.#shown.latest = log;
      this.#shown.show(log);
      return;
    }
    this.#clear();
    const { signal } = this.#ending;
    const { preferring } = this.#context;
    const ofEngine = engineOf(model.metadata) !== null; // the notebook's own kernel knows nothing of it
    const kernel = ofEngine ? null : this.#context.kernel(key, signal);
    const show = mountLog(this.node, { log, strip, kernel, preferring }, signal);
    this.#shown = { key, strip, latest: log, show };
    this.#noteCutOff(this.#shown, signal).catch(() => undefined);
    log.catch((error) => {
      if (signal.aborted) return;
      this.#clear();
      return showOtherwise(this, model, this.#context.rendermime, cannotShow(error, 'log'));
    });
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.#clear();
    this.#closing.abort();
    super.dispose();
  }

  /** Once the running cell has ended, says that a log was cut off. That is so if the page was opened
   * while the cell ran: what it has not heard of the log will never come. */
  async #noteCutOff(shown: ShownLog, signal: AbortSignal): Promise<void> {
    if (!(await shown.latest).running) return;
    await this.#context.run(signal);
    const log = await shown.latest;
    if (!log.running || signal.aborted) return;
    shown.show(
      Promise.resolve({ ...log, running: false, notes: [...log.notes, pageSentence(cutOff())] }),
    );
  }

  #clear(): void {
    this.#context.forget(this.node);
    this.#context.tell(this.node, null);
    this.#ending.abort();
    this.#ending = new AbortController();
    this.#shown = null;
    for (const widget of [...this.widgets]) widget.dispose();
    this.node.replaceChildren();
  }
}

async function readSavedLog({ log }: LogDisplay): Promise<Log> {
  return readLog(fromBase64(log));
}

/** Before the renderers of widgets (-10) and of HTML, if an output has these too. */
const RENDERER_RANK = -20;

/** Makes the renderers of programs and logs for the outputs of a notebook or console. */
export function rendererFactory(context: OutputContext): IRenderMime.IRendererFactory {
  return {
    safe: true,
    mimeTypes: [MIME, LOG_MIME],
    defaultRank: RENDERER_RANK,
    createRenderer: ({ mimeType }) =>
      mimeType === LOG_MIME ? new LogOutput(context) : new ProgramOutput(context),
  };
}
