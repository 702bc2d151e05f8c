import type { Stage } from '../../schema';
import type { Item } from '../outline';
import type { Scheme } from '../schemes';
import { type Differences, differing, kindAt, kindOfItem, kindsIn, markOf } from './differences';
import { ADDED, KINDS, numberOf, REMOVED, RETYPED, SAME } from './kinds';

const [DIFFERS, PILL] = [SAME + 1, SAME + 2];

/** How the lines around boxes of a kind are broken, px; none is. */
const DASHES: readonly (readonly number[])[] = [[], [5, 3], [], [1.5, 2.5]];

/** By what became of each eqn. What is the same in both is quiet. */
export function byChange(stage: Stage, differences: Differences): Scheme {
  const classes = [
    ...KINDS.map(({ kind, sign, label, about }, index) => ({
      paint: kind,
      label,
      about,
      sign,
      loud: index < RETYPED,
      dash: DASHES[index] ?? [],
    })),
    { paint: 'same', label: 'same', about: 'In both programs', dash: [] },
    {
      paint: 'changed',
      label: 'inputs, results',
      about: 'Inputs and results whose types differ',
      sign: '~',
      loud: true,
      dash: [],
    },
    { paint: 'pill', label: 'other inputs, results', about: '', dash: [] },
  ];
  const graph = stage.graphs[0];
  const ends = new Set([
    ...differing(differences, stage, 'in').map((index) => graph?.invars[index]),
    ...differing(differences, stage, 'out').map((index) => graph?.outvars[index]),
  ]);
  return {
    classes,
    ofEqn: (item, of) => kindAt(differences, of, item.start),
    ofBinder: (of, variable) => (of === graph && ends.has(variable) ? DIFFERS : PILL),
    ofHolder: (item, held) => (held ? kindOfItem(differences, stage, item) : ofOpen(item)),
    held(item) {
      const held = new Uint32Array(classes.length);
      held.set(kindsIn(differences, stage, item));
      return held;
    },
    lengthOf: null,
    whole: '',
    countsBinders: true,
  };

  /** Its own, or that all in it was added or removed: what is in it tells the rest. */
  function ofOpen(item: Item): number {
    const own = numberOf(markOf(differences, stage, item.id)?.kind ?? '');
    if (own !== SAME) return own;
    const held = kindOfItem(differences, stage, item);
    return held === ADDED || held === REMOVED ? held : SAME;
  }
}
