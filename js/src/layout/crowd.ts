import { BORDER, PLAIN, type Wire, type Wiring } from './wires';

/** What crosses a border in too many places to draw each of them. */
export interface Uncrowded {
  /** Without ports where there were too many: what comes in is one wire for each user then. */
  wiring: Wiring;
  /** The wires that come in without a port: names beside their users stand for them. */
  named: number[];
  /** The wires that go out without a port. */
  outward: Wire[];
}

/** Ports of a border beside which no more find their way. */
const MOST_PORTS = 8;

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

/** Names beside one user; of more there is one for all. */
const MOST_NAMES = 3;

/** The same wiring with one wire for all cut wires of a user that has too many to be named singly. */
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

function byUser(wires: readonly Wire[]): Wire[] {
  const found = new Map<number, Wire>();
  for (const { source, target, vars } of wires) {
    const known = found.get(target.item);
    if (known) known.vars.push(...vars);
    else found.set(target.item, { source, target, vars: [...vars] });
  }
  return [...found.values()].map((wire) => ({ ...wire, vars: [...new Set(wire.vars)] }));
}
