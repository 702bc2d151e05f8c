/** Bundles the values that flow from one atom of a step to another, and decides how each bundle is drawn. */
import { append } from '../../facts/maps';
import { bytesText } from '../../facts/text/describe';
import { measuredText, plainTypes } from '../caption';
import { head, SMALL, textWidth } from '../measure';
import type { Wire } from '../wires';
import type { Atom, Column, List, StepPlan } from './atoms';

/** All values that flow from one atom of a step to another. */
export interface Bundle {
  source: Atom;
  target: Atom;
  wires: Wire[];
  vars: number[];
  /** `next`: to the next row of the lane. `level`: across to the same row. `arc`: past a few rows of the same list.
   * `far`: any other. */
  kind: 'next' | 'level' | 'arc' | 'far';
  /** The number of an arc's track beside the lane, from 0. */
  track: number;
}

/** The most rows that an arc may lead over. */
const MOST_ARC_ROWS = 4;
/** The most arcs that run side by side. */
const MOST_ARC_TRACKS = 4;
/** The most columns of a type that is written on an edge. */
const TYPE_COLUMNS = 16;

/** The bundles of a step. Sets the `arcs` of each list. */
export function bundlesOf(atoms: readonly Atom[], wires: readonly Wire[]): Bundle[] {
  const found = new Map<number, Bundle>();
  for (const wire of wires) {
    const { item: from } = wire.source;
    const { item: to } = wire.target;
    const key = from * atoms.length + to;
    const existing = found.get(key);
    if (existing) {
      existing.wires.push(wire);
      existing.vars.push(...wire.vars);
      continue;
    }
    const source = atoms[from] as Atom;
    const target = atoms[to] as Atom;
    const kind = kindOf(source, target);
    found.set(key, { source, target, wires: [wire], vars: [...wire.vars], kind, track: 0 });
  }
  const bundles = [...found.values()];
  for (const one of bundles) if (one.wires.length > 1) one.vars = [...new Set(one.vars)];
  layArcs(bundles);
  return bundles;
}

function kindOf(source: Atom, target: Atom): Bundle['kind'] {
  const { column } = source;
  if (column === 'after' && target.column === 'after') return 'next';
  if (column === target.column && (column === 'forward' || column === 'backward')) {
    const step = (target.order - source.order) * (column === 'forward' ? 1 : -1);
    if (step === 1) return 'next';
    return source.list === target.list && step > 1 && step <= MOST_ARC_ROWS ? 'arc' : 'far';
  }
  const across = source.list !== null && source.list === target.list && source.row === target.row;
  return across ? 'level' : 'far';
}

/** Gives arcs their tracks, so that none of one list and lane overlap. An arc without a free track becomes `far`. */
function layArcs(bundles: Bundle[]): void {
  const used = new Map<List, Map<string, [number, number][]>>();
  const span = ({ source, target }: Bundle) => Math.abs(source.row - target.row);
  const arcs = bundles.filter(({ kind }) => kind === 'arc').sort((a, b) => span(a) - span(b));
  for (const arc of arcs) {
    const list = arc.source.list as List;
    const lanes = used.get(list) ?? new Map<string, [number, number][]>();
    used.set(list, lanes);
    const rows = [arc.source.row, arc.target.row].sort((a, b) => a - b) as [number, number];
    let track = 0;
    for (; track < MOST_ARC_TRACKS; track++) {
      const taken = lanes.get(`${arc.source.column} ${track}`) ?? [];
      if (taken.every(([from, to]) => to <= rows[0] || rows[1] <= from)) break;
    }
    if (track === MOST_ARC_TRACKS) {
      arc.kind = 'far';
      continue;
    }
    const key = `${arc.source.column} ${track}`;
    lanes.set(key, [...(lanes.get(key) ?? []), rows]);
    arc.track = track;
    list.arcs = Math.max(list.arcs, track + 1);
  }
}

/** The far bundles, by atom and then by the columns of both ends. A bundle from a lane to an atom beside the lanes is
 * listed at that atom, any other at its source. */
export function byLane(bundles: readonly Bundle[]): Map<Atom, Map<string, Bundle[]>> {
  const found = new Map<Atom, Map<string, Bundle[]>>();
  for (const bundle of bundles) {
    if (bundle.kind !== 'far') continue;
    const { source, target } = bundle;
    const atom = target.list === null && source.list !== null ? target : source;
    const groups = found.get(atom) ?? new Map<string, Bundle[]>();
    found.set(atom, groups);
    const key = `${source.column} ${target.column}`;
    append(groups, key, bundle);
  }
  return found;
}

/** The distance between parallel edges, px. */
export const APART = 5;
/** The most edges that turn in the space between two lanes. */
export const MOST_TURNS = 6;

/** The number of edges that turn between two lanes, from rows of one to other rows of the other. */
export const turnsBetween = (bundles: readonly Bundle[], from: Column, to: Column): number =>
  Math.min(MOST_TURNS, bundles.filter((one) => turns(one, from, to)).length);

const turns = ({ kind, source, target }: Bundle, from: Column, to: Column): boolean =>
  kind === 'far' &&
  source.list !== null &&
  source.column === from &&
  target.list !== null &&
  target.column === to;

/** The texts on an edge, above its line and below it. */
export interface Label {
  label: string;
  note: string;
}

const NO_LABEL: Label = { label: '', note: '' };

/** The texts on a bundle from lane to lane: the number of values, and their bytes. */
export function labelOf(
  plan: Pick<StepPlan, 'stage' | 'graph'>,
  { source, target, kind, vars }: Bundle,
): Label {
  if (kind !== 'level') return NO_LABEL;
  if (source.column === 'forward') {
    return target.column === 'backward' ? carried(plan, vars, 'residuals') : NO_LABEL;
  }
  return source.column === 'backward' ? carried(plan, vars, 'gradients') : NO_LABEL;
}

/** `9 residuals`, and below it `12.4 MiB`; for one value its type, and its measurements. */
export function carried(
  { stage, graph }: Pick<StepPlan, 'stage' | 'graph'>,
  vars: readonly number[],
  noun: string,
): Label {
  if (vars.length === 1)
    return {
      label: head(plainTypes(stage, graph, vars), TYPE_COLUMNS),
      note: measuredText(stage, graph, vars),
    };
  const bytes = vars.map((one) => stage.avals[graph.vars[one]?.aval ?? -1]?.bytes ?? null);
  const isComplete = bytes.every((one) => one !== null);
  const sum = bytes.reduce<number>((total, one) => total + (one ?? 0), 0);
  return { label: `${vars.length} ${noun}`, note: isComplete ? bytesText(sum) : '' };
}

/** True if the edges of a bundle run below open boxes, not straight across. */
export const isBelow = ({ source, target }: Bundle): boolean =>
  (source.frame?.exits.length ?? 0) + (target.frame?.entries.length ?? 0) > 0;

/** The width of the longer of both texts, px. */
export const widthOf = ({ label, note }: Label): number =>
  Math.max(textWidth(label, SMALL), textWidth(note, SMALL));
