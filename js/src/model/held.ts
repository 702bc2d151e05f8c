import type { Eqn, Graph, Stage } from '../schema';
import { cut, labelOf } from './describe';
import type { Details } from './details';
import { ends } from './ends';
import { avalOf, totals } from './graph';
import { type Binder, bodyId, eqnId, groupId, type Id, type Step } from './ids';
import { BINDER_PLURAL, bindersOf, children } from './outline';
import {
  badgeFact,
  capped,
  code,
  count,
  type Fact,
  fromParts,
  linkList,
  MOST_FACTS,
  typeParts,
  userParts,
  words,
} from './parts';
import { within } from './pytree';
import { sourceOf } from './source';
import { binderLabel, bytesText, type Link, origins, users } from './values';

/** Where an item lies: the graph, its path, and the item's own id. */
export interface Here {
  stage: Stage;
  graph: Graph;
  path: Id;
  id: Id;
}

export function ofBody(
  { stage, path }: Here,
  eqn: Eqn,
  index: number,
  number: number,
): Details | null {
  const body = eqn.bodies[number];
  const graph = body && stage.graphs[body.graph];
  if (!body || !graph) return null;
  const inner = bodyId(path, index, number);
  const inputs = graph.invars.map((variable) => ({
    name: `in ${graph.vars[variable]?.name ?? '_'}`,
    value: [
      ...typeParts(stage, graph, variable),
      ...fromParts(origins(stage, inner, variable).slice(1)),
    ],
  }));
  return {
    title: `${body.label} of ${labelOf(eqn)}`,
    facts: [
      { name: 'holds', value: [words(count(totals(stage)[body.graph] ?? 0, 'eqn'))] },
      ...capped(inputs, 'input'),
      ...graph.outvars.slice(0, MOST_FACTS).map((variable) => ({
        name: `out ${graph.vars[variable]?.name ?? '_'}`,
        value: typeParts(stage, graph, variable),
      })),
      ...badgeFact('effects', graph.effects),
    ],
    source: sourceOf(stage, eqnId(path, index)),
  };
}

export function ofGroup({ stage, graph, path, id }: Here, index: number): Details | null {
  const group = graph.groups[index];
  if (!group) return null;
  const { used, made } = ends(stage, id);
  const eqns = children(stage, id).reduce((sum, item) => sum + Math.max(1, item.count), 0);
  return {
    title: group.name,
    facts: [
      {
        name: 'holds',
        value: [words(`${count(eqns, 'eqn')}, a ${GROUP_KIND.get(group.kind) ?? group.kind}`)],
      },
      ...partFacts(graph.groups, path, index),
      {
        name: `${count(used.length, 'value')} in`,
        value: linkList(distinct(used.flatMap((one) => origins(stage, path, one).slice(0, 1)))),
      },
      {
        name: `${count(made.length, 'value')} out`,
        value: linkList(distinct(made.flatMap((one) => users(stage, path, one)))),
      },
    ].filter((fact) => fact.value.length > 0),
    source: sourceOf(stage, id),
  };
}

const GROUP_KIND = new Map([
  ['scope', 'name scope'],
  ['call', 'function on the call stack'],
  ['section', 'section cut where few values cross'],
]);

/** Its part in a training step, with the groups that are its counterparts there. */
function partFacts(groups: Graph['groups'], path: Id, index: number): Fact[] {
  const { role, twin } = groups[index] as Graph['groups'][0];
  const link = (one: number): Link => {
    const { name, role: part } = groups[one] as Graph['groups'][0];
    return { text: part === '' ? name : `${name} (${part})`, id: groupId(path, one) };
  };
  const others = groups.flatMap((other, one) => (other.twin === index ? [link(one)] : []));
  const twins = twin === null ? others : [link(twin), ...others];
  return [
    ...(role === '' ? [] : [{ name: 'part', value: [words(role)] }]),
    ...(twins.length === 0 ? [] : [{ name: 'belongs with', value: linkList(twins) }]),
  ];
}

function distinct(found: Link[]): Link[] {
  return [...new Map(found.map((one) => [one.id, one])).values()];
}

export function ofBinders(here: Here, step: Step): Details | null {
  if (step.kind === 'gathered') return ofGathered(here, step.binder, step.prefix);
  if (step.kind !== 'binder') return null;
  const { stage, graph, path } = here;
  const { vars, paths } = bindersOf(graph, step.binder);
  const variable = vars[step.index];
  if (variable === undefined) return null;
  const { bytes } = avalOf(stage, graph, variable);
  const name = graph.vars[variable]?.name ?? '_';
  const outer = origins(stage, path, variable);
  const flow = step.binder === 'out' ? fromParts(outer) : userParts(users(stage, path, variable));
  const label = binderLabel(paths, step.binder, step.index);
  return {
    title: paths[step.index] ? label : `${label} ${name}`,
    facts: [
      ...(paths[step.index] ? [{ name: 'printed as', value: [code(name)] }] : []),
      { name: 'type', value: typeParts(stage, graph, variable) },
      ...(bytes === null ? [] : [{ name: 'size', value: [words(bytesText(bytes))] }]),
      ...(step.binder === 'out' || outer.length < 2
        ? []
        : [{ name: 'fed by', value: fromParts(outer.slice(1)) }]),
      { name: step.binder === 'out' ? 'made by' : 'used by', value: flow },
    ],
    source: null,
  };
}

function ofGathered(here: Here, binder: Binder, prefix: string): Details {
  const { stage, graph, id } = here;
  const { vars, paths } = bindersOf(graph, binder);
  const leaves = vars.filter((_, index) => within(paths[index] ?? '', prefix));
  const bytes = leaves.reduce((sum, leaf) => sum + (avalOf(stage, graph, leaf).bytes ?? 0), 0);
  const held = children(stage, id).map((item) => ({ text: cut(item.label, 40), id: item.id }));
  return {
    title: prefix === '' ? BINDER_PLURAL[binder] : prefix,
    facts: [
      { name: 'size', value: [words(`${count(leaves.length, 'array')}, ${bytesText(bytes)}`)] },
      { name: 'holds', value: linkList(held) },
    ],
    source: null,
  };
}
