import type { Panel } from '../../schema';
import { openedBy, type Row, rowsOf } from './functions';
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
 * list has it; of several functions of a name that of the cell, as the cell ran last. */
export function found(panel: Panel, { names, cell, ran }: Target): Opened | null {
  const capture = panel.captures.find((one) => ran !== null && one.cell === ran);
  if (capture) return { capture: capture.key, name: capture.name };
  const rows = rowsOf(panel).filter((row) => openedBy(row));
  for (const name of names) {
    const own = rows.filter((row) => row.name === name || innerOf(row.name) === name);
    const isHere = ({ definition }: Row) => cell !== null && definition?.cell === cell;
    const [first] = own.sort(
      (a, b) =>
        Number(isHere(b)) - Number(isHere(a)) ||
        Number(b.name === name) - Number(a.name === name) ||
        (b.definition?.count ?? 0) - (a.definition?.count ?? 0),
    );
    if (first) return openedBy(first);
  }
  return null;
}

/** `loss` of `grad(vmap(loss))`, `apply` of `Model.apply`. */
const innerOf = (name: string): string => name.replace(/^.*[(.]|\)+$/g, '');
