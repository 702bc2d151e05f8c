import type { Panel } from '../../schema';
import { type Row, rowsOf } from './functions';
import type { Sought } from './sought';
import type { Opened } from './state';

/** A function that is looked for from a cell. */
export interface Target extends Sought {
  /** The id of the cell; null in a console. */
  cell: string | null;
  /** The id of the cell that was made to capture it; null before. */
  ran: string | null;
}

/** Its latest program, where the kernel knows it: what was captured for it, else as its row in the
 * list has it; of several functions of a name that of the cell. */
export function found(panel: Panel, { names, cell, ran }: Target): Opened | null {
  const capture = panel.captures.find((one) => ran !== null && one.cell === ran);
  if (capture) return { capture: capture.key, name: capture.name };
  const rows = rowsOf(panel).filter((row) => openedBy(row));
  for (const name of names) {
    const near = (row: Row) =>
      (cell !== null && row.definition?.cell === cell ? 2 : 0) + (row.name === name ? 1 : 0);
    const own = rows.filter((row) => row.name === name || innerOf(row.name) === name);
    const [first] = own.sort((a, b) => near(b) - near(a));
    if (first) return openedBy(first);
  }
  return null;
}

function openedBy({ latest, capture }: Row): Opened | null {
  if (latest) return { event: latest.number };
  return capture && { capture: capture.key, name: capture.name };
}

/** `loss` of `grad(vmap(loss))`, `apply` of `Model.apply`. */
const innerOf = (name: string): string => name.replace(/^.*[(.]|\)+$/g, '');
