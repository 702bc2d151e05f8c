/** Names the values of cut wires, which are too long to draw, where they are used. */
import { flowOf } from '../facts/flow';
import { append } from '../facts/maps';
import type { Item } from '../facts/outline';
import type { Graph } from '../schema';
import { nameOf } from './caption';
import { SMALL, textWidth } from './measure';
import { BORDER, isOutput, PLAIN, type Wire, type Wiring } from './wires';

/** The items of a region and the wires between them. */
interface Wired {
  graph: Graph;
  items: readonly Item[];
  wiring: Wiring;
}

/** The height of a name, and the space at either side of it, px. */
export const MENTION = { height: 16, side: 4 };

/** The place of a cut wire's name: beside its user, in the box of an output, or at the border of the region. */
type Place = 'user' | 'output' | 'border';

/** The cut wires (by index) whose names stand at such places, by item; at the border, by port. */
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
    append(found, at, index);
  }
  return found;
}

/** The name of the values of some wires: that of the first, and the number of others. */
export function mentionText({ graph, wiring }: Wired, indices: readonly number[]): string {
  const vars = indices.flatMap((index) => wiring.wires[index]?.vars ?? []);
  const [first] = vars as [number];
  const name = nameOf(graph, flowOf(graph).producer[first] ?? -1, first);
  return vars.length === 1 ? name : `${name} +${vars.length - 1}`;
}

/** The width of the name of a wire, px. */
export const mentionWidth = (plan: Wired, index: number): number =>
  textWidth(mentionText(plan, [index]), SMALL) + 2 * MENTION.side;

/** The wiring of a region in which no border has too many ports. */
export interface Uncrowded {
  /** The wiring without the ports of a crowded border. The values that entered through them are one wire for each
   * user. */
  wiring: Wiring;
  /** Indices of the wires that enter without a port. Names beside their users are drawn instead. */
  named: number[];
  /** The wires that leave without a port. */
  outward: Wire[];
}

/** The most ports of a border. With more, edges would have no space between them. */
const MOST_PORTS = 8;

/** Removes the ports of a border that has more than `MOST_PORTS`. */
export function uncrowded({ wires, entries, exits }: Wiring): Uncrowded {
  const crowdedIn = entries.length > MOST_PORTS;
  const crowdedOut = exits.length > MOST_PORTS;
  const inward = (wire: Wire) => crowdedIn && wire.source.item === BORDER;
  const leaves = (wire: Wire) => crowdedOut && wire.target.item === BORDER;
  const others = wires.filter((wire) => !inward(wire) && !leaves(wire));
  const named = byUser(wires.filter((wire) => inward(wire) && !leaves(wire)));
  return {
    wiring: {
      wires: [...others, ...named],
      entries: crowdedIn ? [] : entries,
      exits: crowdedOut ? [] : exits,
    },
    named: named.map((_, index) => others.length + index),
    outward: wires.filter(leaves),
  };
}

/** The most names beside one user. If there would be more, one name stands for all. */
const MOST_NAMES = 3;

/** Merges the cut wires of each user that has more than `MOST_NAMES` of them into one. `cut` holds
 * indices of wires. */
export function gathered(
  wiring: Wiring,
  cut: readonly number[],
): { wiring: Wiring; cut: number[] } {
  const far = new Set(cut);
  const counts = new Map<number, number>();
  for (const index of cut) {
    const { item } = wiring.wires[index]!.target;
    counts.set(item, (counts.get(item) ?? 0) + 1);
  }
  const many = ({ target }: Wire, index: number) =>
    far.has(index) && target.item !== BORDER && counts.get(target.item)! > MOST_NAMES;
  const others = wiring.wires.flatMap((wire, index) => (many(wire, index) ? [] : [index]));
  const merged = byUser(wiring.wires.filter(many)).map((wire) => ({
    ...wire,
    target: { item: wire.target.item, port: PLAIN },
  }));
  return {
    wiring: { ...wiring, wires: [...others.map((index) => wiring.wires[index]!), ...merged] },
    cut: [
      ...others.flatMap((index, at) => (far.has(index) ? [at] : [])),
      ...merged.map((_, at) => others.length + at),
    ],
  };
}

/** Merges wires into one for each user. */
function byUser(wires: readonly Wire[]): Wire[] {
  const found = new Map<number, Wire>();
  for (const { source, target, vars } of wires) {
    const merged = found.get(target.item);
    if (merged) merged.vars.push(...vars);
    else found.set(target.item, { source, target, vars: [...vars] });
  }
  return [...found.values()].map((wire) => ({ ...wire, vars: [...new Set(wire.vars)] }));
}
