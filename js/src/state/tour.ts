/** Goes round the producers, users or calls of an item, or round all changes of a comparison. */
import { changes, nextChange } from '../facts/compared/difference-order';
import type { Differences } from '../facts/compared/differences';
import { calls } from '../facts/enclosing';
import { type Id, parse, ROOT } from '../facts/ids';
import { ends, origins, users } from '../facts/value-flow';
import type { Stage } from '../schema';

/** The eqns that make an item's operands, that use its results, or that call it. */
type TourKind = 'producers' | 'users' | 'calls';
/** These, or the changes between two programs. */
export type TourPath = TourKind | 'changes';

/** A tour: what it goes along, the item it started from, and where it is. */
export interface Tour {
  along: TourPath;
  ids: readonly Id[];
  at: number;
}

/** The next stop of a tour. A tour starts at the selection, unless the selection is a stop of the
 * same tour. */
export function toured(
  state: {
    stage: Stage;
    differences: Differences | null;
    selected: Id | null;
    tour: Tour | null;
  },
  along: TourPath,
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

/** The stops of a tour around an item, in the order of its operands or of the program. */
export function stops(stage: Stage, id: Id, along: TourKind): Id[] {
  if (along === 'calls') return calls(stage, id);
  const { path } = parse(id);
  const { used, made } = ends(stage, id);
  const links =
    along === 'producers'
      ? used.flatMap((variable) => origins(stage, path, variable).slice(0, 1))
      : made.flatMap((variable) => users(stage, path, variable));
  return [...new Set(links.map((link) => link.id))].filter((one) => one !== id);
}
