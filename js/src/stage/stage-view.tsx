/** The view of one stage: its bar, its panes and its details, and their connections. */
import type { ComponentChildren, RefObject } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { hasCasts } from '../facts/colours/casts';
import type { ColourBy } from '../facts/colours/colour-schemes';
import { isMeasure, measureOf } from '../facts/colours/heat';
import { type Differences, differencesOf } from '../facts/differences';
import type { Id } from '../facts/ids';
import { type Focus, type LinkedItem, linked, NO_LINKS } from '../facts/linked/linked';
import { __ } from '../language';
import { inMiddle } from '../render/camera';
import type { TextOptions } from '../render/text/text-editor';
import type { Opening, Program, Sentence, Stage } from '../schema';
import { Bar, type ZoomFigure } from '../shell/bar';
import { heightBelow, Panes, Side, type Sight, TEXT_BELOW, useHeights } from '../shell/panes';
import { later, type Nearness, useBehind, useNearness, usePainted } from '../shell/parts/deferred';
import type { PointedLine } from '../shell/parts/host-events';
import {
  type Panes as PaneSizes,
  savedState,
  useSavedState,
} from '../shell/parts/remembered-views';
import { usePreferences } from '../shell/parts/root';
import { frameKeys } from '../shell/view-keys';
import type { Action, ViewState } from '../state/view-state';
import { announcement } from '../words/outline-rows';
import { ComparisonStrip } from './comparison-strip';
import { Details, Foot, Trail, useCopiedLink } from './details';
import { type Drawing, Graph, type GraphControls, useDrawing } from './graph/graph-view';
import { type Linking, useLinkedState } from './linked/linking';
import { Totals } from './numbers/cost-summaries';
import { ShortText } from './stage-text';

const Help = later(async () => (await import('../shell/help')).Help);
const Tree = later(async () => (await import('./outline-tree')).Tree);
const StageListing = later(async () => (await import('./linked/source-listing')).StageListing);
const Table = later(async () => (await import('./numbers/eqn-table')).Table);
const Memory = later(async () => (await import('./numbers/memory')).Memory);
const Casts = later(async () => (await import('./numbers/value-list')).Casts);

interface Props {
  linking: Linking;
  stage: Stage;
  /** The opening that the program's author chose. */
  opening: Opening;
  partial: Sentence | null;
  tabs: ComponentChildren;
  /** The item in the middle of the last stage that was shown. */
  place: { current: Focus | null };
  /** The content below the bar: findings, and the progress of another stage while this one stays in
   * view. */
  below: ComponentChildren;
  enlarged: boolean;
  enlarge: () => void;
}

/** A stage, and all that the reader does with it. */
export function StageView(props: Props) {
  const { linking, stage, opening, partial, tabs, place, below, enlarged, enlarge } = props;
  const { program } = linking;
  const frame = useRef<HTMLDivElement>(null);
  const graph = useRef<GraphControls>(null);
  const zoom = useRef<ZoomFigure>(null);
  const input = useRef<HTMLInputElement>(null);
  const differences = useMemo(() => differencesOf(program), [program]);
  const saved = useViewState({ linking, stage, opening, differences, frame });
  const { state, dispatch, panes, setPanes, size } = saved;
  const nearness = useNearness(frame);
  const drawing = useDrawing(state, dispatch, nearness !== 'away');
  const begin = usePlace(program, stage, graph, place);
  const [help, showHelp] = useState(false);
  const [copied, copy] = useCopiedLink(state);
  const fit = () => graph.current?.fit();
  const shown = () => graph.current?.shown() ?? null;
  const showOutline = (outline: boolean) => setPanes({ ...panes, outline });
  const toggleHelp = () => showHelp(!help);
  const shared = { state, dispatch, input, help: toggleHelp, enlarge };
  const { colours } = drawing;
  const { outline } = panes;
  const tools = { ...shared, colours, zoom, fit, shown, outline, showOutline, enlarged };
  const onKeyDown = frameKeys({ ...shared, listings: program.listings, copy });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the controls within
    <div ref={frame} class="jxv-frame" style={size} onKeyDown={onKeyDown}>
      <Bar {...{ program, stage, partial, tabs, tools }} />
      {below}
      {differences && <ComparisonStrip {...{ differences, state, dispatch }} />}
      <Body
        {...{
          linking,
          differences,
          state,
          dispatch,
          panes,
          setPanes,
          graph,
          drawing,
          begin,
          zoom,
          nearness,
        }}
        trail={<Trail {...{ state, dispatch, showWhole: fit, copy, copied }} />}
      />
      <Foot {...{ state, partial }} />
      {help && <Help stage={stage} close={() => showHelp(false)} />}
      <Spoken {...{ state, copied }} />
    </div>
  );
}

/** The item of this stage that was in the middle of the last one. Stores this stage's middle item
 * for the next one. */
function usePlace(
  { stages }: Program,
  { kind }: Stage,
  graph: RefObject<GraphControls>,
  place: Props['place'],
): Id | null {
  useEffect(
    () => () => {
      const shown = graph.current?.shown();
      const id = shown && inMiddle(shown.scene, shown.camera, shown.view);
      place.current = id ? { stage: kind, id } : null;
    },
    [],
  );
  return useMemo(() => {
    const { current } = place;
    const found = current && linked(stages, current).stages.get(kind)?.found;
    return found?.[found.length >> 1]?.id ?? null;
  }, []);
}

interface SavedStateProps extends Pick<Props, 'linking' | 'stage' | 'opening'> {
  differences: Differences | null;
  frame: RefObject<HTMLElement>;
}

/** The saved state of the stage and of its panes. It is saved again when the view goes away. */
function useViewState({ linking, stage, opening, differences, frame }: SavedStateProps) {
  const { program } = linking;
  const preferred = usePreferences();
  const before = useMemo(
    () => savedState(program, stage, differences, opening, preferred),
    [program, stage],
  );
  const [state, dispatch] = useLinkedState(before.state, linking);
  const [panes, setPanes] = useState(before.panes);
  useSavedState(program, opening, state, panes, frame);
  const { beside, stacked } = useHeights(state);
  const below = heightBelow(panes.sight) - TEXT_BELOW;
  const chosen = panes.height === null ? '' : `;height:${panes.height}px`;
  return {
    state,
    dispatch,
    panes,
    setPanes,
    size: `--jxv-height:${beside}px;--jxv-stacked-height:${stacked + below}px${chosen}`,
  };
}

interface SightsProps {
  linking: Linking;
  differences: Differences | null;
  state: ViewState;
  dispatch: (action: Action) => void;
}

interface BodyProps extends SightsProps {
  panes: PaneSizes;
  setPanes: (panes: PaneSizes) => void;
  graph: RefObject<GraphControls>;
  drawing: Drawing;
  begin: Id | null;
  zoom: RefObject<ZoomFigure>;
  nearness: Nearness;
  trail: ComponentChildren;
}

/** The outline, the graph, and the side pane. */
function Body(props: BodyProps) {
  const { linking, differences, state, dispatch, panes, setPanes, graph, trail } = props;
  const { drawing, begin, zoom, nearness } = props;
  const { stage, open, only, selected } = state;
  const { outline, share, sight } = panes;
  const tree = useMemo(
    () => <Tree {...{ stage, differences, open, only, selected, dispatch }} shown={outline} />,
    [stage, open, only, selected, outline],
  );
  const painted = usePainted(5);
  const linkedHere = linkedIn(stage, linking.pointed);
  const sights = useSights({ linking, differences, state, dispatch }, linkedHere);
  const inView = usePreferences().details === 'view';
  const graphProps = { state, dispatch, drawing, begin, zoom, bright: linking.bright };
  return (
    <div class="jxv-body" role="tabpanel" aria-label={stage.kind}>
      {nearness === 'resting' && (outline || painted) && tree}
      <Panes
        nearness={nearness}
        graph={<Graph {...graphProps} pointed={linkedHere} controls={graph} />}
        text={
          <Side
            sights={sights}
            shown={sight}
            show={(sight) => setPanes({ ...panes, sight })}
            beside={differences ? null : <Totals stage={stage} />}
            details={inView && <Details {...{ linking, state, dispatch, trail }} />}
          />
        }
        below={heightBelow(sight)}
        share={share}
        resize={(share) => setPanes({ ...panes, share })}
      />
    </div>
  );
}

/** The tabs of the side pane. A comparison has no tables of costs, which say little about two
 * programs drawn as one. */
function useSights(props: SightsProps, linkedHere: readonly LinkedItem[]): readonly Sight[] {
  const { linking, differences, state, dispatch } = props;
  const { program } = linking;
  const { stage, colours, hovered, selected, lit, matches, match } = state;
  const hover = useCallback((id: Id | null) => dispatch({ type: 'hover', id }), [dispatch]);
  const pointed = usePointed(linking, state, linkedHere);
  const options = useMemo(
    () => optionsOf(stage, colours, differences),
    [stage, colours, differences],
  );
  const select = (id: Id | null) => dispatch({ type: 'select', id });
  const text = (
    <ShortText
      {...{ stage, selected, lit, matches, match, select, hover, options }}
      hovered={pointed}
    />
  );
  const by = isMeasure(colours) ? colours : measureOf(stage);
  const source = <StageListing {...{ linking, stage, hovered, hover, by }} />;
  const sights: Sight[] = [
    { name: 'text', label: __('Text'), content: text },
    { name: 'source', label: __('Source'), content: source },
  ];
  if (differences) return sights;
  return [
    ...sights,
    { name: 'table', label: __('Table'), content: <Table {...{ program, state, dispatch }} /> },
    { name: 'memory', label: __('Memory'), content: <Memory {...{ program, state, dispatch }} /> },
    ...(hasCasts(stage)
      ? [{ name: 'casts', label: __('Casts'), content: <Casts {...{ state, dispatch }} /> }]
      : []),
  ];
}

/** The pointed-at items, here or elsewhere. Those here are reported to the linking. */
function usePointed(
  linking: Linking,
  { stage, hovered }: ViewState,
  linkedHere: readonly LinkedItem[],
) {
  useEffect(() => {
    linking.point(hovered === null ? null : { stage: stage.kind, id: hovered });
  }, [hovered]);
  useEffect(() => () => linking.point(null), []);
  return useMemo(
    () => [...(hovered === null ? [] : [hovered]), ...linkedHere.map(({ id }) => id)],
    [hovered, linkedHere],
  );
}

/** Announces changes to a screen reader. */
function Spoken({ state: now, copied }: { state: ViewState; copied: string }) {
  const state = useBehind(now);
  const painted = usePainted(2);
  const { stage, selected, only, query, match, total, tour } = state;
  const announced = useMemo(
    () => (painted ? announcement(state) : ''),
    [painted, stage, selected, only, query, match, total, tour],
  );
  return (
    <div class="jxv-hidden" role="status">
      {[announced, copied].filter((part) => part !== '').join('; ')}
    </div>
  );
}

/** The items that are linked to the pointed-at line in the notebook. */
function linkedIn({ kind }: Stage, pointed: PointedLine | null): readonly LinkedItem[] {
  if (!pointed || 'edited' in pointed) return NO_LINKS;
  return pointed.links.stages.get(kind)?.found ?? NO_LINKS;
}

/** The options of the text. It shows the same costs as the boxes. Lines of a jaxpr wrap; an op of a
 * later stage stays on one line, because its details show the rest. */
const optionsOf = (
  { kind }: Stage,
  by: ColourBy,
  differences: Differences | null,
): TextOptions => ({
  wrap: kind === 'jaxpr',
  tints: null,
  heat: isMeasure(by) ? by : null,
  differences: differences?.same === false ? differences : null,
});
