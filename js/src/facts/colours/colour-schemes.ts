/** The ways to colour a picture: by family, dtype, scope, flops, bytes or difference.
 * `colouring.ts` applies one of them to the boxes that are drawn. */
import { __ } from '../../language';
import type { Graph, Stage } from '../../schema';
import { type Census, censusOf, heldBy } from '../census';
import type { Differences } from '../compared/differences';
import { shareOf } from '../describe';
import { FAMILIES, familyIn } from '../family';
import { costOf, UNKNOWN_COST, wholeOf } from '../numbers/costs';
import type { Item } from '../outline';
import { heldScopes, MOST_SCOPES, scopeAt, scopesOf } from '../scopes';
import { DTYPES, dtypeOf } from '../types';
import type { ColourBy, ColourClass, Scheme } from './colour-classes';
import { byChange } from './difference-colours';
import { HEATS, heatClasses, heatOf, lengthOf, type Measure, textOf } from './heat';

const binders = (): ColourClass => ({
  paint: 'pill',
  label: __('inputs, outputs'),
  about: '',
});
const holderClass = (): ColourClass => ({ paint: 'group', label: __('groups'), about: '' });

type Maker = (stage: Stage, differences: Differences | null) => Scheme;

const MAKERS: Record<ColourBy, Maker> = {
  family: byFamily,
  dtype: byDtype,
  scope: byScope,
  flops: (stage) => byHeat(stage, 'flops'),
  bytes: (stage) => byHeat(stage, 'bytes'),
  change: (stage, differences) => (differences ? byChange(stage, differences) : byFamily(stage)),
};

const known = new WeakMap<Stage, Map<ColourBy, Scheme>>();

/** The scheme of a stage, made once and kept. `differences` comes with a comparison, and is always
 * the same for one stage. */
export function schemeOf(
  stage: Stage,
  by: ColourBy,
  differences: Differences | null = null,
): Scheme {
  const schemes = known.get(stage) ?? new Map<ColourBy, Scheme>();
  known.set(stage, schemes);
  const scheme = schemes.get(by) ?? MAKERS[by](stage, differences);
  schemes.set(by, scheme);
  return scheme;
}

function byFamily(stage: Stage): Scheme {
  const classes = [
    ...FAMILIES.map(({ family, label, about }) => {
      return { paint: family, label: label(), about: about() };
    }),
    holderClass(),
    binders(),
  ];
  const index = new Map(FAMILIES.map(({ family }, at) => [family, at]));
  const holders = FAMILIES.length;
  const ofEqn = (graph: Graph, at: number) => {
    return index.get(familyIn(stage, graph.eqns[at]!)) ?? holders;
  };
  const census = censusOf(stage, classes.length, ofEqn);
  return {
    classes,
    ofEqn: (item, graph) => ofEqn(graph, item.start),
    ofBinder: () => holders + 1,
    ofHolder: ({ family }) => (family === null ? holders : (index.get(family) ?? holders)),
    held: (item, graph) => heldBy(census, graph, item),
    lengthOf: null,
    whole: '',
    countsBinders: false,
  };
}

/** By the dtype of results. The widest float is class 0: a closed box has the lowest class that it
 * holds, so that a float64 inside shows. */
function byDtype(stage: Stage): Scheme {
  const kinds = stage.avals.map(dtypeOf);
  const last = DTYPES.length - 1;
  const ofVar = (graph: Graph, variable: number) => kinds[graph.vars[variable]?.aval ?? -1] ?? last;
  const ofEqn = (graph: Graph, at: number) =>
    graph.eqns[at]!.outvars.reduce((first, one) => Math.min(first, ofVar(graph, one)), last);
  const classes = [
    ...DTYPES.map(({ name, about }) => ({ paint: name, label: name, about: about() })),
    holderClass(),
  ];
  const census: Census = censusOf(stage, classes.length, ofEqn);
  return {
    classes,
    ofEqn: (item, graph) => ofEqn(graph, item.start),
    ofBinder: ofVar,
    ofHolder(_, held) {
      const first = held?.findIndex((count) => count > 0) ?? -1;
      return first < 0 ? DTYPES.length : first;
    },
    held: (item, graph) => heldBy(census, graph, item),
    lengthOf: null,
    whole: '',
    countsBinders: true,
  };
}

function byScope(stage: Stage): Scheme {
  const scopes = scopesOf(stage);
  return {
    classes: [
      ...Array.from({ length: MOST_SCOPES }, (_, index) => ({
        paint: `scope${index + 1}`,
        label: scopes.names[index] ?? '',
        about: '',
      })),
      {
        paint: 'group',
        label: __('elsewhere'),
        about: __('Beside these scopes, or around several'),
      },
      binders(),
    ],
    ofEqn: (item) => scopeAt(scopes, item),
    ofBinder: () => MOST_SCOPES + 1,
    ofHolder: (item) => scopeAt(scopes, item),
    held: (item) => heldScopes(stage, scopes, item, MOST_SCOPES + 2),
    lengthOf: null,
    whole: '',
    countsBinders: false,
  };
}

/** By the share of the program's flops or bytes that an item has, with all it holds and all its
 * runs. */
function byHeat(stage: Stage, by: Measure): Scheme {
  const whole = wholeOf(stage);
  const costAt = (item: Item) => costOf(stage, item.id) ?? UNKNOWN_COST;
  const heat = (item: Item) => heatOf(costAt(item), whole, by);
  return {
    classes: [...heatClasses(stage, by), binders()],
    ofEqn: heat,
    ofBinder: () => HEATS.length,
    ofHolder: heat,
    held: null,
    whole: whole[by] === null ? '' : __('of %1', textOf(by)(whole[by], whole.least)),
    lengthOf: (item) =>
      item.start === item.stop ? 0 : lengthOf(shareOf(costAt(item)[by], whole[by]) ?? 0),
    countsBinders: false,
  };
}
