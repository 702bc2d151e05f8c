/** The rows of the cost table, and their groups. */
import { shortDtype } from '../facts/colours/casts';
import { allOf, amountOf, measureOf } from '../facts/colours/heat';
import { innermostGroups } from '../facts/enclosing';
import { avalOf, eqnAt, firstPaths } from '../facts/graph';
import { enclosingEqn, enclosingEqns, graphPath, type Id, ROOT } from '../facts/ids';
import { cached, gather } from '../facts/maps';
import { added, costAt, ownCosts, runsOfRows, times, UNKNOWN_COST } from '../facts/numbers/costs';
import { type Sent, sentByEqn, sentBySeveral } from '../facts/numbers/exchanges';
import { secondsOfEqn } from '../facts/numbers/measured';
import { largestOf, most } from '../facts/reports';
import { intensity, labelOf, placeOf, shareOf } from '../facts/text/describe';
import { detailOf } from '../facts/text/detail';
import { typeText } from '../facts/text/types';
import { __ } from '../language';
import type { Cost, Eqn, Graph, Group, Stage } from '../schema';

/** A row of the table: one eqn with all its runs, or a group of eqns. */
export interface CostRow {
  /** Its index among the rows of its level, in program order. */
  index: number;
  /** The index of its graph, and of the eqn in the graph; -1 for a group. */
  graph: number;
  eqn: number;
  label: string;
  /** The type of its first result, or the text of its line. */
  type: string;
  /** The bytes of its first result; for a group, the most of its rows. */
  size: number | null;
  /** The number of its runs; null for a group. */
  runs: number | null;
  runsLeast: boolean;
  /** The cost of all its runs. In a grouped table, bodies are left out, because they have rows of
   * their own. */
  cost: Cost;
  /** Its share of the program, by `measureOf` it, from 0 to 1. */
  share: number | null;
  intensity: number | null;
  /** Its measured time, in seconds, with or without its bodies as for `cost`; null if it is unknown. */
  time: number | null;
  /** The largest finite magnitude of its results; null if no run reported it. */
  largest: number | null;
  /** The bytes that each device sends for it, without its bodies; null if it sends nothing. */
  sent: Sent | null;
  /** Its source line: `cell 3, line 4`. */
  line: string;
  /** The rows of a group; null for an eqn. */
  members: readonly CostRow[] | null;
}

export type Grouping = 'none' | 'op' | 'line' | 'scope';

/** A row for each eqn, in program order. Eqns that are only applied to elements, such as those in
 * the body of a reduction, have no numbers: the eqn with the body has them. */
export const eqnRows = cached((stage: Stage): readonly CostRow[] => {
  const places = stage.frames.map(placeOf);
  const rows: CostRow[] = [];
  runsOfRows(stage).forEach((runs, graph) => {
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
  const none = { largest: null, sent: null, members: null };
  const nothing = { ...result, runs: null, runsLeast: false, ...none };
  return { index, graph: -1, eqn: -1, ...measured(stage, cost, time), ...nothing };
}

function measured(stage: Stage, cost: Cost, time: number | null) {
  const by = measureOf(stage);
  const share = shareOf(amountOf(by, cost, time), allOf(stage, by));
  return { cost, time, share, intensity: intensity(cost) };
}

/** The label of an eqn; for a fusion, with its parts. */
function labelIn(stage: Stage, eqn: Eqn): string {
  const detail = eqn.op === 'fusion' ? detailOf(stage, eqn) : '';
  return detail === '' ? labelOf(eqn) : `${eqn.op} ${detail}`;
}

function resultOf(stage: Stage, graph: number, { outvars: [first] }: Eqn) {
  const members = stage.graphs[graph];
  const aval = members && first !== undefined ? avalOf(stage, members, first) : null;
  return { type: aval ? typeText(aval) : '', size: aval?.bytes ?? null };
}

/** Selects rows: by a text in them, a dtype and an op. Empty fields select all. */
export interface RowFilter {
  text: string;
  dtype: string;
  op: string;
}

export const NO_FILTER: RowFilter = { text: '', dtype: '', op: '' };

export function filtered(
  stage: Stage,
  rows: readonly CostRow[],
  { text, dtype, op }: RowFilter,
): readonly CostRow[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '' && dtype === '' && op === '') return rows;
  const opOf = namer(stage, 'op');
  const matches = (one: string) => one.toLowerCase().includes(wanted);
  return rows.filter(
    (row) =>
      (dtype === '' || shortDtype(row.type) === dtype) &&
      (op === '' || opOf(row) === op) &&
      (wanted === '' || [row.label, row.type, row.line].some(matches)),
  );
}

/** The dtypes and ops of the rows, each with its number of rows, the most frequent first. */
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

/** The first grouping: by line if any line is known. */
export const firstGrouping = ({ frames }: Stage): Grouping => (frames.length > 0 ? 'line' : 'none');

const NO_GROUP_NAMES = { op: () => '', line: () => __('no line'), scope: () => __('no scope') };

/** Groups rows by line, op or scope. Each row then has its own cost without bodies, so that no work
 * counts twice. */
export function grouped(stage: Stage, rows: readonly CostRow[], by: Grouping): readonly CostRow[] {
  if (by === 'none') return rows;
  const own = ownCosts(stage);
  const nameOf = namer(stage, by);
  const groups = gather(rows, (row) => nameOf(row) || NO_GROUP_NAMES[by]());
  return [...groups].map(([label, rows], index): CostRow => {
    const members = rows.map((row) => {
      const cost = costAt(own[row.graph]!, row.eqn);
      return { ...row, ...measured(stage, cost, secondsOfEqn(stage, row.graph, row.eqn, 'own')) };
    });
    const cost = members.map((row) => row.cost).reduce(added);
    const line = by === 'line' ? label : commonLine(members.map((row) => row.line));
    const size = members.reduce((most, row) => Math.max(most, row.size ?? 0), 0);
    const code = by === 'line' ? codeOf(stage, rows[0]) : '';
    const time = sumOf(members.map((row) => row.time));
    const largest = most(members.map((row) => row.largest));
    const sent = sentBySeveral(members.map((row) => row.sent));
    const row = rowOf(stage, index, cost, time);
    return { ...row, label, line, type: code, size, largest, sent, members };
  });
}

/** The sum of the known times; null if there is none. */
function sumOf(times: readonly (number | null)[]): number | null {
  const measuredTimes = times.filter((time) => time !== null);
  return measuredTimes.length === 0 ? null : measuredTimes.reduce((sum, time) => sum + time, 0);
}

/** The text of a row's source line. */
const codeOf = ({ graphs, frames }: Stage, row: CostRow | undefined): string =>
  frames[graphs[row?.graph ?? -1]?.eqns[row?.eqn ?? -1]?.frame ?? -1]?.code ?? '';

/** A function that returns the name of a row's group. */
function namer(stage: Stage, by: Exclude<Grouping, 'none'>): (row: CostRow) => string {
  if (by === 'line') return ({ line }) => line;
  if (by === 'op') return ({ graph, eqn }) => stage.graphs[graph]?.eqns[eqn]?.op ?? '';
  const place = outerNames(stage);
  return ({ graph, eqn }) =>
    [...(place[graph] ?? []), ...groupNames(stage.graphs[graph] as Graph, eqn)]
      .slice(0, MOST_PARTS)
      .join(' › ');
}

/** The most names in the name of a scope, outermost first. */
const MOST_PARTS = 2;

/** The names of the groups around an eqn, outermost first, without groups that only split a long
 * list. */
function groupNames(graph: Graph, eqn: number): string[] {
  const names: string[] = [];
  for (let at = innermostGroups(graph)[eqn] ?? -1; at >= 0; at = graph.groups[at]?.parent ?? -1) {
    const { name, kind } = graph.groups[at] as Group;
    if (kind !== 'section' && kind !== 'repeat') names.push(name);
  }
  return names.reverse();
}

/** The names of the groups around the first instance of each graph. */
function outerNames(stage: Stage): string[][] {
  return firstPaths(stage).map((path) =>
    enclosingEqns(path ?? ROOT).flatMap((id) => {
      const place = eqnAt(stage, id);
      return place ? groupNames(place.graph, place.index) : [];
    }),
  );
}

const commonLine = (lines: readonly string[]): string =>
  lines.every((line) => line === lines[0]) ? (lines[0] ?? '') : '';

/** The eqn that an item is, or is part of, by its graph and index; null if there is none. */
export function eqnOf(stage: Stage, id: Id | null): { graph: number; eqn: number } | null {
  const place = id === null ? null : (eqnAt(stage, id) ?? callerOf(stage, id));
  return place && { graph: stage.graphs.indexOf(place.graph), eqn: place.index };
}

function callerOf(stage: Stage, id: Id) {
  const caller = enclosingEqn(graphPath(id));
  return graphPath(id) === id && caller !== null ? eqnAt(stage, caller) : null;
}
