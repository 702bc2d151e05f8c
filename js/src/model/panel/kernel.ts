import type { Panel } from '../../schema';
import type { Kernel, LogKernel } from '../kernel';
import type { Target } from './found';
import type { Selecting } from './selection';

/**
 * What is known of the kernel of a notebook or console: there is `none`, it is being `asked`, it
 * has not loaded jaxviz (`silent`) or cannot (`absent`), what went wrong, or what it told.
 */
export type Known =
  | { is: 'none' | 'asked' | 'silent' }
  | { is: 'failed' | 'absent'; reason: string }
  | { is: 'told'; panel: Panel };

/** Whom the panel follows, and asks. */
export interface Followed {
  /** What its tab is called: a notebook's or console's name. */
  title: string;
  /** One notebook or console has one, in all of its tabs. */
  id: string;
  known: Known;
  /** What was just asked for from a cell; else null. */
  target: Target | null;
  /** What is selected in its outputs and here. */
  selecting: Selecting;
  /** Has the programs of the kernel-wide log. */
  log: LogKernel;
  /** Has the stages of a capture, until the signal aborts. */
  capture: (key: string, signal: AbortSignal) => Kernel | null;
  /** Rejects with a sentence where it cannot. */
  watch: (on: boolean) => Promise<void>;
  clear: () => Promise<void>;
  /** Runs a line in a new cell below the one with that id, and gives the id of the new one; null
   * where there is none. */
  run: (line: string, cell: string | null) => string | null;
}
