/** Asks the kernel over any channel that carries messages both ways, and waits for its answers. */
import { decode, fromBase64, readLog, readRecord } from '../facts/wire';
import { isRecord, type RecordName } from '../facts/wire/records';
import { __ } from '../language';
import type { Display, Log, PartValues, Passes, Program, Sentence } from '../schema';
import type { Stepped } from '../shell/bar';
import type {
  HearProgress,
  Kernel,
  LogKernel,
  ReportedProgram,
  Tries,
} from '../state/kernel-requests';
import { progressText, sentenceText } from '../words/kernel-text';
import { readDisplay } from './lab/display';

/** What a page asks for: a later stage by its kind, the program of a trace by the number of its
 * event, the comparison of two, all of what an output shows in part, what changed since its cell ran
 * last, the steps of its trace, XLA's passes, the program after one of them or what it changed, what the
 * values of eqns are like, what a fix makes, or a program that ran with what its lines took. */
type Wish =
  | { stage: string }
  | { trace: number }
  | { compare: [number, number] }
  | { whole: true }
  | { since: true }
  | { steps: true }
  | { passes: boolean }
  | { after: number }
  | { changes: number }
  | { values: number[] }
  | { fix: number }
  | { measured: number };

/** What a page sends: its wish, or that it no longer wants the answer. */
export type Question = ({ ask: number } & Wish) | { stop: number };

/** Reads an answer from its bytes. */
type Read<T> = (bytes: Uint8Array<ArrayBuffer>) => Promise<T>;

/** A question that waits for its answer. */
interface Waiting {
  wish: Wish;
  told: HearProgress;
  /** Reads the answer from the bytes that hold it. */
  read: Read<unknown>;
  done: (answer: unknown) => void;
  failed: (reason: unknown) => void;
}

/** How often a page is told how long it has waited for a busy kernel, ms. */
const WAITING_INTERVAL = 500;

/** For questions during which the page shows something else, and no progress. */
const NO_PROGRESS: HearProgress = () => undefined;

/** Sends questions over a channel and gives each of them its answer. */
export class Asking implements Kernel, LogKernel, Tries {
  readonly #send: (question: Question) => void;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  constructor(send: (question: Question) => void) {
    this.#send = send;
  }

  /** The whole of a program of which an output holds only a part or a picture. */
  whole(signal: AbortSignal): Promise<Program> {
    return this.#ask({ whole: true }, decode, NO_PROGRESS, signal);
  }

  /** A log as it is now. */
  log(signal: AbortSignal): Promise<Log> {
    return this.#ask({ whole: true }, readLog, NO_PROGRESS, signal);
  }

  /** The comparison of a program with what its cell showed before. */
  since(signal: AbortSignal): Promise<Program> {
    return this.#ask({ since: true }, program(isOfTwo), NO_PROGRESS, signal);
  }

  /** What the fix of a card with this number makes. */
  tried(fix: number, signal: AbortSignal): Promise<ReportedProgram> {
    return this.#ask({ fix }, readShown, NO_PROGRESS, signal);
  }

  /** The program traced once more, with the steps of that. */
  stepped(signal: AbortSignal): Promise<Stepped> {
    return this.#ask({ steps: true }, readStepped, NO_PROGRESS, signal);
  }

  stage(kind: string, told: HearProgress, signal: AbortSignal): Promise<Program> {
    return this.#ask({ stage: kind }, program(holds(kind)), told, signal);
  }

  passes(agreed: boolean, told: HearProgress, signal: AbortSignal): Promise<Passes> {
    return this.#ask({ passes: agreed }, record('Passes', MOST_EQNS), told, signal);
  }

  afterPass(pass: number, told: HearProgress, signal: AbortSignal): Promise<Program> {
    return this.#ask({ after: pass }, program(holds('hlo')), told, signal);
  }

  changesOfPass(pass: number, told: HearProgress, signal: AbortSignal): Promise<Program> {
    return this.#ask({ changes: pass }, program(isOfTwoInHlo), told, signal);
  }

  values(eqns: readonly number[], told: HearProgress, signal: AbortSignal): Promise<PartValues> {
    return this.#ask({ values: [...eqns] }, record('PartValues'), told, signal);
  }

  program(event: number, told: HearProgress, signal: AbortSignal): Promise<Program> {
    return this.#ask({ trace: event }, program(isOfOne), told, signal);
  }

  compared(
    before: number,
    after: number,
    told: HearProgress,
    signal: AbortSignal,
  ): Promise<Program> {
    return this.#ask({ compare: [before, after] }, program(isOfTwo), told, signal);
  }

  measured(number: number, told: HearProgress, signal: AbortSignal): Promise<ReportedProgram> {
    return this.#ask({ measured: number }, readShown, told, signal);
  }

  #ask<T>(wish: Wish, read: Read<T>, told: HearProgress, signal: AbortSignal): Promise<T> {
    this.#asked += 1;
    const ask = this.#asked;
    const ended = new AbortController();
    const answer = new Promise<unknown>((done, failed) => {
      signal.throwIfAborted();
      const stop = () => {
        if (this.#waiting.has(ask)) this.#send({ stop: ask });
        failed(signal.reason);
      };
      signal.addEventListener('abort', stop, { signal: ended.signal });
      const heard = untilHeard(told, ended.signal);
      this.#waiting.set(ask, { wish, told: heard, read, done, failed });
      this.#send({ ask, ...wish });
    });
    return answer.finally(() => {
      ended.abort();
      this.#waiting.delete(ask);
    }) as Promise<T>;
  }

  /** Takes a message of the kernel, with the buffers that came with it. */
  receive(message: unknown, buffers: readonly (ArrayBufferLike | ArrayBufferView)[]): void {
    if (typeof message !== 'object' || message === null) return;
    const { ask, doing, seconds, done, error } = message as Record<string, unknown>;
    const waiting = typeof ask === 'number' ? this.#waiting.get(ask) : undefined;
    if (!waiting) return;
    if (typeof doing === 'string' && typeof seconds === 'number')
      waiting.told(progressText(doing), seconds);
    if (error !== undefined) waiting.failed(new Error(answerText(error)));
    if (done !== true) return;
    const [bytes] = buffers;
    if (bytes) waiting.read(bytesOf(bytes)).then(waiting.done, waiting.failed);
    else waiting.failed(new Error(somethingElse()));
  }

  /** Asks again for all that is waited for, as what was sent may be lost. */
  again(): void {
    for (const [ask, { wish }] of this.#waiting) this.#send({ ask, ...wish });
  }

  /** Ends all waiting with a reason, as nothing more will come over the channel. */
  close(reason: string): void {
    for (const { failed } of this.#waiting.values()) failed(new Error(reason));
  }
}

/** A version of `told` that hears how long the page has waited, until the kernel says what it
 * does. */
function untilHeard(told: HearProgress, signal: AbortSignal): HearProgress {
  const start = Date.now();
  const timer = setInterval(
    () => told(__('waiting for the kernel'), (Date.now() - start) / 1000),
    WAITING_INTERVAL,
  );
  const stop = () => clearInterval(timer);
  signal.addEventListener('abort', stop, { once: true });
  return (doing, seconds) => {
    stop();
    told(doing, seconds);
  };
}

/** Why the kernel does not answer. Up to format 5 it said so as a text. */
const answerText = (error: unknown): string =>
  isRecord(error, 'Sentence') ? sentenceText(error as Sentence) : String(error);

const somethingElse = (): string =>
  __('The kernel sent something other than was requested: run the cell again.');

/** Reads a program, and throws where it is not what was asked for. */
const program =
  (fits: (program: Program) => boolean): Read<Program> =>
  async (bytes) => {
    const found = await decode(bytes);
    if (!fits(found)) throw new Error(somethingElse());
    return found;
  };
/** Whether a program holds just the stage of that kind. */
const holds =
  (kind: string) =>
  ({ stages }: Program): boolean =>
    stages.length === 1 && stages[0]?.kind === kind;
const isJaxpr = holds('jaxpr');
const isOfOne = (program: Program): boolean => isJaxpr(program) && program.compared === null;
const isOfTwo = (program: Program): boolean => isJaxpr(program) && program.compared !== null;
const isOfTwoInHlo = (program: Program): boolean =>
  holds('hlo')(program) && program.compared !== null;

/** Reads a record, and throws where it is another. */
const record =
  <T>(name: RecordName, most?: number): Read<T> =>
  async (bytes) => {
    const found = await readRecord(bytes);
    if (!isRecord(found, name, most)) throw new Error(somethingElse());
    return found as T;
  };

/** Of more eqns XLA's passes are not read. */
const MOST_EQNS = 1_000_000;

/** Reads what an output would hold: what a fix makes, or a program that was measured or traced once
 * more. */
async function readShown(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Omit<Display, 'program'> & { program: Program }> {
  const display = readDisplay(await readRecord(bytes));
  if (typeof display === 'string') throw new Error(display);
  return { ...display, program: await decode(fromBase64(display.program)) };
}

async function readStepped(bytes: Uint8Array<ArrayBuffer>): Promise<Stepped> {
  const { program, partial, report } = await readShown(bytes);
  if (report?.tool !== 'steps') throw new Error(somethingElse());
  return { program, partial, report };
}

export function bytesOf(buffer: ArrayBufferLike | ArrayBufferView): Uint8Array<ArrayBuffer> {
  if (!ArrayBuffer.isView(buffer)) return new Uint8Array(buffer).slice();
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).slice();
}
