/** The children of each item: the one list that the tree, the picture and Find use. */
import { __ } from '../language';
import type { Body, Eqn, Graph, Group, Stage } from '../schema';
import { unusedEqns } from './flow';
import {
  avalOf,
  bindersOf,
  bodiesInOrder,
  conditionCasts,
  eqnsHeld,
  eqnsIn,
  graphAt,
  IN_NO_GROUP,
  nameOfBranch,
  nestingOf,
  RESULT,
  titleOfBody,
  usersName,
} from './graph';
import {
  type Binder,
  binderId,
  bodyId,
  eqnId,
  gatheredId,
  groupId,
  type Id,
  parse,
  ROOT,
} from './ids';
import type { Family } from './kinds';
import { familyIn } from './kinds';
import { cached } from './maps';
import { joined, labelOf } from './text/describe';
import { argumentOf, detailOf, isFree, isLoopOrChoice, nameOfRow, timesOf } from './text/detail';
import { isWritten, literalsOf, shortNumber } from './text/literals';
import { branches, isMoreThanRow, MOST_BELOW_ROOT, within } from './text/pytree';
import { sentenceText } from './text/sentence-text';
import { typeLabel } from './text/types';

/** An eqn, a body, a group, an input or output, or several of these gathered: one box of the picture and one line of
 * the tree, until it is opened. */
export interface Item {
  id: Id;
  kind: 'eqn' | 'body' | 'group' | 'gathered' | 'input' | 'output' | 'const' | 'fixed';
  label: string;
  /** The words that distinguish it from others of its name; empty if there are none. */
  detail: string;
  /** Its type, `f32[8,64]`, or that of its first result; empty if it has none. */
  type: string;
  family: Family | null;
  /** The number of eqns in it, including their bodies, each once; or the number of gathered leaves. 0 for a plain
   * eqn. */
  count: number;
  foldable: boolean;
  /** The number of equal groups that it stands for; 0 for one that is no run. */
  members: number;
  /** The difference from its siblings, which are alike: `f32 weights`; empty for most items. */
  unlike: string;
  /** True if it does no work at run time, as a tuple or a constant; it is drawn small. */
  free: boolean;
  /** Eqns `[start, stop)` of its graph that it covers; an empty range for binders. */
  start: number;
  stop: number;
  /** The vars that an input or output stands for; empty for eqns and groups. */
  vars: readonly number[];
}

/** More inputs (or outputs) of a graph than this are gathered by their pytree; also those whose names do not fit in a
 * row. */
export const MOST_BINDERS = 8;

const PLAIN_ITEM = {
  detail: '',
  type: '',
  family: null,
  count: 0,
  foldable: false,
  members: 0,
  unlike: '',
  free: false,
  vars: [],
} as const;

/** The children of an item, in order: inputs, then eqns and groups, then outputs. */
export function children(stage: Stage, id: Id): Item[] {
  const whole = graphAt(stage, id);
  if (whole) return ofGraph(stage, whole, id);
  if (id === ROOT) return [];
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  if (!graph) return [];
  switch (step.kind) {
    case 'eqn':
      return ofEqn(stage, graph.eqns[step.index], path, step.index);
    case 'group':
      return ofGroup(stage, graph, path, step.index);
    case 'gathered':
      return gathered(stage, graph, path, step.binder, step.prefix);
    default:
      return [];
  }
}

/** The children of an item with a box: all except constants that are written on their users or beside the signature,
 * and casts of conditions. */
export function drawn(stage: Stage, id: Id): readonly Item[] {
  const cache = drawnIn(stage);
  return cache.get(id) ?? cache.set(id, withBoxes(stage, children(stage, id))).get(id)!;
}
const drawnIn = cached((_: Stage) => new Map<Id, readonly Item[]>());

function withBoxes(stage: Stage, items: readonly Item[]): readonly Item[] {
  const graph = items[0] && graphAt(stage, parse(items[0].id).path);
  const isShown = ({ kind, type }: Item) => kind !== 'fixed' || type !== 'closed over';
  const shown = items.every(isShown) ? items : items.filter(isShown);
  if (!graph || literalsOf(stage, graph).size + conditionCasts(graph).size === 0) return shown;
  return shown.filter(({ kind, start }) => kind !== 'eqn' || !isWritten(stage, graph, start));
}

function ofGraph(stage: Stage, graph: Graph, path: Id): Item[] {
  return [
    ...binders(stage, graph, path, 'const'),
    ...binders(stage, graph, path, 'in'),
    ...(path === ROOT ? fixedItems(stage) : []),
    ...run(stage, graph, path, IN_NO_GROUP, 0, graph.eqns.length),
    ...binders(stage, graph, path, 'out'),
  ];
}

/** The children of an eqn: its bodies, or the contents of its only body. */
function ofEqn(stage: Stage, eqn: Eqn | undefined, path: Id, index: number): Item[] {
  if (!eqn) return [];
  if (eqn.bodies.length === 1) return children(stage, bodyId(path, index, 0));
  return bodiesInOrder(eqn).map((number) => {
    const body = eqn.bodies[number] as Body;
    return {
      ...PLAIN_ITEM,
      id: bodyId(path, index, number),
      kind: 'body',
      label: titleOfBody(body),
      family: familyIn(stage, eqn),
      count: eqnsIn(stage, body.graph),
      foldable: true,
      start: index,
      stop: index + 1,
    };
  });
}

function ofGroup(stage: Stage, graph: Graph, path: Id, index: number): Item[] {
  const group = graph.groups[index];
  return group ? run(stage, graph, path, index, group.start, group.stop) : [];
}

/** The items for eqns `[start, stop)`: groups whose parent is `parent` replace the eqns that they cover. */
function run(
  stage: Stage,
  graph: Graph,
  path: Id,
  parent: number,
  start: number,
  stop: number,
): Item[] {
  const groups = nestingOf(graph).inside.get(parent);
  const items: Item[] = [];
  for (let at = start; at < stop; ) {
    const found = groups?.get(at);
    const group = found === undefined ? undefined : graph.groups[found];
    if (group && found !== undefined && group.stop > at) {
      items.push(groupItem(stage, graph, path, found, group));
      at = group.stop;
    } else {
      items.push(eqnItem(stage, graph, path, at));
      at += 1;
    }
  }
  return items;
}

function eqnItem(stage: Stage, graph: Graph, path: Id, index: number): Item {
  const eqn = graph.eqns[index] as Eqn;
  const first = eqn.outvars[0];
  return {
    id: eqnId(path, index),
    kind: 'eqn',
    members: 0,
    unlike: '',
    ...titleOf(stage, graph, index),
    type: first === undefined ? '' : typeLabel(stage, avalOf(stage, graph, first)),
    family: familyIn(stage, eqn),
    count: eqnsHeld(stage, graph, index, index + 1) - 1,
    foldable: eqn.bodies.length > 0,
    free: isFree(eqn.op) || (eqn.bodies.length === 0 && isUnused(stage, graph, index)),
    start: index,
    stop: index + 1,
    vars: [],
  };
}

/** The label and the detail of an eqn. The ops fused into a fusion say more than its name, so they come first. */
function titleOf(stage: Stage, graph: Graph, index: number): Pick<Item, 'label' | 'detail'> {
  const eqn = graph.eqns[index] as Eqn;
  if (isUnused(stage, graph, index))
    return { label: `${labelOf(eqn)} ${__('unused')}`, detail: '' };
  const detail = [detailOf(stage, eqn), argumentOf(stage, graph, eqn)].join(' ').trim();
  if (eqn.op === 'fusion') return { label: `${eqn.op} ${detail}`, detail: eqn.name };
  return { label: labelOf(eqn), detail };
}

const isUnused = ({ kind }: Stage, graph: Graph, index: number): boolean =>
  kind === 'jaxpr' && unusedEqns(graph).has(index);

function groupItem(stage: Stage, graph: Graph, path: Id, index: number, group: Group): Item {
  const unlike = group.unlike ? sentenceText(group.unlike) : '';
  const isRun = group.kind === 'repeat';
  return {
    ...PLAIN_ITEM,
    id: groupId(path, index),
    kind: 'group',
    label: isRun ? nameOfRow(graph, index) : group.name,
    detail: isRun ? timesOf(graph, index) : unlike && `≠ ${unlike}`,
    members: isRun ? nestingOf(graph).members[index]! : 0,
    unlike,
    count: eqnsHeld(stage, graph, group.start, group.stop),
    foldable: true,
    start: group.start,
    stop: group.stop,
  };
}

/** More arguments with fixed values than this share one box. */
const MOST_FIXED = 4;

/** The arguments whose values are fixed in the program: `mode='train'`. */
export function fixedItems({ call }: Stage): Item[] {
  const fixed = call?.fixed ?? [];
  const item = (label: string, type: string, index: number): Item => ({
    ...PLAIN_ITEM,
    id: binderId(ROOT, 'fixed', index),
    kind: 'fixed',
    label,
    type,
    start: 0,
    stop: 0,
  });
  if (fixed.length <= MOST_FIXED)
    return fixed.map(({ path, text, kind }, index) => item(`${path}=${text}`, kind, index));
  const kinds = [...new Set(fixed.map(({ kind }) => kind))].join(', ');
  return [item(`${fixed[0]!.path}, … ${fixed.length - 1} more`, kinds, 0)];
}

const BINDER_KIND = { in: 'input', out: 'output', const: 'const', fixed: 'fixed' } as const;

/** The unusual ways in which arguments are passed or results returned: `donated · P('data')`. */
function passedHow({ call, graphs }: Stage, path: Id, binder: Binder, some: number[]): string {
  if (!call || path !== ROOT || binder === 'const') return '';
  const before = binder === 'in' ? 0 : (graphs[0]?.invars.length ?? 0);
  const all = binder === 'in' ? some.filter((one) => call.donated.includes(one)).length : 0;
  const specs = new Set(some.map((one) => call.shardings[before + one] ?? ''));
  const [spec = ''] = specs.size === 1 ? specs : [];
  return joined(' · ', [all === 0 ? '' : all === some.length ? 'donated' : `${all} donated`, spec]);
}

function binders(stage: Stage, graph: Graph, path: Id, binder: Binder): Item[] {
  const { vars, paths } = bindersOf(graph, binder);
  if (vars.length > MOST_BINDERS || isMoreThanRow(paths))
    return gathered(stage, graph, path, binder, '');
  return vars.map((_, index) => binderItem(stage, graph, path, binder, index));
}

/** The items for the binders below a path of a pytree. A branch with one leaf is shown as that leaf. */
function gathered(stage: Stage, graph: Graph, path: Id, binder: Binder, prefix: string): Item[] {
  const { vars, paths } = bindersOf(graph, binder);
  const all = { prefix: RESULT, leaves: paths.map((_, index) => index) };
  const isOne = binder === 'out' && nameOfBranch(stage, path, binder, all) !== RESULT;
  return branches(paths, prefix, isOne ? 0 : MOST_BELOW_ROOT).map((branch) => {
    const [only] = branch.leaves;
    if (branch.leaves.length === 1 && only !== undefined) {
      return binderItem(stage, graph, path, binder, only);
    }
    return {
      ...PLAIN_ITEM,
      id: gatheredId(path, binder, branch.prefix),
      kind: 'gathered',
      label: nameOfGathered(stage, path, binder, branch.prefix),
      detail: passedHow(stage, path, binder, branch.leaves),
      count: branch.leaves.length,
      foldable: branch.prefix !== prefix,
      start: 0,
      stop: 0,
      vars: branch.leaves.map((leaf) => vars[leaf] as number),
    };
  });
}

/** The longest constant with which a value starts, in characters. */
const LONGEST_START = 10;

/** The constants with which values of a loop or choice start, by operand: `i = 0`. Each has the id of the input of the
 * body that begins with it. */
export function startsOf(stage: Stage, graph: Graph, { id, kind, start }: Item): Map<number, Item> {
  const found = new Map<number, Item>();
  const eqn = graph.eqns[start];
  if (kind !== 'eqn' || !eqn || !isLoopOrChoice(eqn.op)) return found;
  const written = literalsOf(stage, graph);
  eqn.bodies.forEach((body, number) => {
    const path = bodyId(parse(id).path, start, number);
    body.inputs.forEach((operand, index) => {
      const variable = eqn.invars[operand] ?? -1;
      const { literal, name } = graph.vars[variable] ?? {};
      const text = literal ? shortNumber(name ?? '', LONGEST_START) : written.get(variable);
      if (text === undefined) return;
      const input = binderItem(stage, stage.graphs[body.graph]!, path, 'in', index);
      const label = `${input.label} = ${text}`;
      found.set(operand, { ...input, kind: 'fixed', label, type: '', vars: [] });
    });
  });
  return found;
}

const BINDER_PLURAL = {
  in: 'inputs',
  out: 'outputs',
  const: 'constants',
  fixed: 'fixed arguments',
} as const;

/** The user's name of a pytree in which inputs or outputs are gathered. */
export function nameOfGathered(stage: Stage, path: Id, binder: Binder, prefix: string): string {
  const graph = graphAt(stage, path);
  if (prefix === '' || !graph) return BINDER_PLURAL[binder];
  const { paths } = bindersOf(graph, binder);
  const leaves = paths.flatMap((one, index) => (within(one, prefix) ? [index] : []));
  return nameOfBranch(stage, path, binder, { prefix, leaves });
}

function binderItem(stage: Stage, graph: Graph, path: Id, binder: Binder, index: number): Item {
  const variable = bindersOf(graph, binder).vars[index] as number;
  return {
    ...PLAIN_ITEM,
    id: binderId(path, binder, index),
    kind: BINDER_KIND[binder],
    label: usersName(stage, path, binder, index) || graph.vars[variable]?.name || '_',
    detail: passedHow(stage, path, binder, [index]),
    type: typeLabel(stage, avalOf(stage, graph, variable)),
    start: 0,
    stop: 0,
    vars: [variable],
  };
}
