/** The counterparts of a selection in the other stages, in words and links. */
import { eqnAt } from '../facts/graph';
import type { Id } from '../facts/ids';
import { plainKind } from '../facts/kinds';
import {
  type Focus,
  type Linked,
  type LinkedItem,
  type Links,
  selectedEqns,
} from '../facts/linked/linked';
import type { LinePlace } from '../facts/linked/source-lines';
import { append } from '../facts/maps';
import { cut, labelOf } from '../facts/text/describe';
import { __ } from '../language';
import type { Program, Stage } from '../schema';
import { nameOf } from './fact-parts';

/** The names of the stages for the reader. */
export const STAGE_NAMES = new Map<string, string>([
  ['jaxpr', 'jaxpr'],
  ['stablehlo', 'StableHLO'],
  ['hlo', 'HLO'],
]);

/** A link to an item of another stage. */
interface StageLink {
  stage: string;
  id: Id;
  text: string;
}

/** The counterparts of a selection in one other stage. */
export interface Counterparts {
  /** The relation between the stages: `became`, `came from`, `made for` or `fused from`. */
  name: string;
  /** The kind of the other stage. */
  stage: string;
  /** The name of the other stage, if `name` does not say it. */
  of: string;
  /** The words before the links: `probably`. Without links, the reason for that. */
  words: string;
  links: readonly StageLink[];
  /** The number of further links, and a function that makes them. */
  rest: number;
  more: () => readonly StageLink[];
  /** Its source lines: `lines 3–4`. */
  lines: string;
}

/** The most links at first, and the most characters of each. */
const MOST_LINKS = 8;
const LONGEST_LINK = 40;

/** Says in which pass eqns disappeared that optimized HLO lacks; empty if it has one of them. */
export type PassText = (eqns: readonly number[]) => string;

/** The counterparts of a selection in each other stage. */
export function counterpartsOf(
  program: Program,
  focus: Focus,
  { stages, lines }: Linked,
  passText: PassText | null = null,
): Counterparts[] {
  if ('eqns' in focus && focus.eqns?.length === 0) return []; // a step that adds nothing
  const order = program.stages.map(({ kind }) => kind);
  const own = order.indexOf(focus.stage);
  return [...stages].flatMap(([kind, links]) => {
    const stage = program.stages.find((one) => one.kind === kind);
    if (!stage) return [];
    const linked = counterpartsIn(stage, links);
    const pass = (kind === 'hlo' && passText?.(selectedEqns(program.stages, focus))) || '';
    const counterparts =
      linked.links.length === 0 && pass !== '' ? { ...linked, words: pass } : linked;
    const of = STAGE_NAMES.get(kind) ?? kind;
    if (order.indexOf(kind) > own) return [{ ...counterparts, of, name: __('became') }];
    if (kind !== 'jaxpr') return [{ ...counterparts, of, name: __('came from') }];
    const name = 'id' in focus && isFusionAt(program, focus) ? __('fused from') : __('made for');
    return [{ ...counterparts, name, lines: linesText(lines) }];
  });
}

function counterpartsIn(stage: Stage, { status, found }: Links): Counterparts {
  const fusions = found.filter(({ holds }) => holds);
  const others = found.filter(({ holds }) => !holds);
  const listed = [...fusions, ...others];
  return {
    name: '',
    stage: stage.kind,
    of: '',
    words:
      status === 'here'
        ? isGuess(found)
          ? __('probably')
          : ''
        : (WHY_NO_LINKS.get(status)?.() ?? ''),
    links: listed.slice(0, MOST_LINKS).map((one) => linkTo(stage, one)),
    rest: Math.max(0, listed.length - MOST_LINKS),
    more: () => listed.slice(MOST_LINKS).map((one) => linkTo(stage, one)),
    lines: '',
  };
}

/** The reasons for missing links, by status. */
export const WHY_NO_LINKS = new Map<string, () => string>([
  ['gone', () => __('none: folded or removed')],
  ['lost', () => __('none known: folded, removed, or not named')],
  ['unknown', () => __('not known')],
]);

export const isGuess = (found: readonly LinkedItem[]): boolean =>
  found.length > 0 && found.every(({ guess }) => guess);

function linkTo(stage: Stage, { id }: LinkedItem): StageLink {
  return { stage: stage.kind, id, text: cut(textOf(stage, id), LONGEST_LINK) };
}

/** The text of a link: an HLO instruction's name in the text of its stage, else the label of the
 * box. */
function textOf(stage: Stage, id: Id): string {
  const place = eqnAt(stage, id);
  if (!place) return nameOf(stage, id);
  const { graph, eqn } = place;
  const name = graph.vars[eqn.outvars[0] ?? -1]?.name ?? '';
  return plainKind(stage.kind) === 'hlo' && name !== ''
    ? name
    : labelOf(eqn).replace(/^stablehlo\./, '');
}

function isFusionAt(program: Program, focus: { stage: string; id: Id }): boolean {
  const stage = program.stages.find(({ kind }) => kind === focus.stage);
  return stage !== undefined && eqnAt(stage, focus.id)?.eqn.op === 'fusion';
}

/** `lines 3–5, 9 of cell [3]`; for several files, the lines of each. */
export function linesText(lines: readonly LinePlace[]): string {
  const files = new Map<string, number[]>();
  for (const { cell, file, line } of lines) {
    const name = cell === null ? file : '';
    append(files, name, line);
  }
  return [...files].map(([file, numbers]) => linesOfFile(file, numbers)).join('; ');
}

function linesOfFile(file: string, numbers: readonly number[]): string {
  const sorted = [...new Set(numbers)].sort((one, other) => one - other);
  const runs: [number, number][] = [];
  for (const number of sorted) {
    const last = runs.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else runs.push([number, number]);
  }
  const text = runs.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
  const one = sorted.length === 1;
  if (file === '') return one ? __('line %1', text) : __('lines %1', text);
  return one ? __('line %1 of %2', text, file) : __('lines %1 of %2', text, file);
}
