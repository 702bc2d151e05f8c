/** Requests to the kernel that made a program or recorded a log, and readers of its answers. */
import { decode, readRecord } from '../facts/wire';
import { isRecord, type RecordName } from '../facts/wire/records';
import { __ } from '../language';
import type { Program, Report } from '../schema';

/** Called about twice a second while the reader waits: what the kernel does, and for how many
 * seconds. */
export type OnProgress = (doing: string, seconds: number) => void;

/** The state of a request: what the kernel does, or a sentence that says why it failed. */
export type RequestState = { doing: string; seconds: number } | { failure: string };

/** A request: its fields (`jaxviz/display/page_requests.py` reads them), and a reader of the answer. */
export interface KernelRequest<T> {
  fields: Readonly<Record<string, string | number | boolean | number[]>>;
  read: (bytes: Uint8Array<ArrayBuffer>) => Promise<T>;
}

/**
 * The kernel that made a program and can make its later stages.
 *
 * A request rejects with one sentence if the kernel cannot answer it (any more). It rejects with the
 * signal's reason once that aborts: the kernel then stops, and the same can be requested again.
 */
export interface Kernel {
  /** A program with the requested stage only. If that could not be made, its `error` says why. */
  stage(kind: string, onProgress: OnProgress, signal: AbortSignal): Promise<Program>;
  /** Sends a request of a tool. */
  request<T>(request: KernelRequest<T>, onProgress: OnProgress, signal: AbortSignal): Promise<T>;
}

/** The kernel that recorded a log and still has the traced programs. Rejects as `Kernel` does. */
export interface LogKernel {
  /** The program of the event with this number. It has its jaxpr only. */
  program(event: number, onProgress: OnProgress, signal: AbortSignal): Promise<Program>;
  /** The differences between the programs of two events, as one program. */
  compared(
    before: number,
    after: number,
    onProgress: OnProgress,
    signal: AbortSignal,
  ): Promise<Program>;
  /** A program that ran while the log was profiled, with the time of its lines. */
  measured(number: number, onProgress: OnProgress, signal: AbortSignal): Promise<ReportedProgram>;
}

/** A program, and what a tool reports on it. */
export interface ReportedProgram {
  program: Program;
  report: Report | null;
}

/** The kernel that can try the fixes of a card. */
export interface FixKernel {
  /** The result of the fix with this number: a program, the origin of its NaN, or the card of the next
   * error with the program so far. */
  tryFix(fix: number, signal: AbortSignal): Promise<ReportedProgram>;
}

/** Reads a program. Rejects if it is not the requested one. */
export const programReader =
  (isRequested: (program: Program) => boolean): KernelRequest<Program>['read'] =>
  async (bytes) => {
    const program = await decode(bytes);
    if (!isRequested(program)) throw new Error(wrongAnswer());
    return program;
  };

/** Reads a record of the schema. Rejects if it is another one. */
export const recordReader =
  <T>(name: RecordName, most?: number): KernelRequest<T>['read'] =>
  async (bytes) => {
    const record = await readRecord(bytes);
    if (!isRecord(record, name, most)) throw new Error(wrongAnswer());
    return record as T;
  };

/** True if a program has only the stage of that kind. */
export const hasOnly = ({ stages }: Program, kind: string): boolean =>
  stages.length === 1 && stages[0]?.kind === kind;

export const wrongAnswer = (): string =>
  __('The kernel sent something other than was requested: run the cell again.');
