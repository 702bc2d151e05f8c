/** The outputs of cells: programs, logs and questions, programs of several ipyparallel engines as one, and
 * unreadable outputs. */
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { Message } from '@lumino/messaging';
import { Panel, Widget } from '@lumino/widgets';
import { gather } from '../../facts/maps';
import { decode, fromBase64, readLog, readQuiz } from '../../facts/wire';
import { __ } from '../../language';
import {
  type Display,
  type Job,
  type JobProgram,
  LOG_MIME,
  type Log,
  type LogDisplay,
  MIME,
  type Program,
  QUIZ_MIME,
  type Quiz,
} from '../../schema';
import { mount, mountLog, mountQuiz } from '../../shell';
import { cannotShow } from '../../shell/parts/arrival';
import type { PreferenceSource } from '../../state/preferences';
import { pageSentence } from '../../words/kernel-text';
import type { KernelClient } from '../kernel-client';
import { readDisplay, readLogDisplay, readQuizDisplay } from './display';
import type { LineFacts } from './lines/cell-margin';

/** The notebook or console of an output, as far as the output needs it. */
export interface OutputContext {
  /** A client for the program or log with that key, until the signal aborts; null if there is no
   * kernel. */
  kernel: (key: string, signal: AbortSignal) => KernelClient | null;
  /** Resolves once the kernel has run all that is queued now. */
  run: (signal: AbortSignal) => Promise<void>;
  preferring: PreferenceSource;
  rendermime: OtherRenderers;
  /** Follows the selection in an output until the signal aborts. */
  listen: (output: HTMLElement, signal: AbortSignal) => void;
  /** Removes the selection in an output and its marks in cells. */
  forget: (output: Element) => void;
  /** Sets the facts of an output about lines of cells; null removes them. */
  setFacts: (output: Element, facts: LineFacts | null) => void;
}

/** A program, drawn from its data alone: it needs neither a kernel nor a trusted notebook. */
class ProgramOutput extends Panel implements IRenderMime.IRenderer {
  readonly #context: OutputContext;
  readonly #ending = new AbortController();
  #shown = new AbortController();
  /** Set if it came from an engine of ipyparallel. */
  #engineOutput: EngineOutput | null = null;
  #leave: () => void = ignore;

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
      this.#showEngine(display, engine);
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
    program.then((one) => signal.aborted || !isWhole || this.#setFacts({ program: one }), ignore);
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
    this.#setFacts(null);
    this.#shown.abort();
    this.#ending.abort();
    super.dispose();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this.#join();
  }

  /** The program of an engine. The notebook's own kernel has nothing of it. */
  #showEngine(display: Display, engine: number): void {
    const program = readProgram(display);
    const show = (job: Job | null) => {
      this.#clear();
      const { preferring } = this.#context;
      const { partial, opening } = display;
      const joined = { report: job ?? display.report, engines: job !== null };
      const source = { program, partial, opening, kernel: null, preferring };
      mount(this.node, { ...source, ...joined }, this.#shown.signal);
    };
    this.#engineOutput = canJoin(display)
      ? { engine, display, program, node: this.node, show }
      : null;
    show(null);
    this.#join();
  }

  #join(): void {
    this.#leave();
    this.#leave = this.#engineOutput && this.isAttached ? join(this.#engineOutput) : ignore;
  }

  #mount(display: Display, read: Promise<Program>): void {
    const { partial, opening, key, since, report, can_step } = display;
    const { preferring } = this.#context;
    const program = preferring.ready.then(() => read);
    const { signal } = this.#shown;
    // Later stages link to eqns of the whole jaxpr, which a partial output may lack.
    const kernel = partial === null ? this.#context.kernel(key, signal) : null;
    const earlier = kernel && { change: since, compared: () => kernel.since(signal) };
    const stepping = can_step && kernel ? () => kernel.stepped(signal) : null;
    const isCard = report?.tool === 'explain';
    const asked = isCard
      ? { kernel: null, fixKernel: this.#context.kernel(key, signal) }
      : { kernel };
    const source = { program, partial, opening, report, preferring, earlier };
    mount(this.node, { ...source, ...asked, stepping }, signal);
  }

  /** Shows the whole program in place of its saved part, if the kernel still has it. */
  async #complete(display: Display): Promise<void> {
    const { signal } = this.#shown;
    const program = await this.#context.kernel(display.key, signal)?.whole(signal);
    if (!program || signal.aborted) return;
    this.#clear();
    this.#mount({ ...display, partial: null }, Promise.resolve(program));
  }

  #setFacts(facts: LineFacts | null): void {
    this.#context.setFacts(this.node, facts);
  }

  #clear(): void {
    this.#context.forget(this.node);
    this.#setFacts(null);
    this.#shown.abort();
    this.#shown = new AbortController();
    for (const widget of [...this.widgets]) widget.dispose();
    this.node.replaceChildren();
  }
}

/** The output itself shows a failure to read. */
const ignore = (): void => undefined;

async function readProgram({ program }: Display): Promise<Program> {
  return decode(fromBase64(program));
}

interface ShownLog {
  /** The key and form of the view. It also shows newer logs with the same ones. */
  key: string;
  strip: boolean;
  latest: Promise<Log>;
  show: (log: Promise<Log>) => void;
}

const cutOffText = (): string => __('This was saved while the cell ran: later events are missing.');

/** A log. While its cell runs, JupyterLab passes newer logs that replace the first. */
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
    log.then((one) => this.isDisposed || this.#context.setFacts(this.node, { log: one }), ignore);
    if (this.#shown?.key === key && this.#shown.strip === strip) {
      this.#shown.latest = log;
      this.#shown.show(log);
      return;
    }
    this.#clear();
    const { signal } = this.#ending;
    const { preferring } = this.#context;
    const ofEngine = engineOf(model.metadata) !== null; // the notebook's own kernel has nothing of it
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

  /** Marks a log as cut off once the running cell has ended. That happens if the page was opened
   * while the cell ran: events that it missed will never come. */
  async #noteCutOff(shown: ShownLog, signal: AbortSignal): Promise<void> {
    if (!(await shown.latest).running) return;
    await this.#context.run(signal);
    const log = await shown.latest;
    if (!log.running || signal.aborted) return;
    shown.show(
      Promise.resolve({
        ...log,
        running: false,
        notes: [...log.notes, pageSentence(cutOffText())],
      }),
    );
  }

  #clear(): void {
    this.#context.forget(this.node);
    this.#context.setFacts(this.node, null);
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

/** A question, which the page answers from its data alone. */
class QuizOutput extends Panel implements IRenderMime.IRenderer {
  readonly #rendermime: OtherRenderers;
  #shown = new AbortController();

  constructor({ rendermime }: OutputContext) {
    super();
    this.#rendermime = rendermime;
    this.addClass('jp-jaxviz');
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.#clear();
    const display = readQuizDisplay(model.data[QUIZ_MIME]);
    if (typeof display === 'string') {
      await showOtherwise(this, model, this.#rendermime, display);
      return;
    }
    const { signal } = this.#shown;
    const quiz = readSavedQuiz(display.quiz);
    mountQuiz(this.node, quiz, signal);
    quiz.catch((error) => {
      if (signal.aborted) return;
      this.#clear();
      return showOtherwise(this, model, this.#rendermime, cannotShow(error, 'question'));
    });
  }

  override dispose(): void {
    if (!this.isDisposed) this.#shown.abort();
    super.dispose();
  }

  #clear(): void {
    this.#shown.abort();
    this.#shown = new AbortController();
    for (const widget of [...this.widgets]) widget.dispose();
    this.node.replaceChildren();
  }
}

async function readSavedQuiz(quiz: string): Promise<Quiz> {
  return readQuiz(fromBase64(quiz));
}

/** Before the renderers of widgets (-10) and of HTML, if an output contains these too. */
const RENDERER_RANK = -20;

export function rendererFactory(context: OutputContext): IRenderMime.IRendererFactory {
  return {
    safe: true,
    mimeTypes: [MIME, LOG_MIME, QUIZ_MIME],
    defaultRank: RENDERER_RANK,
    createRenderer: ({ mimeType }) => {
      if (mimeType === LOG_MIME) return new LogOutput(context);
      return mimeType === QUIZ_MIME ? new QuizOutput(context) : new ProgramOutput(context);
    },
  };
}

/** Never shown as a substitute: our own data, and a widget, which is an error if its model is gone. */
const NOT_SHOWN_INSTEAD: ReadonlySet<string> = new Set([
  MIME,
  LOG_MIME,
  QUIZ_MIME,
  'application/vnd.jupyter.widget-view+json',
]);

/** Draws the other data of an output, such as its picture. */
export type OtherRenderers = Pick<IRenderMimeRegistry, 'preferredMimeType' | 'createRenderer'>;

/** Shows the picture or text of an unreadable output, and below it the sentence that says why it is
 * unreadable. */
async function showOtherwise(
  output: Panel,
  model: IRenderMime.IMimeModel,
  rendermime: OtherRenderers,
  sentence: string,
): Promise<void> {
  const reason = new Widget({ node: document.createElement('p') });
  reason.node.textContent = sentence;
  reason.addClass('jp-jaxviz-reason');
  const data = Object.fromEntries(
    Object.entries(model.data).filter(([mime]) => !NOT_SHOWN_INSTEAD.has(mime)),
  );
  const mime = rendermime.preferredMimeType(data, model.trusted ? 'any' : 'ensure');
  if (mime !== undefined) {
    const other = rendermime.createRenderer(mime);
    output.addWidget(other);
    await other.renderModel(model);
  }
  output.addWidget(reason);
}

/** An output that came from an engine. */
export interface EngineOutput {
  readonly engine: number;
  readonly display: Display;
  readonly program: Promise<Program>;
  readonly node: HTMLElement;
  /** Shows the job of all engines, or only its own program if `job` is null. */
  show: (job: Job | null) => void;
}

/** The number of an output's engine, as ipyparallel writes it into the metadata; null if it came
 * from none. */
export function engineOf(metadata: { readonly [name: string]: unknown }): number | null {
  const engine = metadata.engine ?? metadata.engine_id;
  return typeof engine === 'number' && Number.isInteger(engine) && engine >= 0 ? engine : null;
}

/** True if an output can be part of a job: its program is whole, and nothing is reported on it. */
export const canJoin = ({ partial, report }: Display): boolean =>
  partial === null && report === null;

/** The outputs of a cell, and the number of times they were arranged. */
interface Area {
  outputs: Set<EngineOutput>;
  round: number;
}

const AREAS = new WeakMap<Element, Area>();
const HIDDEN = 'jp-jaxviz-elsewhere';

/** Joins an output with those of other engines in its cell. Returns a function that takes it out
 * again. */
export function join(output: EngineOutput): () => void {
  const element = output.node.closest('.jp-OutputArea');
  if (!element) return () => undefined;
  const area = AREAS.get(element) ?? { outputs: new Set(), round: 0 };
  AREAS.set(element, area);
  area.outputs.add(output);
  void arrange(area);
  return () => {
    hide(output, false);
    hideLabel(output, false);
    if (area.outputs.delete(output)) void arrange(area);
  };
}

/** Joins the first outputs of all engines, then the second ones, and so on. The output of the first
 * engine shows them all. */
async function arrange(area: Area): Promise<void> {
  area.round += 1;
  const { round } = area;
  const keys = new Map(
    await Promise.all([...area.outputs].map(async (one) => [one, await keyOf(one)] as const)),
  );
  if (round !== area.round) return;
  const inOrder = [...keys.keys()].sort((one, other) => (isBefore(one.node, other.node) ? -1 : 1));
  const counts = new Map<number, number>();
  const calls = gather(inOrder, ({ engine }) => {
    const count = counts.get(engine) ?? 0;
    counts.set(engine, count + 1);
    return count;
  });
  for (const call of calls.values()) {
    const [first, ...others] = call.sort((one, other) => one.engine - other.engine);
    if (!first) continue;
    hide(first, false);
    for (const other of others) hide(other, true);
    for (const one of call) hideLabel(one, others.length > 0);
    first.show(others.length > 0 ? jobOf(call, keys) : null);
  }
}

/** A text that is equal for equal programs: it leaves out how long they took to make. */
async function keyOf({ program, display }: EngineOutput): Promise<string> {
  const read = await program.catch(() => null);
  if (!read) return display.program;
  const { name, jax, args, results, fixed } = read;
  const stages = read.stages.map(({ kind, text, error, frames }) => [kind, text, error, frames]);
  return JSON.stringify([name, jax, args, results, fixed, stages]);
}

function jobOf(outputs: readonly EngineOutput[], keys: ReadonlyMap<EngineOutput, string>): Job {
  const programs = [...gather(outputs, (one) => keys.get(one)).values()];
  const held = programs.map((by, place): JobProgram => {
    const processes = by.map(({ engine }) => engine).sort((one, other) => one - other);
    const program = place === 0 ? null : (by[0]?.display.program ?? '');
    return { processes, differs: '', program };
  });
  return { tool: 'agree', held, text: '', agreement: null };
}

const isBefore = (one: Node, other: Node): boolean =>
  (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

const placeOf = ({ node }: EngineOutput): Element => node.closest('.jp-OutputArea-child') ?? node;

const hide = (output: EngineOutput, hidden: boolean): boolean =>
  placeOf(output).classList.toggle(HIDDEN, hidden);

/** Hides the label that ipyparallel writes above an engine's output: the switch of engines has it. */
function hideLabel(output: EngineOutput, hidden: boolean): void {
  const before = placeOf(output).previousElementSibling;
  const text = before?.querySelector('.jp-OutputArea-output')?.textContent?.trim();
  if (text === `[output:${output.engine}]`) before?.classList.toggle(HIDDEN, hidden);
}
