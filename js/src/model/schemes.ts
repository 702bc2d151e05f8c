import type { Graph, Stage } from '../schema';
import { type Census, censusOf, heldBy } from './census';
import type { ColourBy, ColourClass } from './colours';
import { DTYPES, dtypeOf } from './dtype';
import { FAMILIES, familyOf } from './family';
import type { Item } from './outline';
import { heldScopes, MOST_SCOPES, scopeAt, scopesOf } from './scopes';

/** How a picture is coloured: the classes, and which of them each item has. */
export interface Scheme {
  classes: readonly ColourClass[];
  ofEqn(item: Item, graph: Graph): number;
  ofBinder(graph: Graph, variable: number): number;
  /** Of a group, a body or an eqn with bodies: a closed one that holds these, or an open one. */
  ofHolder(item: Item, held: Uint32Array | null): number;
  /** Eqns of each class in such an item, itself too. */
  held(item: Item, graph: Graph): Uint32Array;
  countsBinders: boolean;
}

const BINDERS: ColourClass = { paint: 'pill', label: 'inputs, outputs', about: '' };
const HOLDERS: ColourClass = { paint: 'group', label: 'groups', about: '' };

const MAKERS: Record<ColourBy, (stage: Stage) => Scheme> = {
  family: byFamily,
  dtype: byDtype,
  scope: byScope,
};

const known = new WeakMap<Stage, Map<ColourBy, Scheme>>();

export function schemeOf(stage: Stage, by: ColourBy): Scheme {
  const schemes = known.get(stage) ?? new Map<ColourBy, Scheme>();
  known.set(stage, schemes);
  const scheme = schemes.get(by) ?? MAKERS[by](stage);
  schemes.set(by, scheme);
  return scheme;
}

function byFamily(stage: Stage): Scheme {
  const classes = [
    ...FAMILIES.map(({ family, about }) => ({ paint: family, label: family, about })),
    HOLDERS,
    BINDERS,
  ];
  const index = new Map(FAMILIES.map(({ family }, at) => [family, at]));
  const holders = FAMILIES.length;
  const ofEqn = (graph: Graph, at: number) => {
    const { op, bodies } = graph.eqns[at]!;
    return index.get(familyOf(op, bodies.length)) ?? holders;
  };
  const census = censusOf(stage, classes.length, ofEqn);
  return {
    classes,
    ofEqn: (item, graph) => ofEqn(graph, item.start),
    ofBinder: () => holders + 1,
    ofHolder: ({ family }) => (family === null ? holders : (index.get(family) ?? holders)),
    held: (item, graph) => heldBy(census, graph, item),
    countsBinders: false,
  };
}

/** The widest float comes first: a closed box has the colour of the first class that it holds. */
function byDtype(stage: Stage): Scheme {
  const kinds = stage.avals.map(dtypeOf);
  const last = DTYPES.length - 1;
  const ofVar = (graph: Graph, variable: number) => kinds[graph.vars[variable]?.aval ?? -1] ?? last;
  const ofEqn = (graph: Graph, at: number) =>
    graph.eqns[at]!.outvars.reduce((first, one) => Math.min(first, ofVar(graph, one)), last);
  const classes = [
    ...DTYPES.map(({ name, about }) => ({ paint: name, label: name, about })),
    HOLDERS,
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
      { paint: 'group', label: 'elsewhere', about: 'Beside these scopes, or around several' },
      BINDERS,
    ],
    ofEqn: (item) => scopeAt(scopes, item),
    ofBinder: () => MOST_SCOPES + 1,
    ofHolder: (item) => scopeAt(scopes, item),
    held: (item) => heldScopes(stage, scopes, item, MOST_SCOPES + 2),
    countsBinders: false,
  };
}
