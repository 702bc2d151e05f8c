import { changes, nextChange } from '../facts/compared/difference-order';
import type { Differences } from '../facts/compared/differences';
import { calls } from '../facts/enclosing';
import { type Id, parse, ROOT } from '../facts/ids';
import { ends, origins, users } from '../facts/value-flow';
import type { Stage } from '../schema';

/** What one goes round: what makes an item's operands, what uses its results, who calls it. */
type Around = 'producers' | 'users' | 'calls';
/** The same, or all that differs between two programs. */
export type Along = Around | 'changes';

/** A round of the same item's producers, users or calls, or of what differs. */
export interface Tour {
  along: Along;
  ids: readonly Id[];
  at: number;
}

/** The next stop of a tour, which begins at the selection unless that is a stop of the same one. */
export function toured(
  state: {
    stage: Stage;
    differences: Differences | null;
    selected: Id | null;
    tour: Tour | null;
  },
  along: Along,
  by: 1 | -1,
): Tour | null {
  const { stage, differences, selected, tour } = state;
  if (tour?.along === along) {
    const { length } = tour.ids;
    return { ...tour, at: (tour.at + by + length) % length };
  }
  if (along === 'changes') {
    const ids = differences ? changes(stage, differences) : [];
    return ids.length === 0 ? null : { along, ids, at: nextChange(stage, ids, selected, by) };
  }
  if (selected === null || selected === ROOT) return null;
  const ids = stops(stage, selected, along);
  if (ids.length === 0) return null;
  const here = ids.indexOf(selected);
  const first = by === 1 ? 0 : ids.length - 1;
  return { along, ids, at: here < 0 ? first : (here + by + ids.length) % ids.length };
}

/** Where a tour leads from an item: once around, in the order of operands or of the program. */
export function stops(stage: Stage, id: Id, along: Around): Id[] {
  if (along === 'calls') return calls(stage, id);
  const { path } = parse(id);
  const { used, made } = ends(stage, id);
  const links =
    along === 'producers'
      ? used.flatMap((variable) => origins(stage, path, variable).slice(0, 1))
      : made.flatMap((variable) => users(stage, path, variable));
  return [...new Set(links.map((link) => link.id))].filter((one) => one !== id);
}
