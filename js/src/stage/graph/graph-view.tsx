/** The graph of a stage, on its canvas. */
import type { Ref, RefObject } from 'preact';
import {
  useContext,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
} from 'preact/hooks';
import type { Id } from '../../facts/ids';
import { type LinkedItem, NO_LINKS } from '../../facts/linked/linked';
import type { Bright } from '../../facts/reach';
import { expressionOf, sourceOf } from '../../facts/source';
import { __ } from '../../language';
import type { Shape, View } from '../../layout/measure';
import { forgetFrames } from '../../layout/nest';
import { EMPTY, type Scene, sceneOf } from '../../layout/scene';
import { boxShowing } from '../../layout/scene-walk';
import type { Marks } from '../../picture/appearance';
import { Picture } from '../../render/canvas';
import { sizeIn } from '../../render/css-zoom';
import type { Shown } from '../../render/shown-picture';
import { onThemeChange } from '../../render/theme';
import type { Listing } from '../../schema';
import type { ZoomFigure } from '../../shell/bar';
import { roomOf } from '../../shell/panes';
import { whenIdle } from '../../shell/parts/deferred';
import { usePreferences } from '../../shell/parts/root';
import { Listings } from '../../shell/parts/source-link';
import { firstChange } from '../../state/tour';
import type { Action, ViewState } from '../../state/view-state';
import { type GraphGestures, keyAction, listenToPointer } from './graph-input';
import { type Colours, useColours, useMarks } from './graph-marks';

/** The commands of the bar to the graph. */
export interface GraphControls {
  fit(): void;
  shown(): Shown | null;
}

export interface GraphProps {
  state: ViewState;
  /** The items that are linked to the pointed-at line in the notebook. */
  pointed?: readonly LinkedItem[];
  /** See `Linking`. */
  bright?: Bright | null;
  dispatch: (action: Action) => void;
  drawing: Drawing;
  /** The item that is in view at first. */
  begin?: Id | null;
  controls?: Ref<GraphControls> | undefined;
  zoom?: RefObject<ZoomFigure>;
}

/** The drawing: the boxes and their colours. The bar shows the legend. */
export interface Drawing {
  scene: Scene;
  colours: Colours;
  /** True if the view is on the screen, or close to it. */
  near: boolean;
}

/** The drawing of a stage; empty until its room is measured, and while it is not `near` the screen. */
export function useDrawing(
  state: ViewState,
  dispatch: (action: Action) => void,
  near = true,
): Drawing {
  const { stage, open, only, shape, room } = state;
  const isDrawn = near && room !== null;
  const scene = useMemo(
    () => (isDrawn ? sceneOf(stage, open, shape, only) : EMPTY),
    [stage, open, shape, only, isDrawn],
  );
  useEffect(() => (near ? undefined : forgetFrames(stage)), [near, room]);
  return { scene, colours: useColours(state, scene, dispatch), near };
}

/** The program as a graph on a canvas, as large as its parent. The canvas is there only while the view is near. */
export function Graph(props: GraphProps) {
  const { state, dispatch, drawing } = props;
  const host = useRef<HTMLDivElement>(null);
  useRoom(host, state, dispatch, drawing.near);
  return (
    <div class="jxv-graph" ref={host}>
      {drawing.near && <Canvas {...props} host={host} />}
      {drawing.near && state.room && drawing.scene.boxes.length === 0 && (
        <p>{__('Nothing to draw: no inputs, no eqns, no outputs.')}</p>
      )}
    </div>
  );
}

/** Reports the room for the graph, on which the height of the view depends. A view that is not near has its
 * height before it comes into view, so that nothing moves then. */
function useRoom(
  host: RefObject<HTMLDivElement>,
  state: ViewState,
  dispatch: (action: Action) => void,
  near: boolean,
): void {
  const latest = useRef(state);
  latest.current = state;
  useLayoutEffect(() => {
    const element = host.current as HTMLDivElement;
    let cancel = () => {};
    const measure = ({ width, height }: View) => {
      cancel();
      if (width === 0 || height === 0) return;
      const report = () => {
        const view = roomOf(element, { width, height }, latest.current);
        const { room } = latest.current;
        if (view.width !== room?.width || view.height !== room.height) {
          dispatch({ type: 'view', view });
        }
      };
      if (near) report();
      else cancel = whenIdle(report);
    };
    const resized = new ResizeObserver(([entry]) => entry && measure(entry.contentRect));
    resized.observe(element);
    if (near) measure(sizeIn(element));
    return () => {
      cancel();
      resized.disconnect();
    };
  }, [near]);
}

function Canvas(props: GraphProps & { host: RefObject<HTMLDivElement> }) {
  const { state, pointed = NO_LINKS, dispatch, drawing, controls, zoom, begin = null } = props;
  const { bright = null, host } = props;
  const { stage, shape } = state;
  const { scene, colours } = drawing;
  const canvas = useRef<HTMLCanvasElement>(null);
  const marks = useMarks(state, pointed, scene, colours, bright);
  const listings = useContext(Listings);
  const latest = useRef({ state, scene, listings, dispatch });
  latest.current = { state, scene, listings, dispatch };
  const picture = usePicture({ host, canvas, zoom, latest });
  useShown(picture, state, scene, begin);
  useMarked(picture, state, marks, shape);
  useControls(controls, picture);
  const keyDown = (event: KeyboardEvent) => {
    const run = keyAction(event, scene, marks.selected, picture.current, dispatch);
    if (!run) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };
  const label = __('Graph of %1, %2 boxes', stage.graphs[0]?.name ?? '', scene.boxes.length);
  return <canvas ref={canvas} role="img" aria-label={label} tabIndex={0} onKeyDown={keyDown} />;
}

/** The last render's data for the listeners of the picture. */
type Latest = {
  current: {
    state: ViewState;
    scene: Scene;
    listings: readonly Listing[];
    dispatch: (action: Action) => void;
  };
};

interface PictureProps {
  host: RefObject<HTMLDivElement>;
  canvas: RefObject<HTMLCanvasElement>;
  zoom: RefObject<ZoomFigure> | undefined;
  latest: Latest;
}

/** Makes the picture on the canvas once. It follows the pointer, the theme and the size of the view. */
function usePicture({ host, canvas, zoom, latest }: PictureProps) {
  const picture = useRef<Picture | null>(null);
  const { motion } = usePreferences();
  useLayoutEffect(() => {
    const element = canvas.current as HTMLCanvasElement;
    const canvasPicture = new Picture(element, (shown) => zoom?.current?.draw(shown));
    picture.current = canvasPicture;
    const ending = new AbortController();
    onThemeChange(element, () => canvasPicture.readTheme(), ending.signal);
    const resize = ({ width, height }: View) => canvasPicture.resize(width, height);
    const parent = host.current as HTMLDivElement;
    const resized = new ResizeObserver(([entry]) => entry && resize(entry.contentRect));
    resized.observe(parent);
    resize(sizeIn(parent));
    const stopListening = listenToPointer(element, canvasPicture, gesturesOn(element, latest));
    return () => {
      ending.abort();
      resized.disconnect();
      stopListening();
      canvasPicture.stop();
    };
  }, []);
  useLayoutEffect(() => {
    if (picture.current) picture.current.still = motion === 'still';
  }, [motion]);
  return picture;
}

/** The effects of gestures: a click selects; a double click, or a click on a triangle, opens and
 * closes; the pointer shows a tooltip. */
function gesturesOn(canvas: HTMLCanvasElement, latest: Latest): GraphGestures {
  const idOf = (box: number): Id | null => latest.current.scene.boxes[box]?.item.id ?? null;
  const toggle = (box: number) => {
    const item = latest.current.scene.boxes[box]?.item;
    if (item?.foldable) latest.current.dispatch({ type: 'toggle', id: item.id });
  };
  /** The last pointed-at item, which the state has after the next render. */
  let pointed: Id | null = null;
  return {
    click: (box, fold) =>
      fold ? toggle(box) : latest.current.dispatch({ type: 'select', id: idOf(box) }),
    doubleClick: toggle,
    hover: (box) => {
      const id = idOf(box);
      if (id === pointed && id === latest.current.state.hovered) return;
      pointed = id;
      canvas.title = tooltipOf(latest.current, box);
      latest.current.dispatch({ type: 'hover', id });
    },
  };
}

type PictureRef = { current: Picture | null };

/** Shows a new scene. Items that the reader opened or closed stay in place on the screen. Another
 * stage is shown at the place of the one before, another program from its beginning. If the same
 * stage has more data, the selection stays in place. */
function useShown(picture: PictureRef, state: ViewState, scene: Scene, first: Id | null): void {
  const { stage, open, selected } = state;
  const shown = useRef<Pick<ViewState, 'open' | 'stage'> | null>(null);
  useLayoutEffect(() => {
    if (!state.room) return;
    const before = shown.current;
    shown.current = { open, stage };
    const same = before?.stage.graphs === stage.graphs;
    const moved = (from: Pick<ViewState, 'open' | 'stage'>) =>
      from.stage === stage ? changedIn(from.open, open) : [selected ?? ''];
    const changed = same && !state.first ? moved(before) : [];
    const place = same && !state.first ? null : (first ?? changeIn(state));
    const begin = boxShowing(stage, scene, (same ? selected : null) ?? place);
    picture.current?.show(scene, same ? changed : null, begin);
  }, [scene]);
}

/** Draws the marks, and scrolls to what was selected, here or elsewhere. */
function useMarked(picture: PictureRef, state: ViewState, marks: Marks, shape: Shape): void {
  useLayoutEffect(() => picture.current?.mark(marks), [marks]);
  useLayoutEffect(() => {
    const onTour = state.tour?.along === 'changes';
    if (marks.selected >= 0) picture.current?.reveal(marks.selected, onTour);
  }, [state.selected, state.match, shape]);
  useLayoutEffect(() => {
    const [first] = marks.linked;
    if (first !== undefined) picture.current?.reveal(first);
  }, [state.lit, shape]);
}

function useControls(controls: Ref<GraphControls> | undefined, picture: PictureRef): void {
  useImperativeHandle(
    controls ?? null,
    () => ({
      fit: () => picture.current?.fit(),
      shown: () => picture.current?.shown() ?? null,
    }),
    [],
  );
}

const changeIn = ({ stage, differences }: ViewState): Id | null =>
  differences && firstChange(stage, differences);

/** With at most this many opened or closed items, one of them stays in place. A search or *Expand all* opens more. */
const MOST_ANCHORS = 8;

/** The items that were opened or closed; null if they are too many or all: then the picture starts
 * from the beginning. */
function changedIn(before: ReadonlySet<Id>, after: ReadonlySet<Id>): Id[] | null {
  const changed = [
    ...[...after].filter((id) => !before.has(id)),
    ...[...before].filter((id) => !after.has(id)),
  ];
  return changed.length > MOST_ANCHORS || after.size === 0 ? null : changed;
}

/** The tooltip of a box: its whole text and type. */
function tooltipOf({ scene, state, listings }: Latest['current'], box: number): string {
  const item = scene.boxes[box]?.item;
  if (!item) return '';
  const source = item.kind === 'eqn' ? sourceOf(state.stage, item.id) : null;
  return [
    [item.label, item.detail, item.type].filter((text) => text !== '').join('  '),
    (source && expressionOf(source.frame, listings)?.whole) ?? '',
    item.type.startsWith('~') ? weak() : '',
  ]
    .filter((text) => text !== '')
    .join('\n');
}

const weak = () =>
  __(
    '~ marks a weak type, as Python numbers have: it adopts the dtype of the array it is combined with',
  );
