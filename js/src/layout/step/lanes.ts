/** Decides whether a region is a training step to draw in lanes, and which parts of its passes
 * stand side by side. */
import { type Id, parse } from '../../facts/ids';
import type { Item } from '../../facts/outline';
import type { Graph, Group } from '../../schema';
import { callIn } from '../passed-through';
import { isOutput } from '../wires';

/** A training step in lanes: forward running down, backward beside it running up, the update of
 * the parameters beside that. */
export interface Step {
  inputs: Item[];
  rows: Row[];
  /** The items that follow the backward pass and pair with no row. */
  after: Item[];
  outputs: Item[];
}

/** The items side by side: a forward item, its derivative, and the update of its parameters. If the first two are
 * open and their parts pair up too, `rows` contains those parts; else each is laid out by itself. */
export interface Row {
  forward: Item | null;
  backward: Item | null;
  update: Item | null;
  rows: Row[] | null;
}

export const LANES = ['forward', 'backward', 'update'] as const;
export type LaneName = (typeof LANES)[number];

/** The deepest nesting of rows; deeper items are laid out separately. */
const DEEPEST_ROWS = 6;
/** The most items besides the two passes that may stand above, below or between them. */
const MOST_LOOSE = 8;
/** The parts of a pair stand in rows if at least one in this many has its counterpart. */
const ONE_PAIRED_IN = 5;

/** A graph, its open items, and the items inside each. */
interface Opened {
  graph: Graph;
  open: ReadonlySet<Id>;
  itemsOf: (id: Id) => readonly Item[];
}

/** The lanes of a region. Null if it contains no open pair of a forward pass (or its recomputation) and a backward
 * one, or too much besides. */
export function stepOf(opened: Opened, items: readonly Item[]): Step | null {
  const backward = derivativeIn(opened, items);
  const forward = items.find((item) => backward && isCounterpart(opened.graph, item, backward));
  if (!forward || !backward || !opened.open.has(forward.id)) return null;
  if (backward.start < forward.stop) return null;
  const isUpdate = (item: Item) => groupOf(opened.graph, item)?.role === 'optimizer';
  const work = items.filter(({ kind }) => kind === 'eqn' || kind === 'group');
  const after = work.filter(({ start }) => start >= backward.stop);
  const update = after.find((item) => isUpdate(item) && opened.open.has(item.id)) ?? null;
  const rows = pairUp(opened, forward, backward, update, 0);
  const loose = work.filter((one) => one !== forward && one !== backward && !after.includes(one));
  if (loose.length > MOST_LOOSE) return null;
  const paired = update !== null && rows !== null && rows.some((row) => row.update);
  const alone = (item: Item): Row => ({ forward: item, backward: null, update: null, rows: null });
  return {
    inputs: items.filter((item) => !isOutput(item) && !work.includes(item)),
    rows: [
      ...loose.filter(({ stop }) => stop <= forward.start).map(alone),
      { forward, backward, update: paired ? update : null, rows },
      ...loose.filter(({ start }) => start >= forward.stop).map(alone),
    ],
    after: paired ? after.filter((item) => item !== update) : after,
    outputs: items.filter(isOutput),
  };
}

/** True if a row's part of a lane is a frame around the rows inside. */
export const isFramed = ({ rows }: Row, lane: LaneName): boolean =>
  rows !== null && (lane !== 'update' || rows.some(({ update }) => update));

/** True if an item is the forward or the backward pass of a step. */
export const isPass = ({ rows }: Step, item: Item): boolean =>
  rows.some(({ forward, backward }) => backward && (forward === item || backward === item));

/** The items of one lane that are not frames around others, from top to bottom. */
export function laneOf({ rows }: Step, lane: LaneName): Item[] {
  const found: Item[] = [];
  const waiting = [...rows].reverse();
  while (waiting.length > 0) {
    const row = waiting.pop() as Row;
    if (isFramed(row, lane)) waiting.push(...[...(row.rows ?? [])].reverse());
    else if (row[lane]) found.push(row[lane]);
  }
  return found;
}

/** The items of a step that are drawn as one box each. */
export function atomsOf(step: Step): Item[] {
  const lanes = LANES.flatMap((lane) => laneOf(step, lane));
  return [...step.inputs, ...lanes, ...step.after, ...step.outputs];
}

/** The ids of the open pairs and of their updates, as one text. With the atoms, they are all that the layout of a
 * step depends on. */
export function lanesOpen(step: Step): string {
  const found: Id[] = [];
  const waiting = [...step.rows];
  while (waiting.length > 0) {
    const { forward, update, rows } = waiting.pop() as Row;
    if (rows) found.push(forward?.id ?? '', update?.id ?? '');
    waiting.push(...(rows ?? []));
  }
  return found.join(' ');
}

/** The only backward group, if it is open; null if there is none or more than one. */
function derivativeIn({ graph, open }: Opened, items: readonly Item[]): Item | null {
  const found = items.filter((item) => groupOf(graph, item)?.role === 'backward');
  const [item] = found;
  return item && found.length === 1 && open.has(item.id) ? item : null;
}

/** The group that an item is, or null. */
function groupOf(graph: Graph, item: Item): Group | null {
  if (item.kind !== 'group') return null;
  const { step } = parse(item.id);
  return step.kind === 'group' ? (graph.groups[step.index] ?? null) : null;
}

/** The rows within a pair; null if too few of its parts pair. */
function pairUp(
  opened: Opened,
  forward: Item,
  backward: Item,
  update: Item | null,
  depth: number,
): Row[] | null {
  const down = opened.itemsOf(forward.id);
  const up = [...opened.itemsOf(backward.id)].reverse();
  const aside = update ? opened.itemsOf(update.id) : [];
  const isWhole = (items: readonly Item[]) => callIn(opened.graph, items, opened.open) !== null;
  if (depth === 0 && [down, up].some(isWhole)) return null;
  const isCall = ([only, more]: readonly Item[]) => only?.kind === 'eqn' && only.foldable && !more;
  const pairs = [down, up].every(isCall)
    ? new Map([[0, 0]])
    : ascending(counterparts(opened.graph, down, up));
  if (pairs.size === 0 || pairs.size * ONE_PAIRED_IN < Math.max(down.length, up.length))
    return null;
  const updates = counterparts(opened.graph, down, aside);
  const paired = updates.length * 2 >= aside.length ? updates : [];
  const updated = new Map(paired.map(([one, other]) => [down[one], aside[other]]));
  const rows = zip(down, up, pairs).map(([one, other]): Row => {
    const inner =
      one && other && depth < DEEPEST_ROWS && opened.open.has(one.id) && opened.open.has(other.id);
    return {
      forward: one,
      backward: other,
      update: (one && updated.get(one)) ?? null,
      rows:
        inner && isCounterpart(opened.graph, one, other)
          ? pairUp(opened, one, other, null, depth + 1)
          : null,
    };
  });
  const placed = new Set(updated.values());
  const rest = paired.length > 0 ? aside.filter((item) => !placed.has(item)) : [];
  return [
    ...rows,
    ...rest.map((update): Row => ({ forward: null, backward: null, update, rows: null })),
  ];
}

/** True if `other` is the derivative or the update of `forward`. */
const isCounterpart = (graph: Graph, forward: Item, other: Item): boolean => {
  const twin = groupOf(graph, other)?.twin ?? null;
  return twin !== null && graph.groups[twin] === groupOf(graph, forward);
};

/** For each item of the second list whose counterpart is in the first: the positions of both. */
function counterparts(
  graph: Graph,
  first: readonly Item[],
  second: readonly Item[],
): [number, number][] {
  const at = new Map<Group | null, number>();
  first.forEach((item, index) => {
    const group = groupOf(graph, item);
    if (group) at.set(group, index);
  });
  return second.flatMap((item, index): [number, number][] => {
    const twin = groupOf(graph, item)?.twin ?? null;
    const found = twin === null ? undefined : at.get(graph.groups[twin] ?? null);
    return found === undefined ? [] : [[found, index]];
  });
}

/** The most pairs whose positions rise in both lists, so that no two cross. */
function ascending(pairs: [number, number][]): Map<number, number> {
  const ends: number[] = [];
  const before = pairs.map(() => -1);
  pairs.forEach(([position], index) => {
    let at = ends.length;
    while (at > 0 && pairs[ends[at - 1]!]![0] >= position) at--;
    before[index] = at > 0 ? ends[at - 1]! : -1;
    ends[at] = index;
  });
  const rising = new Map<number, number>();
  for (let at = ends[ends.length - 1] ?? -1; at >= 0; at = before[at]!) rising.set(...pairs[at]!);
  return rising;
}

/** Puts two lists side by side: each pair on one row, and the items between two pairs next to each other. */
function zip(
  first: readonly Item[],
  second: readonly Item[],
  pairs: ReadonlyMap<number, number>,
): [Item | null, Item | null][] {
  const rows: [Item | null, Item | null][] = [];
  const between = (from: number, to: number, other: number, until: number) => {
    for (let by = 0; from + by < to || other + by < until; by++) {
      rows.push([
        from + by < to ? (first[from + by] ?? null) : null,
        other + by < until ? (second[other + by] ?? null) : null,
      ]);
    }
  };
  let from = 0;
  let other = 0;
  for (const [one, two] of [...pairs].sort(([a], [b]) => a - b)) {
    between(from, one, other, two);
    rows.push([first[one] as Item, second[two] as Item]);
    from = one + 1;
    other = two + 1;
  }
  between(from, first.length, other, second.length);
  return rows;
}
