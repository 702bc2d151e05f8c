/** The details of an item, with its flops, bytes and runs, for the view and the panel's inspector.
 * `group-details.ts` makes those of groups and bodies. */
import type { Differences } from '../facts/differences';
import { calls, hiding } from '../facts/enclosing';
import { origins, unusedEqns, users } from '../facts/flow';
import { eqnAt, eqnsIn, graphAt, titleOfBody } from '../facts/graph';
import { bodyId, eqnOfStep, type Id, parse } from '../facts/ids';
import {
  costOf,
  isLoop,
  isMeasured,
  type Runs,
  runsOf,
  UNKNOWN_COST,
  wholeOf,
} from '../facts/numbers/costs';
import { secondsOf, sumsAreLeast, wholeSeconds } from '../facts/numbers/measured';
import { functionIn, workOf, workTexts } from '../facts/numbers/work';
import { pathShown } from '../facts/short-text/names';
import { sourceOf } from '../facts/source';
import {
  atLeast,
  flopsText,
  intensity,
  percentText,
  primitiveOf,
  ratioText,
  shareOf,
  sizeText,
  timeText,
  unreported,
} from '../facts/text/describe';
import { sentenceText } from '../facts/text/sentence-text';
import { __, _n, thousands } from '../language';
import { OPERANDS } from '../ops';
import type { Cost, Eqn, Graph, Stage } from '../schema';
import { differenceFacts } from './difference-words';
import {
  badgeFact,
  capped,
  code,
  type Details,
  eqnsText,
  type Fact,
  fromParts,
  type ItemPlace,
  link,
  linkList,
  nameOf,
  type Part,
  typeParts,
  userParts,
  words,
} from './fact-parts';
import { exchangeFacts, ofBinders, ofBody, ofGroup } from './group-details';

/** The details of an item; null for an unknown id. In a comparison they contain the differences and
 * no costs, because the costs of two programs together say little. */
export function detailsOf(
  stage: Stage,
  id: Id,
  differences: Differences | null = null,
): Details | null {
  const details = detailsWithoutCosts(stage, id);
  if (!details || !differences) {
    return details && { ...details, facts: [...details.facts, ...costFacts(stage, id)] };
  }
  return { ...details, facts: [...differenceFacts(differences, stage, id), ...details.facts] };
}

function detailsWithoutCosts(stage: Stage, id: Id): Details | null {
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  if (!graph) return null;
  const place = { stage, graph, path, id };
  const eqn = step.kind === 'eqn' || step.kind === 'body' ? graph.eqns[eqnOfStep(step)] : undefined;
  if (step.kind === 'eqn') return eqn ? ofEqn(place, eqn, step.index) : null;
  if (step.kind === 'body') return eqn ? ofBody(place, eqn, step.eqn, step.index) : null;
  if (step.kind === 'group') return ofGroup(place, step.index);
  return ofBinders(place, step);
}

function ofEqn(here: ItemPlace, eqn: Eqn, index: number): Details {
  const { stage, path, id } = here;
  const scope = stage.scopes[eqn.scope] ?? '';
  return {
    title: printed(stage, here.graph, eqn),
    facts: [
      ...capped(operandFacts(here, eqn), (n) =>
        _n('and %1 more operand', 'and %1 more operands', n),
      ),
      ...capped(resultFacts(here, eqn), (n) => _n('and %1 more result', 'and %1 more results', n)),
      ...ruleFacts(eqn),
      ...paramFacts(eqn),
      ...(eqn.bodies.length === 0
        ? []
        : [{ name: __('holds'), value: bodyLinks(stage, path, eqn, index) }]),
      ...callFacts(stage, id),
      ...(eqn.own === '' ? [] : [{ name: __("XLA's own"), value: [words(sentenceText(eqn.own))] }]),
      ...unusedFact(here, index),
      ...badgeFact(__('effects'), eqn.effects),
      ...(scope === '' ? [] : [{ name: __('scope'), value: [code(scope)] }]),
    ],
    source: sourceOf(stage, id),
  };
}

const unusedFact = ({ stage, graph }: ItemPlace, index: number): Fact[] =>
  stage.kind === 'jaxpr' && unusedEqns(graph).has(index)
    ? [{ name: __('unused'), value: [words(__('no result depends on it, so XLA removes it'))] }]
    : [];

/** The functions that JAX runs in place of this one to differentiate it. */
function ruleFacts({ params }: Eqn): Fact[] {
  const rules = RULES.flatMap((name) => params.find((one) => one.name === name)?.value ?? []);
  if (rules.length === 0) return [];
  const text =
    rules.length === 1
      ? __('grad uses %1', rules[0] as string)
      : __('grad uses %1 and %2', rules[0] as string, rules[1] as string);
  return [{ name: __('derivative'), value: [words(text)] }];
}

/** The params with the functions of a custom derivative: those of a `custom_vjp`, and of a
 * `custom_jvp`. */
const RULES = ['fwd_jaxpr_thunk', 'bwd', 'jvp_jaxpr_fun'];

function paramFacts({ params }: Eqn): Fact[] {
  return params
    .filter(({ value }) => value !== 'None')
    .map(({ name, value, size }) => ({
      name,
      value: [
        code(value),
        ...(size > value.length
          ? [words(_n('(cut: %1 character in all)', '(cut: %1 characters in all)', size))]
          : []),
      ],
    }));
}

/** The most vars that are listed in the printed line of an eqn. */
const MOST_NAMES = 12;

/** The line of an eqn in the text, `i = dot_general h w`, with long lists of vars cut. */
function printed(stage: Stage, graph: Graph, eqn: Eqn): string {
  const nameOfVar = (one: number) => pathShown(stage, graph, one) ?? graph.vars[one]?.name ?? '_';
  const names = (vars: readonly number[]): string => {
    const shown = vars.slice(0, MOST_NAMES).map(nameOfVar);
    return [...shown, ...(vars.length > MOST_NAMES ? ['…'] : [])].join(' ');
  };
  const left = eqn.outvars.length === 0 ? '' : `${names(eqn.outvars)} = `;
  return `${left}${primitiveOf(eqn)} ${names(eqn.invars)}`.trimEnd();
}

function operandFacts({ stage, graph, path }: ItemPlace, eqn: Eqn): Fact[] {
  return eqn.invars.map((variable, position) => {
    const { name, literal, named = '' } = graph.vars[variable] ?? { name: '_', literal: false };
    const role = operandRole(eqn, position) || (literal ? __('literal') : __('in'));
    const letter = literal ? `${name.split(':')[0]} ${named}`.trim() : name;
    return {
      // The link names the path already.
      name: pathShown(stage, graph, variable) === undefined ? `${role} ${letter}` : role,
      value: [...typeParts(stage, graph, variable), ...fromParts(origins(stage, path, variable))],
    };
  });
}

function resultFacts({ stage, graph, path }: ItemPlace, eqn: Eqn): Fact[] {
  return eqn.outvars.map((variable, position) => ({
    name: `${resultRole(eqn, position) || __('out')} ${graph.vars[variable]?.name ?? '_'}`,
    value: [...typeParts(stage, graph, variable), ...userParts(users(stage, path, variable))],
  }));
}

/** Links to the other eqns with the same body, named by what encloses them. */
function callFacts(stage: Stage, id: Id): Fact[] {
  if (eqnAt(stage, id)?.eqn.bodies.length === 0) return [];
  const others = calls(stage, id).filter((one) => one !== id);
  const value = linkList(others.map((one) => ({ text: callName(stage, one), id: one })));
  return others.length === 0 ? [] : [{ name: __('also called'), value }];
}

function callName(stage: Stage, id: Id): string {
  const around = hiding(stage, id).at(-1);
  const name = nameOf(stage, id);
  return around === undefined ? name : __('%1 in %2', name, nameOf(stage, around));
}

function bodyLinks(stage: Stage, path: Id, eqn: Eqn, index: number): Part[] {
  return eqn.bodies.flatMap((body, number) => [
    link({ text: titleOfBody(body), id: bodyId(path, index, number) }),
    words(`(${eqnsText(stage, eqnsIn(stage, body.graph))})`),
  ]);
}

/** The names of operands whose position does not say what they are. */
const OPERAND_NAMES = new Map(
  Object.entries(OPERANDS).map(([op, names]) => [op, names.split(' ')]),
);

/** The name of an operand of an eqn; empty if it has none. */
export function operandRole({ op, roles }: Eqn, position: number): string {
  const names = OPERAND_NAMES.get(op.replace('scatter-', 'scatter_')) ?? [];
  const further = names.at(-1) === '…' ? (names.at(-2) ?? '') : '';
  const name = names[position] ?? '';
  return roles[position] || (name === '…' ? '' : name) || further;
}

/** The name of a result of an eqn; empty if it has none. */
export function resultRole({ op, roles }: Eqn, position: number): string {
  if (position < roles.filter((role) => role === 'carry').length) return 'carry';
  return op === 'scan' ? 'ys' : '';
}

/** The facts on flops, bytes and runs of an item; empty if the program has no costs. */
export function costFacts(stage: Stage, id: Id): Fact[] {
  const cost = costOf(stage, id);
  if (cost === null || !(isMeasured(stage) || stage.times)) return [];
  const amounts = isMeasured(stage) ? itemAmounts(stage, id, cost) : [];
  return [
    ...timeFacts(stage, id),
    ...speedFacts(stage, id, cost),
    ...amounts,
    ...exchangeFacts(stage, id),
    ...runFacts(stage, id),
  ];
}

/** The measured time of an item and its share of all measured time. */
function timeFacts(stage: Stage, id: Id): Fact[] {
  const whole = wholeSeconds(stage);
  if (whole === null) return [];
  const seconds = secondsOf(stage, id);
  if (seconds === null) return [{ name: __('time'), value: [words(unreported())] }];
  const isSum = parse(id).step.kind !== 'eqn' || (eqnAt(stage, id)?.eqn.bodies.length ?? 0) > 0;
  const least = atLeast(isSum && sumsAreLeast(stage));
  const share = shareOf(seconds, whole);
  const of =
    share === null ? [] : [words(__('(%1 of the measured time)', least + percentText(share)))];
  return [{ name: __('time'), value: [code(least + timeText(seconds)), ...of] }];
}

/** The flops and bytes per second of an instruction. Eqns have none: a fused eqn's time is only a
 * share of the time of its fusion. */
function speedFacts(stage: Stage, id: Id, { flops, bytes, least }: Cost): Fact[] {
  const seconds = stage.kind === 'hlo' ? secondsOf(stage, id) : null;
  if (!seconds) return [];
  const peak = stage.times?.peak;
  const of = (speed: number, most: number | undefined) => {
    // What is in caches is read faster than the peak of memory.
    return most ? [words(__('(%1 of the peak)', percentText(speed / most)))] : [];
  };
  const perSecond = (amount: number | null, text: typeof flopsText, most: number | undefined) =>
    amount
      ? [code(`${text(Math.round(amount / seconds), least)}/s`), ...of(amount / seconds, most)]
      : [];
  const [work, moves] = [
    perSecond(flops, flopsText, peak?.flops),
    perSecond(bytes, sizeText, peak?.bytes),
  ];
  const between = work.length > 0 && moves.length > 0 ? [words('·')] : [];
  const value = [...work, ...between, ...moves];
  return value.length === 0 ? [] : [{ name: __('speed'), value }];
}

/** The amounts of an item. They have a share only if the program's total includes them. */
function itemAmounts(stage: Stage, id: Id, cost: Cost): Fact[] {
  const { path, step } = parse(id);
  const isCounted = runsOf(stage, step.kind === 'body' ? id : path) !== null;
  const whole = isCounted ? wholeOf(stage) : UNKNOWN_COST;
  return amountFacts(cost, whole, functionIn(stage, id));
}

/** The work, bytes and intensity of a cost, each with its share of the whole. `name` is the function
 * that it has values of, if there is only one. */
export function amountFacts(cost: Cost, whole: Cost, name: string): Fact[] {
  const { bytes, least } = cost;
  const [work, ratio] = [workTexts(cost, name), intensity(cost)];
  const of = (share: number | null) =>
    share === null || share === 0 ? [] : [words(__('(%1 of the program)', percentText(share)))];
  return [
    ...(work.length === 0
      ? []
      : [
          {
            name: __('work'),
            value: [number(work.join(' + ')), ...of(shareOf(workOf(cost), workOf(whole)))],
          },
        ]),
    {
      name: __('moves'),
      value: [number(sizeText(bytes, least)), ...of(shareOf(bytes, whole.bytes))],
    },
    ...(!ratio ? [] : [{ name: __('intensity'), value: [code(intensityText(cost))] }]),
  ];
}

const number = (text: string): Part => (text === unreported() ? words(text) : code(text));

/** `0.25 flops per byte`. */
function intensityText(cost: Cost): string {
  const ratio = intensity(cost);
  return ratio === null ? unreported() : __('%1 flops per byte', ratioText(ratio));
}

/** The number of runs of an item in one run of the program, and of its bodies. */
function runFacts(stage: Stage, id: Id): Fact[] {
  const { path, step } = parse(id);
  const runs = runsOf(stage, step.kind === 'body' ? id : path);
  const eqn = step.kind === 'eqn' ? graphAt(stage, path)?.eqns[step.index] : undefined;
  const trips = eqn && isLoop(eqn) ? [words(tripsText(eqn))] : [];
  const often =
    runs === null ? [words(__('for each element, or by another rule'))] : runWords(runs);
  const value = [...often, ...trips];
  return value.length === 0 ? [] : [{ name: __('runs'), value }];
}

const runWords = ({ times, least }: Runs) =>
  times === 1 && !least ? [] : [code(`× ${atLeast(least)}${thousands(times)}`)];

const tripsText = ({ trips }: Eqn): string =>
  trips === null
    ? __('its loop: unknown number of iterations')
    : __('its loop × %1', thousands(trips));
