import type { Ref } from 'preact';
import { useEffect, useImperativeHandle, useMemo, useRef, useState } from 'preact/hooks';
import { firstChange } from '../../facts/compared/difference-order';
import type { Id } from '../../facts/ids';
import type { Found } from '../../facts/linked/linked';
import { __ } from '../../language';
import { type Scene, sceneOf } from '../../layout/scene';
import { shapeOf, WIDE } from '../../layout/shape';
import { boxShowing } from '../../layout/trace';
import { Picture } from '../../render/canvas';
import type { Shown } from '../../render/shown-picture';
import { onThemeChange } from '../../render/theme';
import type { Action, ViewState } from '../../state/view-state';
import { usePreferences } from '../view-root';
import { Legend } from './colour-legend';
import { keyAction, listenToPointer } from './graph-input';
import { useColours, useMarks } from './graph-marks';
import { Minimap, type MinimapControls } from './minimap';

/** What the bar above can ask of the picture. */
export interface GraphControls {
  fit(): void;
  shown(): Shown | null;
}

export interface GraphProps {
  state: ViewState;
  /** What a line that is pointed at in the notebook is linked to. */
  pointed?: readonly Found[];
  dispatch: (action: Action) => void;
  controls?: Ref<GraphControls> | undefined;
}

/** The legend is folded at first where the graph is smaller, CSS px. */
const ROOMY = { width: 560, height: 380 };

const NO_LINKS: readonly Found[] = [];

/** The program as a graph on a canvas, as large as its parent. */
export function Graph({ state, pointed = NO_LINKS, dispatch, controls }: GraphProps) {
  const { stage, open, only, selected } = state;
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const picture = useRef<Picture | null>(null);
  const [shape, setShape] = useState(WIDE);
  const scene = useMemo(() => sceneOf(stage, open, shape, only), [stage, open, shape, only]);
  const colours = useColours(state, scene, dispatch);
  const marks = useMarks(state, pointed, scene, colours);
  const map = useRef<MinimapControls>(null);
  const [roomy, setRoomy] = useState(true);
  const latest = useRef({ state, scene, marks, dispatch });
  latest.current = { state, scene, marks, dispatch };
  const { motion } = usePreferences();

  useEffect(() => {
    const element = canvas.current as HTMLCanvasElement;
    const legendHeight = () =>
      host.current?.querySelector<HTMLElement>('.jxv-legend')?.offsetHeight ?? 0;
    const made = new Picture(element, (...frame) => map.current?.draw(...frame), legendHeight);
    picture.current = made;
    const ending = new AbortController();
    onThemeChange(element, () => made.readTheme(), ending.signal);
    const resized = new ResizeObserver(([entry]) => {
      if (!entry) return;
      const { width, height } = entry.contentRect;
      made.resize(width, height);
      if (width === 0 || height === 0) return;
      setShape(shapeOf(width, height));
      latest.current.dispatch({ type: 'view', view: { width, height } });
      setRoomy(width >= ROOMY.width && height >= ROOMY.height);
    });
    resized.observe(host.current as HTMLDivElement);
    const idOf = (box: number): Id | null => latest.current.scene.boxes[box]?.item.id ?? null;
    const toggle = (box: number) => {
      const item = latest.current.scene.boxes[box]?.item;
      if (item?.foldable) latest.current.dispatch({ type: 'toggle', id: item.id });
    };
    const deafen = listenToPointer(element, made, {
      click: (box, fold) =>
        fold ? toggle(box) : latest.current.dispatch({ type: 'select', id: idOf(box) }),
      doubleClick: toggle,
      hover: (box) => {
        const id = idOf(box);
        if (id === latest.current.state.hovered) return;
        element.title = hint(latest.current.scene, box);
        latest.current.dispatch({ type: 'hover', id });
      },
    });
    return () => {
      ending.abort();
      resized.disconnect();
      deafen();
      made.stop();
    };
  }, []);

  useEffect(() => {
    if (picture.current) picture.current.still = motion === 'still';
  }, [motion]);

  const shown = useRef<{ open: ReadonlySet<Id>; stage: unknown } | null>(null);
  useEffect(() => {
    const before = shown.current;
    shown.current = { open, stage };
    const same = before?.stage === stage;
    const changed = same && !state.first ? changedIn(before.open, open, selected) : [];
    picture.current?.show(scene, same ? changed : null, beginOf(state, scene));
  }, [scene]);
  useEffect(() => picture.current?.mark(marks), [marks]);
  useEffect(() => {
    const onTour = state.tour?.along === 'changes';
    if (marks.selected >= 0) picture.current?.reveal(marks.selected, onTour);
  }, [selected, state.match, shape]);
  useEffect(() => {
    const [first] = marks.linked;
    if (first !== undefined) picture.current?.reveal(first);
  }, [state.lit, shape]);

  useImperativeHandle(
    controls ?? null,
    () => ({
      fit: () => picture.current?.fit(),
      shown: () => picture.current?.shown() ?? null,
    }),
    [],
  );

  const keyDown = (event: KeyboardEvent) => {
    const run = keyAction(event, scene, marks.selected, picture.current, dispatch);
    if (!run) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };

  const name = stage.graphs[0]?.name ?? '';
  const label = __('Graph of %1, %2 boxes', name, scene.boxes.length);
  return (
    <div class="jxv-graph" ref={host}>
      <canvas ref={canvas} role="img" aria-label={label} tabIndex={0} onKeyDown={keyDown} />
      <div class="jxv-corners">
        {scene.boxes.length > 0 && (
          <Legend
            {...colours}
            colours={colours.colouring}
            roomy={roomy}
            changed={state.differences !== null && !state.differences.same}
          />
        )}
        <Minimap controls={map} picture={picture} />
      </div>
      {scene.boxes.length === 0 && <p>{__('Nothing to draw: no inputs, no eqns, no outputs.')}</p>}
    </div>
  );
}

/** The box of the first eqn that differs in a comparison, -1 of other programs. */
function beginOf({ stage, differences }: ViewState, scene: Scene): number {
  return boxShowing(stage, scene, differences && firstChange(stage, differences));
}

/** More than these are opened by a search, or all together. */
const MOST_ANCHORS = 8;

/** What was opened or closed; where that is much, what is selected. */
function changedIn(before: ReadonlySet<Id>, after: ReadonlySet<Id>, selected: Id | null): Id[] {
  const changed = [
    ...[...after].filter((id) => !before.has(id)),
    ...[...before].filter((id) => !after.has(id)),
  ];
  if (changed.length <= MOST_ANCHORS) return changed;
  return selected === null ? [] : [selected];
}

/** The whole text of a box that had to be cut, and its type. */
function hint(scene: Scene, box: number): string {
  const item = scene.boxes[box]?.item;
  if (!item) return '';
  return [item.label, item.detail, item.type].filter((text) => text !== '').join('  ');
}
