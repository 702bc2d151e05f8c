/** Sends requests to the kernel over any channel that carries messages both ways, and reads the
 * answers. */

import { sentenceText } from '../facts/text/sentence-text';
import { decode, fromBase64, readLog, readQuiz, readRecord } from '../facts/wire';
import { isRecord } from '../facts/wire/records';
import { __ } from '../language';
import type { Display, Log, Program, Quiz, Sentence } from '../schema';
import type { Stepped } from '../shell/bar';
import {
  type FixKernel,
  hasOnly,
  type Kernel,
  type KernelRequest,
  type LogKernel,
  type OnProgress,
  programReader,
  type ReportedProgram,
  wrongAnswer,
} from '../state/kernel-requests';
import { progressText } from '../words/kernel-text';
import { readDisplay } from './lab/display';

/** A message to the kernel: a request, or a stop for a request that the page no longer needs. */
export type Question = KernelRequest<unknown>['fields'];

/** A request that waits for its answer. */
interface OpenRequest {
  fields: KernelRequest<unknown>['fields'];
  onProgress: OnProgress;
  read: KernelRequest<unknown>['read'];
  done: (answer: unknown) => void;
  failed: (reason: unknown) => void;
}

/** The interval at which the page shows its waiting time, until the kernel first reports progress, ms. */
const WAITING_INTERVAL = 500;

/** For requests during which the page shows something else. */
const NO_PROGRESS: OnProgress = () => undefined;

export class KernelClient implements Kernel, LogKernel, FixKernel {
  readonly #send: (question: Question) => void;
  readonly #open = new Map<number, OpenRequest>();
  #count = 0;

  constructor(send: (question: Question) => void) {
    this.#send = send;
  }

  /** The whole program, if the output has only a part or a picture of it. */
  whole(signal: AbortSignal): Promise<Program> {
    return this.request({ fields: { whole: true }, read: decode }, NO_PROGRESS, signal);
  }

  /** The log as it is now. */
  log(signal: AbortSignal): Promise<Log> {
    return this.request({ fields: { whole: true }, read: readLog }, NO_PROGRESS, signal);
  }

  /** The whole question. The output has only its still form. */
  quiz(signal: AbortSignal): Promise<Quiz> {
    return this.request({ fields: { whole: true }, read: readQuiz }, NO_PROGRESS, signal);
  }

  /** The comparison of a program with what its cell showed before. */
  since(signal: AbortSignal): Promise<Program> {
    return this.request({ fields: { since: true }, read: readComparison }, NO_PROGRESS, signal);
  }

  tryFix(fix: number, signal: AbortSignal): Promise<ReportedProgram> {
    return this.request({ fields: { fix }, read: readReported }, NO_PROGRESS, signal);
  }

  /** The program, traced once more line by line. */
  stepped(signal: AbortSignal): Promise<Stepped> {
    return this.request({ fields: { steps: true }, read: readStepped }, NO_PROGRESS, signal);
  }

  stage(kind: string, onProgress: OnProgress, signal: AbortSignal): Promise<Program> {
    const read = programReader((program) => hasOnly(program, kind));
    return this.request({ fields: { stage: kind }, read }, onProgress, signal);
  }

  program(event: number, onProgress: OnProgress, signal: AbortSignal): Promise<Program> {
    const read = programReader((one) => hasOnly(one, 'jaxpr') && one.compared === null);
    return this.request({ fields: { trace: event }, read }, onProgress, signal);
  }

  compared(
    before: number,
    after: number,
    onProgress: OnProgress,
    signal: AbortSignal,
  ): Promise<Program> {
    const fields = { compare: [before, after] };
    return this.request({ fields, read: readComparison }, onProgress, signal);
  }

  measured(number: number, onProgress: OnProgress, signal: AbortSignal): Promise<ReportedProgram> {
    return this.request({ fields: { measured: number }, read: readReported }, onProgress, signal);
  }

  request<T>(
    { fields, read }: KernelRequest<T>,
    onProgress: OnProgress,
    signal: AbortSignal,
  ): Promise<T> {
    this.#count += 1;
    const ask = this.#count;
    const ended = new AbortController();
    const answer = new Promise<unknown>((done, failed) => {
      signal.throwIfAborted();
      const stop = () => {
        if (this.#open.has(ask)) this.#send({ stop: ask });
        failed(signal.reason);
      };
      signal.addEventListener('abort', stop, { signal: ended.signal });
      const listener = withWaitingTime(onProgress, ended.signal);
      this.#open.set(ask, { fields, onProgress: listener, read, done, failed });
      this.#send({ ask, ...fields });
    });
    return answer.finally(() => {
      ended.abort();
      this.#open.delete(ask);
    }) as Promise<T>;
  }

  /** Handles a message of the kernel. */
  receive(message: unknown, buffers: readonly (ArrayBufferLike | ArrayBufferView)[]): void {
    if (typeof message !== 'object' || message === null) return;
    const { ask, doing, seconds, done, error } = message as Record<string, unknown>;
    const request = typeof ask === 'number' ? this.#open.get(ask) : undefined;
    if (!request) return;
    if (typeof doing === 'string' && typeof seconds === 'number')
      request.onProgress(progressText(doing), seconds);
    // Up to format 5, the reason was a plain text.
    if (error !== undefined)
      request.failed(
        new Error(isRecord(error, 'Sentence') ? sentenceText(error as Sentence) : String(error)),
      );
    if (done !== true) return;
    const [bytes] = buffers;
    if (bytes) request.read(bytesOf(bytes)).then(request.done, request.failed);
    else request.failed(new Error(wrongAnswer()));
  }

  /** Sends all open requests again, because messages may be lost. */
  resend(): void {
    for (const [ask, { fields }] of this.#open) this.#send({ ask, ...fields });
  }

  /** Rejects all open requests: nothing more will come over the channel. */
  close(reason: string): void {
    for (const { failed } of this.#open.values()) failed(new Error(reason));
  }
}

/** Reports the waiting time to `onProgress` until the kernel reports what it does. */
function withWaitingTime(onProgress: OnProgress, signal: AbortSignal): OnProgress {
  const start = Date.now();
  const timer = setInterval(
    () => onProgress(__('waiting for the kernel'), (Date.now() - start) / 1000),
    WAITING_INTERVAL,
  );
  const stop = () => clearInterval(timer);
  signal.addEventListener('abort', stop, { once: true });
  return (doing, seconds) => {
    stop();
    onProgress(doing, seconds);
  };
}

const readComparison = programReader((one) => hasOnly(one, 'jaxpr') && one.compared !== null);

/** Reads an answer in the form of an output: a program, and what a tool reports on it. */
async function readReported(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Omit<Display, 'program'> & { program: Program }> {
  const display = readDisplay(await readRecord(bytes));
  if (typeof display === 'string') throw new Error(display);
  return { ...display, program: await decode(fromBase64(display.program)) };
}

async function readStepped(bytes: Uint8Array<ArrayBuffer>): Promise<Stepped> {
  const { program, partial, report } = await readReported(bytes);
  if (report?.tool !== 'steps') throw new Error(wrongAnswer());
  return { program, partial, report };
}

export function bytesOf(buffer: ArrayBufferLike | ArrayBufferView): Uint8Array<ArrayBuffer> {
  if (!ArrayBuffer.isView(buffer)) return new Uint8Array(buffer).slice();
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).slice();
}
