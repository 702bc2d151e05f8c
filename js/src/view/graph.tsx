import type { Ref } from 'preact';
import { useEffect, useImperativeHandle, useMemo, useRef } from 'preact/hooks';
import { type Scene, sceneOf } from '../layout/scene';
import { beside, boxShowing, edgesOf, walk } from '../layout/trace';
import type { Id } from '../model/ids';
import type { Action, ViewState } from '../model/state';
import { Picture } from '../render/canvas';
import type { Shown } from '../render/export';
import type { Marks } from '../render/paint';
import { onThemeChange } from '../render/theme';
import { listen } from './gestures';

/** What the bar above can ask of the picture. */
export interface GraphControls {
  fit(): void;
  shown(): Shown | null;
}

export interface GraphProps {
  state: ViewState;
  dispatch: (action: Action) => void;
  controls?: Ref<GraphControls> | undefined;
}

const STEP = 1.25;

/** The program as a graph on a canvas, as large as its parent. */
export function Graph({ state, dispatch, controls }: GraphProps) {
  const { stage, open, selected } = state;
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const picture = useRef<Picture | null>(null);
  const scene = useMemo(() => sceneOf(stage, open), [stage, open]);
  const matches = useMemo(
    () => new Set(state.matches.map((id) => boxShowing(stage, scene, id))),
    [scene, state.matches],
  );
  const marks = useMemo(
    () => marksOf(state, scene, matches),
    [scene, matches, selected, state.hovered, state.match],
  );
  const latest = useRef({ state, scene, marks, dispatch });
  latest.current = { state, scene, marks, dispatch };

  useEffect(() => {
    const element = canvas.current as HTMLCanvasElement;
    const made = new Picture(element);
    picture.current = made;
    const ending = new AbortController();
    onThemeChange(() => made.readTheme(), ending.signal);
    const resized = new ResizeObserver(([entry]) => {
      if (entry) made.resize(entry.contentRect.width, entry.contentRect.height);
    });
    resized.observe(host.current as HTMLDivElement);
    const idOf = (box: number): Id | null => latest.current.scene.boxes[box]?.item.id ?? null;
    const toggle = (box: number) => {
      const item = latest.current.scene.boxes[box]?.item;
      if (item?.foldable) latest.current.dispatch({ type: 'toggle', id: item.id });
    };
    const deafen = listen(element, made, {
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

  const shown = useRef<{ open: ReadonlySet<Id>; stage: unknown } | null>(null);
  useEffect(() => {
    const before = shown.current;
    shown.current = { open, stage };
    const anchor = before?.stage === stage ? changedIn(before.open, open, selected) : null;
    picture.current?.show(scene, anchor);
  }, [scene]);
  useEffect(() => picture.current?.mark(marks), [marks]);
  useEffect(() => {
    if (marks.selected >= 0) picture.current?.reveal(marks.selected);
  }, [selected, state.match]);

  useImperativeHandle(
    controls ?? null,
    () => ({
      fit: () => picture.current?.fit(),
      shown: () => picture.current?.shown() ?? null,
    }),
    [],
  );

  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = marks.selected;
    const item = scene.boxes[at]?.item;
    const go = (box: number) => {
      const id = scene.boxes[at < 0 ? 0 : box]?.item.id;
      if (id !== undefined) dispatch({ type: 'select', id });
    };
    const keys = new Map<string, () => void>([
      ['ArrowDown', () => go(walk(scene, at, 1))],
      ['ArrowUp', () => go(walk(scene, at, -1))],
      ['ArrowLeft', () => go(beside(scene, at, -1))],
      ['ArrowRight', () => go(beside(scene, at, 1))],
      ['Enter', () => item?.foldable && dispatch({ type: 'toggle', id: item.id })],
      [' ', () => item?.foldable && dispatch({ type: 'toggle', id: item.id })],
      ['+', () => picture.current?.zoom(STEP)],
      ['=', () => picture.current?.zoom(STEP)],
      ['-', () => picture.current?.zoom(1 / STEP)],
      ['0', () => picture.current?.fit()],
      ['Escape', () => dispatch({ type: 'select', id: null })],
    ]);
    const run = keys.get(event.key);
    if (!run) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };

  const name = stage.graphs[0]?.name ?? '';
  const label = `Graph of ${name}, ${scene.boxes.length} boxes`;
  return (
    <div class="jxv-graph" ref={host}>
      <canvas ref={canvas} role="img" aria-label={label} tabIndex={0} onKeyDown={keyDown} />
      {scene.boxes.length === 0 && <p>Nothing to draw: no inputs, no eqns, no outputs.</p>}
    </div>
  );
}

function marksOf(state: ViewState, scene: Scene, matches: ReadonlySet<number>): Marks {
  const { stage, selected, hovered } = state;
  const box = boxShowing(stage, scene, selected);
  const under = boxShowing(stage, scene, hovered);
  const lit = new Set([...edgesOf(stage, scene, box), ...edgesOf(stage, scene, under)]);
  return {
    selected: box,
    hovered: under,
    matches,
    match: boxShowing(stage, scene, state.matches[state.match] ?? null),
    lit,
    near: null,
  };
}

/** What stays where it is on the screen: the one item opened or closed, else what is selected. */
function changedIn(
  before: ReadonlySet<Id>,
  after: ReadonlySet<Id>,
  selected: Id | null,
): Id | null {
  const changed = [
    ...[...after].filter((id) => !before.has(id)),
    ...[...before].filter((id) => !after.has(id)),
  ];
  return changed.length === 1 ? (changed[0] ?? null) : selected;
}

/** The whole text of a box that had to be cut, and its type. */
function hint(scene: Scene, box: number): string {
  const item = scene.boxes[box]?.item;
  if (!item) return '';
  return [item.label, item.detail, item.type].filter((text) => text !== '').join('  ');
}
