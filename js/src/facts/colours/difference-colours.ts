/** The colours of a comparison: each box by how it differs between the two programs. */
import { __ } from '../../language';
import type { Stage } from '../../schema';
import { countedIn } from '../census';
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
import type { Item } from '../outline';
import type { ColourClass, Scheme } from './colour-schemes';

/** Inputs and results that differ have classes of their own after those of eqns, so that the legend
 * counts them apart. */
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

/** Colours each eqn by its kind of difference; what is the same in both programs keeps a quiet
 * colour. */
export function byChange(stage: Stage, differences: Differences): Scheme {
  const ends = endsOf(stage, differences);
  const all = classes();
  const eqns = countedIn(differences.census);
  return {
    classes: all,
    ofEqn: (item, graph) => kindAt(differences, graph, item.start),
    ofBinder: (graph, variable) =>
      (graph === stage.graphs[0] ? ends.get(variable) : undefined) ?? OTHER_ENDS,
    ofGathered([first = OTHER_ENDS, ...others]) {
      return others.every((other) => other === first) ? first : ENDS + CHANGED;
    },
    ofHolder: (item, held) =>
      held ? kindOfItem(differences, stage, item) : kindOfOpen(differences, stage, item),
    held(item) {
      const held = new Uint32Array(all.length);
      held.set(kindsIn(differences, stage, item));
      return held;
    },
    all: Uint32Array.from(all, (_, one) => eqns[one] ?? 0),
    lengthOf: null,
    whole: '',
    countsBinders: true,
  };
}

/** For each input and result that differs, its class by its var. */
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

/** An open box has its own kind of difference, or that of its contents where all of them were added
 * or removed. Otherwise its contents are in view and show how they differ. */
function kindOfOpen(differences: Differences, stage: Stage, item: Item): number {
  const own = numberOf(markOf(differences, stage, item.id)?.kind ?? '');
  if (own !== SAME) return own;
  const held = kindOfItem(differences, stage, item);
  return held === ADDED || held === REMOVED ? held : SAME;
}
