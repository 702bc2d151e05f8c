/** Gives each box of a picture its colour, and the legend its counts. */

import { thousands } from '../../language';
import type { Graph, Stage } from '../../schema';
import { cached } from '../cached';
import type { Differences } from '../differences';
import { graphAt } from '../graph';
import { pathOf } from '../ids';
import type { Item } from '../outline';
import {
  byFamily,
  byHeat,
  byScope,
  type ColourBy,
  type ColourClass,
  type Scheme,
} from './colour-schemes';
import { byChange } from './difference-colours';
import { byDtype } from './dtype-colours';

/** The colour class of each box, and what the legend counts. */
export interface Colouring {
  by: ColourBy;
  classes: readonly ColourClass[];
  /** For each box, the index of its class in `classes`. */
  of: Uint8Array;
  /** For each box, the eqns of each class in it, itself included, where it is closed and holds
   * others; else null. */
  within: readonly (Uint32Array | null)[];
  /** For each box, how much of the strip along it is filled, 0 to 1; null where the colours show no
   * amount. */
  lengths: Float32Array | null;
  /** The total that the filled strips are parts of, in words; empty where there are none. */
  whole: string;
  /** For each class, the number that the legend shows: eqns of the stage, and inputs and outputs
   * where these have classes of their own. For flops and bytes, boxes that are not open. */
  counts: Uint32Array;
}

/** What must be known of a box to colour it. */
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

/** The scheme of a stage, made once and kept. `differences` comes with a comparison, and is always
 * the same for one stage. */
function schemeOf(stage: Stage, by: ColourBy, differences: Differences | null): Scheme {
  const schemes = schemesOf(stage);
  const scheme = schemes.get(by) ?? MAKERS[by](stage, differences);
  schemes.set(by, scheme);
  return scheme;
}

/** Colours the boxes of a picture. Takes time linear in the boxes and in the eqns that closed boxes
 * cover. */
export function colour(
  stage: Stage,
  boxes: readonly Drawn[],
  by: ColourBy,
  differences: Differences | null = null,
): Colouring {
  const scheme = schemeOf(stage, by, differences);
  const { classes } = scheme;
  const of = new Uint8Array(boxes.length);
  const counts = Uint32Array.from(scheme.all ?? new Uint32Array(classes.length));
  const within = boxes.map(({ item, open }, index): Uint32Array | null => {
    const graph = graphAt(stage, pathOf(item.id)) as Graph;
    if (item.start === item.stop) {
      const found = item.vars.map((one) => scheme.ofBinder(graph, one));
      of[index] =
        scheme.ofGathered?.(found) ??
        found.reduce((first, one) => Math.min(first, one), classes.length - 1);
      if (!open && scheme.countsBinders) for (const one of found) counts[one]! += 1;
      return null;
    }
    const held = item.foldable && !open ? (scheme.held?.(item, graph) ?? null) : null;
    of[index] = item.foldable ? scheme.ofHolder(item, held) : scheme.ofEqn(item, graph);
    if (scheme.all === null) counts[of[index]!]! += Number(!open);
    return held;
  });
  const { lengthOf, whole } = scheme;
  const lengths = lengthOf && Float32Array.from(boxes, ({ item }) => lengthOf(item));
  return { by, classes, of, within, lengths, whole, counts };
}

/** Whether a box has a class, or holds eqns of it where it is closed. */
export function holds({ of, within }: Colouring, box: number, one: number): boolean {
  const held = within[box];
  return held ? (held[one] ?? 0) > 0 : of[box] === one;
}

/** The sign of a class, followed by a count on a box that holds several eqns. */
export interface Sign {
  class: number;
  text: string;
}

/** The signs in the corner of a box: that of its class, or of each class that it holds. */
export function signsOf({ classes, of, within }: Colouring, box: number): Sign[] {
  const held = within[box];
  const own = of[box] ?? 0;
  return classes.flatMap(({ sign, loud }, one): Sign[] => {
    if (!loud || !sign) return [];
    if (!held) return one === own ? [{ class: one, text: sign }] : [];
    const count = held[one] ?? 0;
    return count > 0 ? [{ class: one, text: `${sign}${thousands(count)}` }] : [];
  });
}
