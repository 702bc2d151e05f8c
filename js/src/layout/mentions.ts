/** Names the values of cut wires, which are too long to draw, where they are used. */
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

/** The height of a name, and the space at either side of it, px. */
export const MENTION = { height: 16, side: 4 };

/** Where the name of a cut wire stands: beside its user, in the box of an output, or at the border
 * of the region. */
type Place = 'user' | 'output' | 'border';

/** The cut wires (their indices) whose names stand at such places, by item; at the border by
 * port. */
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

/** The width of the name of a wire, px. */
export const mentionWidth = (plan: Wired, index: number): number =>
  textWidth(mentionText(plan, [index]), SMALL) + 2 * MENTION.side;
