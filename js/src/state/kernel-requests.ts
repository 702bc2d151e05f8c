/** What a view can ask of a kernel: later stages of a program, and programs of a log's events. */
import type { PartValues, Passes, Program, Report } from '../schema';

/** Called about twice a second while the reader waits, with what is being done and for how many
 * seconds. */
export type HearProgress = (doing: string, seconds: number) => void;

/** How a request goes: what is being done, or a sentence that says why it failed. */
export type RequestState = { doing: string; seconds: number } | { failure: string };

/**
 * The kernel that made a program and can make its later stages.
 *
 * A request rejects with one sentence where it cannot be met (any more). It rejects with the signal's
 * reason once that aborts: the kernel then stops, and the same can be requested again.
 */
export interface Kernel {
  /** A program with one stage: the requested one. Where it could not be made, its `error` says
   * why. */
  stage(kind: string, told: HearProgress, signal: AbortSignal): Promise<Program>;
  /** What XLA's passes made of the program. Where the program has more than a few constants, they
   * are told only if the reader agreed that XLA writes these to a folder. */
  passes(agreed: boolean, told: HearProgress, signal: AbortSignal): Promise<Passes>;
  /** The program after a pass, which is its one stage. */
  afterPass(pass: number, told: HearProgress, signal: AbortSignal): Promise<Program>;
  /** What a pass changed, as one program. */
  changesOfPass(pass: number, told: HearProgress, signal: AbortSignal): Promise<Program>;
  /** What the values of some eqns of the jaxpr are like. The program runs once more for it. */
  values(eqns: readonly number[], told: HearProgress, signal: AbortSignal): Promise<PartValues>;
}

/** The kernel that recorded a log and still has the traced programs. Rejects as `Kernel` does. */
export interface LogKernel {
  /** The program of the event with this number. It has its jaxpr alone. */
  program(event: number, told: HearProgress, signal: AbortSignal): Promise<Program>;
  /** The differences between the programs of two events, as one program. */
  compared(
    before: number,
    after: number,
    told: HearProgress,
    signal: AbortSignal,
  ): Promise<Program>;
  /** A program that ran while the log was profiled, and what its lines took. */
  measured(number: number, told: HearProgress, signal: AbortSignal): Promise<ReportedProgram>;
}

/** A program, and what a tool reports on it. */
export interface ReportedProgram {
  program: Program;
  report: Report | null;
}

/** Asks the kernel what a fix makes, by its number: a program, the origin of its NaN, or the card of the
 * error that is next, with the program so far. */
export interface Tries {
  tried(fix: number, signal: AbortSignal): Promise<ReportedProgram>;
}
