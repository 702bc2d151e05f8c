import type { Program } from '../schema';

/** Hears about twice a second what is being done for the reader, and for how many seconds. */
export type Told = (doing: string, seconds: number) => void;

/** What has become of asking for something. */
export type Asked = { doing: string; seconds: number } | { failure: string };

/**
 * What made a program, and can make its later stages.
 *
 * Rejects with one sentence where something cannot be asked for (any more), and with the signal's
 * reason once that aborts: the kernel is told, and the same may be asked for anew.
 */
export interface Kernel {
  /** A program that holds one stage: the one asked for, whose `error` says why where there is none. */
  stage(kind: string, told: Told, signal: AbortSignal): Promise<Program>;
}

/** What recorded a log, and still has the programs that were traced. Rejects as a `Kernel` does. */
export interface LogKernel {
  /** The program of the event with that number: its jaxpr alone. */
  program(event: number, told: Told, signal: AbortSignal): Promise<Program>;
  /** What differs between the programs of two events, as one program. */
  compared(before: number, after: number, told: Told, signal: AbortSignal): Promise<Program>;
}
