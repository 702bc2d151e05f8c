import type { Graph, Stage } from '../../schema';
import { addTo } from '../census';
import type { Differences } from '../compared/differences';
import { graphAt } from '../graph';
import { pathOf, ROOT } from '../ids';
import { type Item, unboxed } from '../outline';
import type { ColourBy, ColourClass } from './colour-classes';
import { schemeOf } from './colour-schemes';

/** The class of each box of a picture, and what the closed ones hold of each class. */
export interface Colouring {
  by: ColourBy;
  classes: readonly ColourClass[];
  /** By box. */
  of: Uint8Array;
  /** By box: eqns of each class in a closed one that holds others, itself too; else null. */
  within: readonly (Uint32Array | null)[];
  /** By box: the share of the strip along it that is filled, 0 to 1; null where the colours do not
   * tell how much. */
  lengths: Float32Array | null;
  /** What the shares are parts of, in words; empty where the colours tell no shares. */
  whole: string;
  /** By class: eqns (by dtype, inputs and outputs too) in all that is drawn; by flops and bytes the
   * boxes that are not open. */
  counts: Uint32Array;
}

/** A box as far as its colour goes. */
export interface Drawn {
  item: Item;
  open: boolean;
}

/** Colours the boxes of a picture. Linear in the boxes and the eqns that the closed ones cover. */
export function colour(
  stage: Stage,
  boxes: readonly Drawn[],
  by: ColourBy,
  differences: Differences | null = null,
): Colouring {
  const scheme = schemeOf(stage, by, differences);
  const { classes } = scheme;
  const of = new Uint8Array(boxes.length);
  const counts = new Uint32Array(classes.length);
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
    if (held) addTo(counts, held);
    else if (scheme.held === null) counts[of[index]!]! += Number(!open);
    else if (item.kind === 'eqn') counts[scheme.ofEqn(item, graph)]! += 1;
    return held;
  });
  if (scheme.held && stage.graphs.length > 0) {
    const opened = boxes.flatMap(({ item, open }) => (open ? [item.id] : []));
    for (const item of [ROOT, ...opened].flatMap((id) => unboxed(stage, id))) {
      counts[scheme.ofEqn(item, graphAt(stage, pathOf(item.id)) as Graph)]! += 1;
    }
  }
  const { lengthOf, whole } = scheme;
  const lengths = lengthOf && Float32Array.from(boxes, ({ item }) => lengthOf(item));
  return { by, classes, of, within, lengths, whole, counts };
}

/** Whether a box is of a class or holds eqns of it. */
export function holds({ of, within }: Colouring, box: number, one: number): boolean {
  const held = within[box];
  return held ? (held[one] ?? 0) > 0 : of[box] === one;
}

/** A sign of a class, perhaps with how many are of it. */
export interface Sign {
  class: number;
  text: string;
}

/** What stands at the corner of a box: the sign of its class, or of each class that it holds. */
export function signsOf({ classes, of, within }: Colouring, box: number): Sign[] {
  const held = within[box];
  const own = of[box] ?? 0;
  return classes.flatMap(({ sign, loud }, one): Sign[] => {
    if (!loud || !sign) return [];
    if (!held) return one === own ? [{ class: one, text: sign }] : [];
    const count = held[one] ?? 0;
    return count > 0 ? [{ class: one, text: `${sign}${count.toLocaleString('en')}` }] : [];
  });
}
