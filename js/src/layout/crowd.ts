/** Keeps a frame readable where very many values cross its border, or reach one user from afar: a
 * name beside the user takes the place of single edges. */
import { BORDER, PLAIN, type Wire, type Wiring } from './wires';

/** The wiring of a region in which no border has too many ports. */
export interface Uncrowded {
  /** The wiring without the ports of a crowded border. What came in through them is one wire for
   * each user. */
  wiring: Wiring;
  /** Indices of the wires that come in without a port; names beside their users are drawn
   * instead. */
  named: number[];
  /** The wires that go out without a port. */
  outward: Wire[];
}

/** The most ports of a border. With more, edges would find no way between them. */
const MOST_PORTS = 8;

/** Takes the ports away from a border that has more than `MOST_PORTS`. */
export function uncrowded({ wires, entries, exits }: Wiring): Uncrowded {
  const crowdedIn = entries.length > MOST_PORTS;
  const crowdedOut = exits.length > MOST_PORTS;
  const inward = (wire: Wire) => crowdedIn && wire.source.item === BORDER;
  const leaves = (wire: Wire) => crowdedOut && wire.target.item === BORDER;
  const kept = wires.filter((wire) => !inward(wire) && !leaves(wire));
  const named = byUser(wires.filter((wire) => inward(wire) && !leaves(wire)));
  return {
    wiring: {
      wires: [...kept, ...named],
      entries: crowdedIn ? [] : entries,
      exits: crowdedOut ? [] : exits,
    },
    named: named.map((_, index) => kept.length + index),
    outward: wires.filter(leaves),
  };
}

/** The most names beside one user. Where there would be more, one name stands for all. */
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
  const kept = wiring.wires.flatMap((wire, index) => (many(wire, index) ? [] : [index]));
  const merged = byUser(wiring.wires.filter(many)).map((wire) => ({
    ...wire,
    target: { item: wire.target.item, port: PLAIN },
  }));
  return {
    wiring: { ...wiring, wires: [...kept.map((index) => wiring.wires[index]!), ...merged] },
    cut: [
      ...kept.flatMap((index, at) => (far.has(index) ? [at] : [])),
      ...merged.map((_, at) => kept.length + at),
    ],
  };
}

/** Merges wires into one for each user. */
function byUser(wires: readonly Wire[]): Wire[] {
  const found = new Map<number, Wire>();
  for (const { source, target, vars } of wires) {
    const known = found.get(target.item);
    if (known) known.vars.push(...vars);
    else found.set(target.item, { source, target, vars: [...vars] });
  }
  return [...found.values()].map((wire) => ({ ...wire, vars: [...new Set(wire.vars)] }));
}
