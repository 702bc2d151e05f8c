/** The marks of the graph: colours, selected, found, linked and pointed-at boxes, and faint ones. */
import { useMemo, useState } from 'preact/hooks';
import type { ColourBy } from '../../facts/colours/colour-schemes';
import { type Colouring, colour } from '../../facts/colours/colouring';
import type { Id } from '../../facts/ids';
import type { LinkedItem } from '../../facts/linked/linked';
import { type Bright, keeps, related } from '../../facts/reach';
import type { Scene } from '../../layout/scene';
import { boxShowing, edgesOf } from '../../layout/scene-walk';
import { boxesIn, edgesIn, type Marks } from '../../picture/appearance';
import type { Stage } from '../../schema';
import type { Action, ViewState } from '../../state/view-state';

/** The colours of the boxes, and the class that is shown alone. */
export interface Colours {
  colouring: Colouring;
  /** True if they can show measured times. */
  timed: boolean;
  kept: number;
  only: number;
  colourBy: (by: ColourBy) => void;
  keep: (one: number) => void;
  peek: (one: number) => void;
}

export function useColours(
  { stage, differences, colours: by }: ViewState,
  scene: Scene,
  dispatch: (action: Action) => void,
): Colours {
  const [kept, keep] = useState(-1);
  const [peeked, peek] = useState(-1);
  const colouring = useMemo(() => colour(stage, scene.boxes, by, differences), [scene, by]);
  const colourBy = (other: ColourBy) => {
    keep(-1);
    peek(-1);
    dispatch({ type: 'colour', by: other });
  };
  const only = peeked >= 0 ? peeked : kept;
  return { colouring, timed: stage.times !== null, kept, only, colourBy, keep, peek };
}

/** The marks of a scene. */
export function useMarks(
  state: ViewState,
  pointed: readonly LinkedItem[],
  scene: Scene,
  { colouring, only }: Colours,
  bright: Bright | null,
): Marks {
  const { stage, only: reachFilter, selected, hovered, match } = state;
  const matches = useMemo(() => {
    const shown = state.matches.filter(
      (id) => reachFilter === null || keeps(stage, reachFilter, id),
    );
    return new Set(shown.map((id) => boxShowing(stage, scene, id)));
  }, [scene, state.matches, reachFilter]);
  const box = useMemo(() => boxShowing(stage, scene, selected), [scene, selected]);
  const under = useMemo(() => boxShowing(stage, scene, hovered), [scene, hovered]);
  const shown = isShown(state, bright) ? bright : null;
  const brightBoxes = useMemo(() => shown && boxesIn(scene, shown), [scene, shown]);
  const near = useMemo(
    () => brightBoxes ?? nearOf(stage, scene, selected),
    [scene, selected, brightBoxes],
  );
  const litEdges = () => edgesIn(scene, shown) ?? edgesOf(stage, scene, box);
  const edges = useMemo(litEdges, [scene, box, shown]);
  const linkedBoxes = () => linkedIn(stage, scene, [...state.lit, ...pointed]);
  const { linked, guesses } = useMemo(linkedBoxes, [scene, state.lit, pointed]);
  const lit = useMemo(() => new Set([...edges, ...edgesOf(stage, scene, under)]), [edges, under]);
  return useMemo(
    () => ({
      selected: box,
      hovered: under,
      matches,
      match: boxShowing(stage, scene, state.matches[match] ?? null),
      linked,
      guesses,
      lit,
      near,
      nanPaths: shown?.carries !== undefined,
      colours: colouring,
      only,
    }),
    [scene, box, under, matches, match, linked, lit, near, colouring, only],
  );
}

/** The boxes of items that are linked to a selection elsewhere. An open box counts only if it is
 * linked itself. */
function linkedIn(stage: Stage, scene: Scene, lit: readonly LinkedItem[]) {
  const [linked, sure] = [new Set<number>(), new Set<number>()];
  for (const { id, guess } of lit) {
    const box = boxShowing(stage, scene, id);
    if (box < 0 || (scene.boxes[box]?.open && scene.boxes[box]?.item.id !== id)) continue;
    linked.add(box);
    if (!guess) sure.add(box);
  }
  return { linked, guesses: new Set([...linked].filter((box) => !sure.has(box))) };
}

const isShown = ({ stage, selected }: ViewState, bright: Bright | null): boolean =>
  stage.kind === 'jaxpr' && bright !== null && (bright.at ?? selected) === selected;

/** The boxes that an item depends on or that depend on it, and those around them; null without a
 * selection, or if these are all boxes. */
function nearOf(stage: Stage, scene: Scene, id: Id | null): ReadonlySet<number> | null {
  if (id === null) return null;
  const isNear = related(stage, id);
  const near = new Set<number>();
  scene.boxes.forEach(({ item }, index) => {
    if (isNear(item)) near.add(index);
  });
  return near.size === scene.boxes.length ? null : near;
}
