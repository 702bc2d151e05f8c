/** Gives each box of a picture its colour, by dtype, by difference or by another scheme, and the legend its counts. */
import { __, thousands } from '../../language';
import type { Graph, Stage } from '../../schema';
import {
  ADDED,
  CHANGED,
  changesAt,
  DIFFERENCE_KINDS,
  type Differences,
  kindAt,
  kindOfEnds,
  kindOfItem,
  kindsIn,
  markOf,
  numberOf,
  REMOVED,
  RETYPED,
  SAME,
} from '../differences';
import { graphAt } from '../graph';
import { pathOf } from '../ids';
import { numbersOf } from '../linked/origins';
import { cached } from '../maps';
import type { Item } from '../outline';
import { isCast, outliersIn, shortDtype } from './casts';
import { censusOf, countsIn, countsOfStage } from './census';
import {
  byFamily,
  byHeat,
  byScope,
  type ColourBy,
  type ColourClass,
  type Scheme,
} from './colour-schemes';

/** The colour class of each box, and the counts of the legend. */
export interface Colouring {
  by: ColourBy;
  classes: readonly ColourClass[];
  /** For each box, the index of its class in `classes`. */
  of: Uint8Array;
  /** For each closed box with contents, the number of eqns of each class in it, itself included; null for any other
   * box. */
  within: readonly (Uint32Array | null)[];
  /** For each box, the filled share of the strip along it, 0 to 1; null if the colours show no amount. */
  lengths: Float32Array | null;
  /** The total whose shares the strips show, in words; empty if there is none. */
  whole: string;
  /** For each class, the number in the legend: eqns of the stage, and inputs and outputs if these have classes of
   * their own. For flops and bytes, the boxes that are not open. */
  counts: Uint32Array;
}

/** The properties of a box that its colour depends on. */
export interface Drawn {
  item: Item;
  open: boolean;
}

type Maker = (stage: Stage, differences: Differences | null) => Scheme;

const MAKERS: Record<ColourBy, Maker> = {
  family: byFamily,
  dtype: byDtype,
  scope: byScope,
  flops: (stage) => byHeat(stage, 'flops'),
  bytes: (stage) => byHeat(stage, 'bytes'),
  time: (stage) => byHeat(stage, 'time'),
  change: (stage, differences) => (differences ? byChange(stage, differences) : byFamily(stage)),
};

const schemesOf = cached((_: Stage) => new Map<ColourBy, Scheme>());

/** The scheme of a stage, made once. `differences` comes with a comparison, and is always the same for one stage. */
function schemeOf(stage: Stage, by: ColourBy, differences: Differences | null): Scheme {
  const schemes = schemesOf(stage);
  const scheme = schemes.get(by) ?? MAKERS[by](stage, differences);
  schemes.set(by, scheme);
  return scheme;
}

/** Colours the boxes of a picture, in time linear in the boxes and in the eqns of closed boxes. */
export function colour(
  stage: Stage,
  boxes: readonly Drawn[],
  by: ColourBy,
  differences: Differences | null = null,
): Colouring {
  const scheme = schemeOf(stage, by, differences);
  const { classes } = scheme;
  const of = new Uint8Array(boxes.length);
  const legend = Uint32Array.from(scheme.all ?? new Uint32Array(classes.length));
  const within = boxes.map(({ item, open }, index): Uint32Array | null => {
    const graph = graphAt(stage, pathOf(item.id)) as Graph;
    if (item.start === item.stop) {
      const found = item.vars.map((one) => scheme.ofBinder(graph, one));
      of[index] =
        scheme.ofGathered?.(found) ??
        found.reduce((first, one) => Math.min(first, one), classes.length - 1);
      if (!open && scheme.countsBinders) for (const one of found) legend[one]! += 1;
      return null;
    }
    const counts = item.foldable && !open ? (scheme.countsOf?.(item, graph) ?? null) : null;
    of[index] = item.foldable ? scheme.ofHolder(item, counts) : scheme.ofEqn(item, graph);
    if (scheme.all === null) legend[of[index]!]! += Number(!open);
    return counts;
  });
  const { lengthOf, whole } = scheme;
  const lengths = lengthOf && Float32Array.from(boxes, ({ item }) => lengthOf(item));
  return { by, classes, of, within, lengths, whole, counts: legend };
}

/** True if a box has a class, or if it is closed and contains eqns of it. */
export function holds({ of, within }: Colouring, box: number, one: number): boolean {
  const counts = within[box];
  return counts ? (counts[one] ?? 0) > 0 : of[box] === one;
}

/** The sign of a class, with a count on a box that contains several eqns. */
export interface Sign {
  class: number;
  text: string;
}

/** The signs in the corner of a box: that of its class, or those of all classes in it. */
export function signsOf({ classes, of, within }: Colouring, box: number): Sign[] {
  const counts = within[box];
  const own = of[box] ?? 0;
  return classes.flatMap(({ sign, loud }, one): Sign[] => {
    if (!loud || !sign) return [];
    if (!counts) return one === own ? [{ class: one, text: sign }] : [];
    const count = counts[one] ?? 0;
    return count > 0 ? [{ class: one, text: `${sign}${thousands(count)}` }] : [];
  });
}

/** Inputs and results that differ have classes of their own after those of eqns, so that the legend counts them
 * separately. */
const ENDS = SAME + 1;
const OTHER_ENDS = ENDS + RETYPED;

/** The dashes of the line around boxes of each kind, px; empty is a solid line. */
const DASHES: readonly (readonly number[])[] = [[], [5, 3], [], [7, 2, 2, 2], [1.5, 2.5]];

const classes = (): readonly ColourClass[] => [
  ...DIFFERENCE_KINDS.map(({ kind, sign, label, about }, number) => ({
    paint: kind,
    label: label(),
    about: about(),
    sign,
    loud: number < RETYPED,
    dash: DASHES[number] ?? [],
  })),
  { paint: 'same', label: __('same'), about: __('In both programs'), dash: [] },
  ...DIFFERENCE_KINDS.slice(0, RETYPED).map(({ kind, sign, label }, number) => ({
    paint: kind,
    label: __('inputs, results %1', label()),
    about: '',
    sign,
    loud: true,
    dash: DASHES[number] ?? [],
  })),
  { paint: 'pill', label: __('other inputs, results'), about: '', dash: [] },
];

/** Colours each eqn by its kind of difference. What both programs share keeps a quiet colour. */
function byChange(stage: Stage, differences: Differences): Scheme {
  const ends = endsOf(stage, differences);
  const all = classes();
  const eqns = countsOfStage(differences.census);
  return {
    classes: all,
    ofEqn: (item, graph) => kindAt(differences, graph, item.start),
    ofBinder: (graph, variable) =>
      (graph === stage.graphs[0] ? ends.get(variable) : undefined) ?? OTHER_ENDS,
    ofGathered([first = OTHER_ENDS, ...others]) {
      return others.every((other) => other === first) ? first : ENDS + CHANGED;
    },
    ofHolder: (item, counts) =>
      counts ? kindOfItem(differences, stage, item) : kindOfOpen(differences, stage, item),
    countsOf(item) {
      const counts = new Uint32Array(all.length);
      counts.set(kindsIn(differences, stage, item));
      return counts;
    },
    all: Uint32Array.from(all, (_, one) => eqns[one] ?? 0),
    lengthOf: null,
    whole: '',
    countsBinders: true,
  };
}

/** The class of each input and result that differs, by its var. */
function endsOf(stage: Stage, differences: Differences): Map<number, number> {
  const graph = graphAt(stage, '');
  const ends = new Map<number, number>();
  const set = (vars: readonly number[], paths: readonly string[]) =>
    vars.forEach((variable, index) => {
      const kind = kindOfEnds(changesAt(differences, paths[index] ?? ''));
      if (kind !== SAME) ends.set(variable, ENDS + kind);
    });
  set(graph?.outvars ?? [], graph?.results ?? []);
  set(graph?.invars ?? [], graph?.args ?? []);
  return ends;
}

/** The kind of difference of an open box: its own, or that of its contents if all of them were added or removed. In
 * all other cases its visible contents show how they differ. */
function kindOfOpen(differences: Differences, stage: Stage, item: Item): number {
  const own = numberOf(markOf(differences, stage, item.id)?.kind ?? '');
  if (own !== SAME) return own;
  const inner = kindOfItem(differences, stage, item);
  return inner === ADDED || inner === REMOVED ? inner : SAME;
}

/** The dtypes that share a colour, the widest float first. The last takes all dtypes that match no other. */
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

/** The classes after those of dtypes: casts, outliers among them, and open boxes. */
const CAST = DTYPES.length;
const OUTLIER = CAST + 1;
const OPEN = OUTLIER + 1;

/** By the dtype of results. A closed box has the most frequent class in it. */
export function byDtype(stage: Stage): Scheme {
  const kinds = stage.avals.map(({ dtype }) => DTYPES.findIndex(({ holds }) => holds.test(dtype)));
  const last = DTYPES.length - 1;
  const ofVar = (graph: Graph, variable: number) => kinds[graph.vars[variable]?.aval ?? -1] ?? last;
  const ofEqn = (graph: Graph, at: number) => {
    const { op, outvars } = graph.eqns[at]!;
    if (outliers.size > 0 && outliers.has((firsts.get(graph) ?? 0) + at)) return OUTLIER;
    const isChange = isCast(op) && outvars.length > 0 && changes(stage, graph, at);
    return isChange
      ? CAST
      : outvars.reduce((first, one) => Math.min(first, ofVar(graph, one)), last);
  };
  const { starts } = numbersOf(stage);
  const outliers = outliersIn(stage);
  const firsts = new Map(stage.graphs.map((graph, number) => [graph, starts[number]!]));
  const classes = classesIn(stage, kinds);
  const census = censusOf(stage, classes.length, ofEqn);
  return {
    classes,
    ofEqn: (item, graph) => ofEqn(graph, item.start),
    ofBinder: ofVar,
    ofGathered: (found) => mostOf(counted(found)),
    ofHolder: (_, counts) => (counts ? mostOf(counts) : OPEN),
    countsOf: (item, graph) => countsIn(census, graph, item),
    all: countsOfStage(census),
    lengthOf: null,
    whole: '',
    countsBinders: false,
  };
}

/** True if an eqn changes the dtype, and not only a weak type. */
function changes({ avals }: Stage, { vars, eqns }: Graph, at: number): boolean {
  const { invars, outvars } = eqns[at]!;
  const [before, after] = [invars[0], outvars[0]].map((one) => avals[vars[one ?? -1]?.aval ?? -1]);
  return before?.dtype !== after?.dtype;
}

/** The most frequent dtype; if there is none, casts. */
function mostOf(counts: ArrayLike<number>): number {
  const all = Array.from(counts);
  const ofDtypes = all.slice(0, DTYPES.length);
  const some = ofDtypes.some((count) => count > 0) ? ofDtypes : all.slice(0, OPEN);
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
      const shown = [...names[at]!].filter((one) => /^\w+$/.test(one));
      const label = shown.length > 0 && shown.length <= MOST_NAMED ? shown.join(', ') : name;
      return { paint: name, label, about: about() };
    }),
    { paint: 'retyped', label: __('casts'), about: __('From one dtype to another') },
    {
      paint: 'removed',
      label: __('unlike siblings'),
      about: __('Casts to a wider float that similar layers do not make'),
      sign: '≠',
      loud: true,
    },
    { paint: 'group', label: __('groups'), about: '' },
  ];
}
