import { flowOf } from '../facts/graph';
import type { Item } from '../facts/outline';
import type { Graph } from '../schema';
import { nameOf } from './caption';
import { SMALL, textWidth } from './measure';
import { isOutput, type Wire, type Wiring } from './wires';

/** A region's items and what flows between them. */
interface Wired {
  graph: Graph;
  items: readonly Item[];
  wiring: Wiring;
}

export const MENTION = { height: 16, side: 4 };

/** Where the far end of a cut wire is told: beside its user, in an output, at the region's border. */
type Place = 'user' | 'output' | 'border';

/** The cut wires that are told at such places, by item (or by port of the border). */
export function mentionsOf(
  { items, wiring }: Wired,
  cut: readonly number[],
  where: Place,
): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const index of cut) {
    const { target } = wiring.wires[index] as Wire;
    const item = items[target.item];
    const place = !item ? 'border' : isOutput(item) ? 'output' : 'user';
    if (place !== where) continue;
    const at = place === 'border' ? target.port : target.item;
    const others = found.get(at);
    if (others) others.push(index);
    else found.set(at, [index]);
  }
  return found;
}

/** The name of what some wires carry: that of the first value, and how many others there are. */
export function mentionText({ graph, wiring }: Wired, indices: readonly number[]): string {
  const vars = indices.flatMap((index) => wiring.wires[index]?.vars ?? []);
  const [first] = vars as [number];
  const name = nameOf(graph, flowOf(graph).producer[first] ?? -1, first);
  return vars.length === 1 ? name : `${name} +${vars.length - 1}`;
}

export const mentionWidth = (plan: Wired, index: number): number =>
  textWidth(mentionText(plan, [index]), SMALL) + 2 * MENTION.side;
