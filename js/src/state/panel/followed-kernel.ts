/** The kernel that the panel shows: what is known of it, and what it can be asked to do. */

import { isRecord } from '../../facts/records';
import { fitsTogether, inflated } from '../../facts/wire';
import { __ } from '../../language';
import { type Panel, VERSION } from '../../schema';
import type { Kernel, LogKernel } from '../kernel-requests';
import type { Target } from './function-at-cursor';
import type { Selecting } from './notebook-selection';

/**
 * What is known of the kernel of a notebook or console.
 *
 * `none`: there is no kernel. `asked`: it has not answered yet. `silent`: it has not loaded jaxviz.
 * `absent`: jaxviz is not installed there. `failed`: asking went wrong. `told`: it answered.
 */
export type Known =
  | { is: 'none' | 'asked' | 'silent' }
  | { is: 'failed' | 'absent'; reason: string }
  | { is: 'told'; panel: Panel };

/** The notebook or console that the panel follows, with its kernel. */
export interface Followed {
  /** The name on its tab. */
  title: string;
  /** The same for all tabs of one notebook or console. */
  id: string;
  known: Known;
  /** The function that the reader just asked to inspect, from a cell; else null. */
  target: Target | null;
  /** What is selected in its outputs and in the panel. */
  selecting: Selecting;
  /** Gives the programs of the events in the kernel's log. */
  log: LogKernel;
  /** Gives the stages of the capture with that key, until the signal aborts; null if there is no
   * kernel. */
  capture: (key: string, signal: AbortSignal) => Kernel | null;
  /** Begins or ends watching all cells. Rejects with a sentence if it cannot. */
  watch: (on: boolean) => Promise<void>;
  /** Forgets what was traced so far. Rejects with a sentence if it cannot. */
  clear: () => Promise<void>;
  /** Runs a line in a new cell below the cell with that id. Returns the id of the new cell, or null
   * if there is none, as in a console. */
  run: (line: string, cell: string | null) => string | null;
}

/** The largest message that is read, bytes inflated. A log of a thousand events takes about 1 MB. */
const LARGEST_PANEL = 16_000_000;

/** Reads what a kernel sent to the panel: JSON, deflated. Rejects with one sentence if it is not valid
 * or contradicts itself. */
export async function readPanel(bytes: Uint8Array<ArrayBuffer>): Promise<Panel> {
  const json = await inflated(bytes, LARGEST_PANEL);
  const data: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));
  if (!isRecord(data, 'Panel')) throw new Error(__('What the kernel told is damaged.'));
  const panel = data as Panel;
  if (panel.version !== VERSION || !fitsTogether(panel.log)) {
    throw new Error(__('What the kernel told does not fit together.'));
  }
  return panel;
}
