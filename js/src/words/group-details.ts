/** The details of a body, a group, an input or an output. */
import { binderLabel, ends, type Link, nearestOrigin, origins, users } from '../facts/flow';
import { avalOf, bindersOf, eqnAt, eqnsHeld, eqnsIn, titleOfBody, usersName } from '../facts/graph';
import { type Binder, bodyId, eqnId, groupId, type Id, type Step } from '../facts/ids';
import { runsOf } from '../facts/numbers/costs';
import { exchangeOf, sentWithin } from '../facts/numbers/exchanges';
import { children, fixedItems, nameOfGathered } from '../facts/outline';
import { sourceOf } from '../facts/source';
import { bytesText, cut, labelOf, sizeText } from '../facts/text/describe';
import { timesOf } from '../facts/text/detail';
import { within } from '../facts/text/pytree';
import { sentenceText } from '../facts/text/sentence-text';
import { __, _n, thousands } from '../language';
import type { Collective, Eqn, Graph, Stage } from '../schema';
import {
  badgeFact,
  capped,
  code,
  type Details,
  eqnsText,
  type Fact,
  fromParts,
  type ItemPlace,
  linkList,
  typeParts,
  userParts,
  words,
} from './fact-parts';

export function ofBody(
  { stage, path }: ItemPlace,
  eqn: Eqn,
  index: number,
  number: number,
): Details | null {
  const body = eqn.bodies[number];
  const graph = body && stage.graphs[body.graph];
  if (!body || !graph) return null;
  const inner = bodyId(path, index, number);
  const inputs = graph.invars.map((variable) => ({
    name: __('in %1', graph.vars[variable]?.name ?? '_'),
    value: [
      ...typeParts(stage, graph, variable),
      ...fromParts(originsOutside(stage, inner, variable)),
    ],
  }));
  const outputs = graph.outvars.map((variable) => ({
    name: __('out %1', graph.vars[variable]?.name ?? '_'),
    value: [
      ...typeParts(stage, graph, variable),
      ...fromParts(nearestOrigin(stage, inner, variable)),
    ],
  }));
  return {
    title: __('%1 of %2', titleOfBody(body), labelOf(eqn)),
    facts: [
      { name: __('holds'), value: [words(eqnsText(stage, eqnsIn(stage, body.graph)))] },
      ...capped(inputs, (n) => _n('and %1 more input', 'and %1 more inputs', n)),
      ...capped(outputs, (n) => _n('and %1 more output', 'and %1 more outputs', n)),
      ...badgeFact(__('effects'), graph.effects),
    ],
    source: sourceOf(stage, eqnId(path, index)),
  };
}

/** The origins of an input outside its graph. The nearest origin is the input itself. */
const originsOutside = (stage: Stage, path: Id, variable: number): Link[] =>
  origins(stage, path, variable).slice(1);

export function ofGroup({ stage, graph, path, id }: ItemPlace, index: number): Details | null {
  const group = graph.groups[index];
  if (!group) return null;
  const { used, made } = ends(stage, id);
  const eqns = eqnsText(stage, eqnsHeld(stage, graph, group.start, group.stop));
  return {
    title: group.name,
    facts: [
      {
        name: __('holds'),
        value: [
          words(group.kind === 'section' ? __('%1, cut where few values cross', eqns) : eqns),
        ],
      },
      ...(group.unlike?.text
        ? [{ name: __('unlike siblings'), value: [words(sentenceText(group.unlike))] }]
        : []),
      ...nameFacts(group),
      ...(group.loop === ''
        ? []
        : [
            {
              name: __('Python loop'),
              value: [words(timesOf(graph, index))],
            },
          ]),
      ...partFacts(graph.groups, path, index),
      {
        name: _n('%1 value in', '%1 values in', used.length),
        value: linkList(distinct(used.flatMap((one) => nearestOrigin(stage, path, one)))),
      },
      {
        name: _n('%1 value out', '%1 values out', made.length),
        value: linkList(distinct(made.flatMap((one) => users(stage, path, one)))),
      },
    ].filter((fact) => fact.value.length > 0),
    source: sourceOf(stage, id),
  };
}

/** The sources of a group's name. */
const NAMED_BY = new Map([
  ['scope', () => __('a name scope')],
  ['function', () => __('a function on the call stack')],
  ['library', () => __("a library's function on the call stack")],
  ['rule', () => __('the function with the rule of its derivative')],
  ['argument', () => __('the argument that it uses')],
  ['line', () => __('its source lines')],
  ['operation', () => __('its operations')],
]);

function nameFacts({ named_by: source = '' }: Graph['groups'][0]): Fact[] {
  const text = NAMED_BY.get(source)?.();
  return text === undefined ? [] : [{ name: __('named after'), value: [words(text)] }];
}

/** The part of a training step that a group belongs to, with links to its counterparts. */
function partFacts(groups: Graph['groups'], path: Id, index: number): Fact[] {
  const { role, twin } = groups[index] as Graph['groups'][0];
  const link = (one: number): Link => {
    const { name, role: part } = groups[one] as Graph['groups'][0];
    return { text: part === '' ? name : `${name} (${part})`, id: groupId(path, one) };
  };
  const others = groups.flatMap((other, one) => (other.twin === index ? [link(one)] : []));
  const counterparts = twin === null ? others : [link(twin), ...others];
  return [
    ...(role === '' ? [] : [{ name: __('part of the step'), value: [words(role)] }]),
    ...(counterparts.length === 0
      ? []
      : [{ name: __('belongs with'), value: linkList(counterparts) }]),
  ];
}

function distinct(found: Link[]): Link[] {
  return [...new Map(found.map((one) => [one.id, one])).values()];
}

export function ofBinders(here: ItemPlace, step: Step): Details | null {
  if (step.kind === 'gathered') return ofGathered(here, step.binder, step.prefix);
  if (step.kind !== 'binder') return null;
  if (step.binder === 'fixed') return ofFixed(here.stage, step.index);
  const { stage, graph, path } = here;
  const { vars, paths } = bindersOf(graph, step.binder);
  const variable = vars[step.index];
  if (variable === undefined) return null;
  const { bytes } = avalOf(stage, graph, variable);
  const name = graph.vars[variable]?.name ?? '_';
  const isOutput = step.binder === 'out';
  const outside = isOutput ? [] : originsOutside(stage, path, variable);
  const flow = isOutput
    ? fromParts(origins(stage, path, variable))
    : userParts(users(stage, path, variable));
  const label = binderLabel(stage, path, step.binder, step.index);
  return {
    title: usersName(stage, path, step.binder, step.index) ? label : `${label} ${name}`,
    facts: [
      ...(isOutput || paths[step.index] ? [{ name: __('printed as'), value: [code(name)] }] : []),
      { name: __('type'), value: typeParts(stage, graph, variable) },
      ...(bytes === null ? [] : [{ name: __('size'), value: [words(bytesText(bytes))] }]),
      ...(outside.length === 0 ? [] : [{ name: __('fed by'), value: fromParts(outside) }]),
      { name: isOutput ? __('made by') : __('used by'), value: flow },
    ],
    source: null,
  };
}

/** The arguments of a box of fixed arguments, with their values. */
function ofFixed(stage: Stage, index: number): Details | null {
  const item = fixedItems(stage)[index];
  const all = stage.call?.fixed ?? [];
  const own = fixedItems(stage).length < all.length ? all : all.slice(index, index + 1);
  if (!item) return null;
  const facts = own.map(({ path, text, kind }) => ({
    name: path,
    value: [code(text), words(kind === 'static' ? __('static') : __('constant'))],
  }));
  return {
    title: item.label,
    facts: [
      ...capped(facts, (n) => _n('and %1 more argument', 'and %1 more arguments', n)),
      { name: __('used by'), value: [words(FIXED())] },
    ],
    source: null,
  };
}

const FIXED = () =>
  __('no eqn: the value is fixed in the program, so another value makes another program');

const arraysText = (arrays: number): string => _n('%1 array', '%1 arrays', arrays);

function ofGathered(here: ItemPlace, binder: Binder, prefix: string): Details {
  const { stage, graph, path, id } = here;
  const { vars, paths } = bindersOf(graph, binder);
  const leaves = vars.filter((_, index) => within(paths[index] ?? '', prefix));
  const bytes = leaves.reduce((sum, leaf) => sum + (avalOf(stage, graph, leaf).bytes ?? 0), 0);
  const items = children(stage, id).map((item) => ({ text: cut(item.label, 40), id: item.id }));
  return {
    title: nameOfGathered(stage, path, binder, prefix),
    facts: [
      { name: __('size'), value: [words(`${arraysText(leaves.length)}, ${bytesText(bytes)}`)] },
      { name: __('holds'), value: linkList(items) },
    ],
    source: null,
  };
}

/** The bytes that each device sends for an item in all its runs, and the mesh axes. For an eqn that
 * sends them itself, also the number of devices. Empty if nothing is sent. */
export function exchangeFacts(stage: Stage, id: Id): Fact[] {
  const place = eqnAt(stage, id);
  const found = place && exchangeOf(stage, place.eqn);
  if (!found) return totalFacts(stage, id);
  const runs = runsOf(stage, place.path) ?? { times: 1, least: true };
  const sent = found.sent === null ? null : found.sent * runs.times;
  const size = sizeText(sent, runs.least && sent !== null);
  return [
    {
      name: __('each device sends'),
      value: [sent === null ? words(size) : code(size), words(`(${exchangeText(found)})`)],
    },
    ...(found.cause === '' ? [] : [{ name: __('because'), value: [words(causeOf(found))] }]),
  ];
}

/** The bytes that are sent within an item, a fact for each set of axes. */
function totalFacts(stage: Stage, id: Id): Fact[] {
  const sent = [...sentWithin(stage, id)].filter(([, { bytes, least }]) => bytes > 0 || least);
  return sent.map(([axes, { bytes, least }]) => ({
    name: __('each device sends'),
    value: [
      code(sizeText(bytes === 0 ? null : bytes, least)),
      ...(axes === '' ? [] : [words(__('along %1', axes))]),
    ],
  }));
}

const causeOf = ({ cause }: Collective): string => sentenceText(cause);

function exchangeText({ kind, axes, devices }: Collective): string {
  if (devices === null) return kind;
  const whole =
    kind === 'permute'
      ? __('%1, sent by %2', kind, thousands(devices))
      : __('%1 in groups of %2', kind, thousands(devices));
  return axes.length === 0 ? whole : __('%1, along %2', whole, axes.join(', '));
}
