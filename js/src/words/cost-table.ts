/** The table of costs: its rows, and how they are grouped. */
import { shortDtype } from '../facts/colours/casts';
import { innermostGroups } from '../facts/enclosing';
import { avalOf, eqnAt, firstPaths } from '../facts/graph';
import { enclosingEqn, enclosingEqns, graphPath, type Id, ROOT } from '../facts/ids';
import { cached, gather } from '../facts/maps';
import {
  added,
  costAt,
  ownCosts,
  runsOfGraphs,
  times,
  UNKNOWN_COST,
  wholeOf,
} from '../facts/numbers/costs';
import { type Sent, sentByEqn, sentBySeveral } from '../facts/numbers/exchanges';
import { secondsOfEqn, wholeSeconds } from '../facts/numbers/measured';
import { largestOf, most } from '../facts/reports';
import { intensity, labelOf, placeOf, shareOf } from '../facts/text/describe';
import { detailOf } from '../facts/text/detail';
import { typeText } from '../facts/text/types';
import { __ } from '../language';
import type { Cost, Eqn, Graph, Group, Stage } from '../schema';

/** A row of the table: one eqn with all its runs, or a group of eqns. */
export interface CostRow {
  /** Its place among the rows of its level, in program order. */
  index: number;
  /** The index of its graph and of the eqn in it; -1 for a group. */
  graph: number;
  eqn: number;
  label: string;
  /** The type of its first result, or the text of a line. */
  type: string;
  /** The bytes of its first result; of a group the most of its rows. */
  size: number | null;
  /** How often it runs; null for a group. */
  runs: number | null;
  runsLeast: boolean;
  /** The cost of all its runs. In a grouped table the bodies of an eqn are left out, as they have
   * rows of their own. */
  cost: Cost;
  /** Its share of the measured time of the program, else of its flops, 0 to 1. */
  share: number | null;
  intensity: number | null;
  /** What runs took of it, in seconds, with or without its bodies as `cost`; null where that is not known. */
  time: number | null;
  /** The largest finite magnitude of its results; null where no run told of it. */
  largest: number | null;
  /** What each device sends for it, without its bodies; null where it sends nothing. */
  sent: Sent | null;
  /** Its source line: `cell 3, line 4`. */
  line: string;
  /** The rows in a group; null for an eqn. */
  held: readonly CostRow[] | null;
}

export type Grouping = 'none' | 'op' | 'line' | 'scope';

/** A row for each eqn, in program order. What is only applied to elements, such as the body of a
 * reduction, has no numbers of its own: they are those of the eqn that holds it. */
export const eqnRows = cached((stage: Stage): readonly CostRow[] => {
  const places = stage.frames.map(placeOf);
  const rows: CostRow[] = [];
  runsOfGraphs(stage).forEach((runs, graph) => {
    const isApplied = runs.times === 0;
    stage.graphs[graph]?.eqns.forEach((eqn, at) => {
      const cost = isApplied ? UNKNOWN_COST : times(eqn.cost ?? UNKNOWN_COST, runs);
      rows.push({
        ...rowOf(stage, rows.length, cost, secondsOfEqn(stage, graph, at, 'all')),
        graph,
        eqn: at,
        label: labelIn(stage, eqn),
        ...resultOf(stage, graph, eqn),
        runs: isApplied ? null : runs.times,
        runsLeast: runs.least,
        line: places[eqn.frame ?? -1] ?? '',
        largest: largestOf(stage, graph, at),
        sent: isApplied ? null : sentByEqn(stage, eqn, runs),
      });
    });
  });
  return rows;
});

function rowOf(stage: Stage, index: number, cost: Cost, time: number | null): CostRow {
  const result = { label: '', type: '', size: null, line: '' };
  const none = { largest: null, sent: null, held: null };
  const nothing = { ...result, runs: null, runsLeast: false, ...none };
  return { index, graph: -1, eqn: -1, ...measured(stage, cost, time), ...nothing };
}

const measured = (stage: Stage, cost: Cost, time: number | null) => ({
  cost,
  time,
  share: stage.times
    ? shareOf(time, wholeSeconds(stage))
    : shareOf(cost.flops, wholeOf(stage).flops),
  intensity: intensity(cost),
});

/** The label of an eqn; of a fusion, what it was made from. */
function labelIn(stage: Stage, eqn: Eqn): string {
  const detail = eqn.op === 'fusion' ? detailOf(stage, eqn) : '';
  return detail === '' ? labelOf(eqn) : `${eqn.op} ${detail}`;
}

function resultOf(stage: Stage, graph: number, { outvars: [first] }: Eqn) {
  const held = stage.graphs[graph];
  const aval = held && first !== undefined ? avalOf(stage, held, first) : null;
  return { type: aval ? typeText(aval) : '', size: aval?.bytes ?? null };
}

/** What rows are kept: those with a text in what they show, a dtype, an op; all where empty. */
export interface RowFilter {
  text: string;
  dtype: string;
  op: string;
}

export const NO_FILTER: RowFilter = { text: '', dtype: '', op: '' };

export function kept(
  stage: Stage,
  rows: readonly CostRow[],
  { text, dtype, op }: RowFilter,
): readonly CostRow[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '' && dtype === '' && op === '') return rows;
  const opOf = namer(stage, 'op');
  const holds = (one: string) => one.toLowerCase().includes(wanted);
  return rows.filter(
    (row) =>
      (dtype === '' || shortDtype(row.type) === dtype) &&
      (op === '' || opOf(row) === op) &&
      (wanted === '' || [row.label, row.type, row.line].some(holds)),
  );
}

/** The dtypes and the ops that rows can be filtered by, each with how many have it, the most
 * first. */
export const choicesOf = cached((stage: Stage): Record<'dtype' | 'op', [string, number][]> => {
  const opOf = namer(stage, 'op');
  const counts = { dtype: new Map<string, number>(), op: new Map<string, number>() };
  const add = (of: Map<string, number>, one: string) => of.set(one, (of.get(one) ?? 0) + 1);
  for (const row of eqnRows(stage)) {
    add(counts.dtype, shortDtype(row.type));
    add(counts.op, opOf(row));
  }
  const most = (of: Map<string, number>) =>
    [...of].filter(([name]) => name !== '').sort(([, one], [, other]) => other - one);
  return { dtype: most(counts.dtype), op: most(counts.op) };
});

/** How rows are put together at first: by line where any is known. */
export const firstGrouping = ({ frames }: Stage): Grouping => (frames.length > 0 ? 'line' : 'none');

const NO_GROUP_NAMES = { op: () => '', line: () => __('no line'), scope: () => __('no scope') };

/** Groups rows by what they have in common. Each row then has its own cost without its bodies, so
 * that no work is counted twice. */
export function grouped(stage: Stage, rows: readonly CostRow[], by: Grouping): readonly CostRow[] {
  if (by === 'none') return rows;
  const own = ownCosts(stage);
  const nameOf = namer(stage, by);
  const groups = gather(rows, (row) => nameOf(row) || NO_GROUP_NAMES[by]());
  return [...groups].map(([label, rows], index): CostRow => {
    const held = rows.map((row) => {
      const cost = costAt(own[row.graph]!, row.eqn);
      return { ...row, ...measured(stage, cost, secondsOfEqn(stage, row.graph, row.eqn, 'own')) };
    });
    const cost = held.map((row) => row.cost).reduce(added);
    const line = by === 'line' ? label : only(held.map((row) => row.line));
    const size = held.reduce((most, row) => Math.max(most, row.size ?? 0), 0);
    const code = by === 'line' ? codeOf(stage, rows[0]) : '';
    const time = sumOf(held.map((row) => row.time));
    const largest = most(held.map((row) => row.largest));
    const sent = sentBySeveral(held.map((row) => row.sent));
    const row = rowOf(stage, index, cost, time);
    return { ...row, label, line, type: code, size, largest, sent, held };
  });
}

/** The sum of those that are known; null where none is. */
function sumOf(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : known.reduce((sum, time) => sum + time, 0);
}

/** The text of the line that a row comes from. */
const codeOf = ({ graphs, frames }: Stage, row: CostRow | undefined): string =>
  frames[graphs[row?.graph ?? -1]?.eqns[row?.eqn ?? -1]?.frame ?? -1]?.code ?? '';

/** Gives the function that names the group of a row. */
function namer(stage: Stage, by: Exclude<Grouping, 'none'>): (row: CostRow) => string {
  if (by === 'line') return ({ line }) => line;
  if (by === 'op') return ({ graph, eqn }) => stage.graphs[graph]?.eqns[eqn]?.op ?? '';
  const around = outerParts(stage);
  return ({ graph, eqn }) =>
    [...(around[graph] ?? []), ...partsOf(stage.graphs[graph] as Graph, eqn)]
      .slice(0, MOST_PARTS)
      .join(' › ');
}

/** How many of the names around an eqn, outermost first, make up the name of its scope. */
const MOST_PARTS = 2;

/** The names of the groups around an eqn, outermost first, without groups that were only made to
 * split up a long list. */
function partsOf(graph: Graph, eqn: number): string[] {
  const names: string[] = [];
  for (let at = innermostGroups(graph)[eqn] ?? -1; at >= 0; at = graph.groups[at]?.parent ?? -1) {
    const { name, kind } = graph.groups[at] as Group;
    if (kind !== 'section' && kind !== 'repeat') names.push(name);
  }
  return names.reverse();
}

/** For each graph, the names of the groups that its first instance lies in. */
function outerParts(stage: Stage): string[][] {
  return firstPaths(stage).map((path) =>
    enclosingEqns(path ?? ROOT).flatMap((id) => {
      const place = eqnAt(stage, id);
      return place ? partsOf(place.graph, place.index) : [];
    }),
  );
}

const only = (lines: readonly string[]): string =>
  lines.every((line) => line === lines[0]) ? (lines[0] ?? '') : '';

/** The eqn that an item is or lies in, by its graph and index; null where it is in none. */
export function eqnOf(stage: Stage, id: Id | null): { graph: number; eqn: number } | null {
  const around = id === null ? null : (eqnAt(stage, id) ?? bodyHolder(stage, id));
  return around && { graph: stage.graphs.indexOf(around.graph), eqn: around.index };
}

function bodyHolder(stage: Stage, id: Id) {
  const holder = enclosingEqn(graphPath(id));
  return graphPath(id) === id && holder !== null ? eqnAt(stage, holder) : null;
}
