/** The kinds of things in records: the families of operations, the stages after a pass of XLA, and the events of a
 * log. */
import { __ } from '../language';
import { DIALECTS, type Family, OPS_OF_FAMILY, PART, TARGETS } from '../ops';
import type { Eqn, Graph, Stage } from '../schema';
import { cached } from './maps';

export type { Family };

/** All families, in the order of the legend. */
export const FAMILIES: readonly { family: Family; label: () => string; about: () => string }[] = [
  {
    family: 'contraction',
    label: () => __('contraction'),
    about: () => __('Matrix products, convolutions, factorizations'),
  },
  {
    family: 'elementwise',
    label: () => __('elementwise'),
    about: () => __('Each element by itself'),
  },
  {
    family: 'reduction',
    label: () => __('reduction'),
    about: () => __('Sums, maxima, sorts: many elements to few'),
  },
  {
    family: 'movement',
    label: () => __('movement'),
    about: () => __('Reshapes, slices, gathers, casts: no arithmetic'),
  },
  { family: 'control', label: () => __('control'), about: () => __('Loops and branches') },
  {
    family: 'call',
    label: () => __('call'),
    about: () => __('Calls of functions: jit, remat, custom derivatives'),
  },
  { family: 'random', label: () => __('random'), about: () => __('Random bits and keys') },
  { family: 'collective', label: () => __('collective'), about: () => __('Between devices') },
  {
    family: 'other',
    label: () => __('other'),
    about: () => __('Callbacks, effects, and operations that jaxviz does not know'),
  },
];

/** The family of each op that the tables list. */
const FAMILY_OF_OP = new Map<string, Family>(
  FAMILIES.flatMap(({ family }) =>
    OPS_OF_FAMILY[family].split(' ').map((name): [string, Family] => [name, family]),
  ),
);

/** The name of an op of any stage as JAX writes its primitives: `dot_general` for `stablehlo.dot_general`,
 * `all_reduce` for `all-reduce`, `all-reduce-start` and `all-reduce-done`. */
export function plainName(op: string): string {
  const cachedName = plainNames.get(op);
  if (cachedName !== undefined) return cachedName;
  if (plainNames.size >= MOST_CACHED_NAMES) plainNames.clear();
  const plain = op.replace(DIALECTS, '').replace(PART, '').replaceAll('-', '_');
  plainNames.set(op, plain);
  return plain;
}

/** Plain names by op. A program has few ops, but many eqns. */
const plainNames = new Map<string, string>();
const MOST_CACHED_NAMES = 1000;

/** The family of an op. A custom call has the family of its target, which is its name. */
export function familyOf(op: string, name = ''): Family {
  const plain = plainName(op);
  const target = plain === 'custom_call' ? TARGETS.find(([names]) => names.test(name)) : undefined;
  return target?.[1] ?? FAMILY_OF_OP.get(plain) ?? 'other';
}

/** A fusion has the first of these families that any op in it has. */
const HEAVIEST: readonly Family[] = [
  'contraction',
  'collective',
  'reduction',
  'control',
  'random',
  'other',
  'elementwise',
  'movement',
];

/** The family of an eqn. A fusion has that of the heaviest op that it was fused from. */
export function familyIn(stage: Stage, { op, name, bodies }: Eqn): Family {
  const body = op === 'fusion' ? stage.graphs[bodies[0]?.graph ?? -1] : undefined;
  return body ? familyOfFusion(body) : familyOf(op, name);
}

const familyOfFusion = cached((body: Graph): Family => {
  const families = new Set(body.eqns.map((one) => familyOf(one.op, one.name)));
  return HEAVIEST.find((one) => families.has(one)) ?? 'call';
});

/** The beginning of the kinds of stages that are the program after one of XLA's passes. */
const AFTER = 'pass ';

/** The kind of the stage after a pass, by the pass's number from 1 on; 0 is the program before the first. */
export const kindAfter = (pass: number): string => `${AFTER}${pass}`;

/** The kind of a stage for the kernel: the program after a pass is HLO. */
export const plainKind = (kind: string): string => (kind.startsWith(AFTER) ? 'hlo' : kind);

/** The kinds of events, in the order in which JAX takes a function through them. */
export const EVENT_KINDS = ['trace', 'lower', 'compile'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const isEventKind = (kind: string): boolean => EVENT_KINDS.some((one) => one === kind);
