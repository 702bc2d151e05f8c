/** The colours of dtypes: what most of a box has, which eqns are casts, and which of these the
 * layers like their own do not make. */
import { __ } from '../../language';
import type { Aval, Graph, Stage } from '../../schema';
import { isCast, shortDtype, straysIn } from '../casts';
import { censusOf, countedIn, heldBy } from '../census';
import { numbersOf } from '../linked/origins';
import type { ColourClass, Scheme } from './colour-schemes';

/** The dtypes that share a colour, the widest float first. The last takes all that the others do
 * not. */
export const DTYPES: readonly { name: string; about: () => string; holds: RegExp }[] = [
  { name: 'f64', about: () => __('float64 and complex128'), holds: /^(float64|complex128)$/ },
  { name: 'f32', about: () => __('float32 and complex64'), holds: /^(float32|complex64)$/ },
  { name: 'f16', about: () => __('bfloat16 and float16'), holds: /^(bfloat16|float16)$/ },
  { name: 'f8', about: () => __('Floats of 8 bits and less'), holds: /^float[4-8]_/ },
  { name: 'int', about: () => __('Integers of any width'), holds: /^u?int\d+$/ },
  { name: 'bool', about: () => __('Booleans'), holds: /^bool$/ },
  {
    name: 'opaque',
    about: () => __('Random keys, tokens and other types that are not numbers'),
    holds: /(?:)/,
  },
];

/** The index in `DTYPES` of a value. */
const dtypeOf = ({ dtype }: Aval): number => DTYPES.findIndex(({ holds }) => holds.test(dtype));

/** The classes after those of dtypes: casts, those that siblings do not make, and boxes that are
 * open. */
const CAST = DTYPES.length;
const STRAY = CAST + 1;
const OPEN = STRAY + 1;

/** By the dtype of results. A closed box has the class that most of what it holds has. */
export function byDtype(stage: Stage): Scheme {
  const kinds = stage.avals.map(dtypeOf);
  const last = DTYPES.length - 1;
  const ofVar = (graph: Graph, variable: number) => kinds[graph.vars[variable]?.aval ?? -1] ?? last;
  const ofEqn = (graph: Graph, at: number) => {
    const { op, outvars } = graph.eqns[at]!;
    if (strays.size > 0 && strays.has((firsts.get(graph) ?? 0) + at)) return STRAY;
    const isChange = isCast(op) && outvars.length > 0 && changes(stage, graph, at);
    return isChange
      ? CAST
      : outvars.reduce((first, one) => Math.min(first, ofVar(graph, one)), last);
  };
  const { starts } = numbersOf(stage);
  const strays = straysIn(stage);
  const firsts = new Map(stage.graphs.map((graph, number) => [graph, starts[number]!]));
  const classes = classesIn(stage, kinds);
  const census = censusOf(stage, classes.length, ofEqn);
  return {
    classes,
    ofEqn: (item, graph) => ofEqn(graph, item.start),
    ofBinder: ofVar,
    ofGathered: (found) => mostOf(counted(found)),
    ofHolder: (_, held) => (held ? mostOf(held) : OPEN),
    held: (item, graph) => heldBy(census, graph, item),
    all: countedIn(census),
    lengthOf: null,
    whole: '',
    countsBinders: false,
  };
}

/** Whether an eqn changes the dtype, and not a weak type alone. */
function changes({ avals }: Stage, { vars, eqns }: Graph, at: number): boolean {
  const { invars, outvars } = eqns[at]!;
  const [before, after] = [invars[0], outvars[0]].map((one) => avals[vars[one ?? -1]?.aval ?? -1]);
  return before?.dtype !== after?.dtype;
}

/** The dtype that most have; where there is none, casts. */
function mostOf(held: ArrayLike<number>): number {
  const counts = Array.from(held);
  const ofDtypes = counts.slice(0, DTYPES.length);
  const some = ofDtypes.some((count) => count > 0) ? ofDtypes : counts.slice(0, OPEN);
  return some.indexOf(Math.max(...some));
}

function counted(found: readonly number[]): number[] {
  const counts = DTYPES.map(() => 0);
  for (const one of found) counts[one]! += 1;
  return counts;
}

/** The most dtypes of one colour that the legend names. */
const MOST_NAMED = 3;

function classesIn(stage: Stage, kinds: readonly number[]): ColourClass[] {
  const names = DTYPES.map(() => new Set<string>());
  stage.avals.forEach(({ text }, at) => {
    names[kinds[at]!]?.add(shortDtype(text));
  });
  return [
    ...DTYPES.map(({ name, about }, at) => {
      const held = [...names[at]!].filter((one) => /^\w+$/.test(one));
      const label = held.length > 0 && held.length <= MOST_NAMED ? held.join(', ') : name;
      return { paint: name, label, about: about() };
    }),
    { paint: 'retyped', label: __('casts'), about: __('From one dtype to another') },
    {
      paint: 'removed',
      label: __('unlike siblings'),
      about: __('Casts to a wider float that the other layers of its kind do not make'),
      sign: '≠',
      loud: true,
    },
    { paint: 'group', label: __('groups'), about: '' },
  ];
}
