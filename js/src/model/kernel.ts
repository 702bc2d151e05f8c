import type { Program } from '../schema';

/** What made a program, and can make its later stages. */
export interface Kernel {
  /**
   * A program that holds one stage: the one asked for, whose `error` says why where there is none.
   *
   * While it is made, `told` hears about twice a second what is being done, and for how long.
   * Rejects with one sentence where it cannot be asked for (any more), and with the signal's reason
   * once that aborts: the kernel is told, and the stage may be asked for anew.
   */
  stage(
    kind: string,
    told: (doing: string, seconds: number) => void,
    signal: AbortSignal,
  ): Promise<Program>;
}
