/** The two panes of a view, the graph and its side pane, and their heights. */
import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { __ } from '../language';
import { FLOOR, type View } from '../layout/measure';
import { sizeOfScene } from '../layout/scene';
import { cssZoom } from '../render/css-zoom';
import type { ViewState } from '../state/view-state';
import { useWidth } from './parts/controls';
import type { Nearness } from './parts/deferred';

/** In a view narrower than this, px, the graph is above the text. */
const NARROW_VIEW = 1000;
/** The graph's share, percent, until the reader chooses one. */
const FIRST_SHARE = { beside: 66, stacked: 70 };
/** The height of the pane below the graph until the reader chooses a share, px: even small programs have many lines of
 * text. */
export const TEXT_BELOW = 210;
/** The same for a list, whose choices need room. */
const LIST_BELOW = 360;
export const heightBelow = (sight: string): number =>
  ['table', 'memory', 'casts'].includes(sight) ? LIST_BELOW : TEXT_BELOW;
/** The least share of either pane, and the step of the separator keys, percent. */
const LEAST_SHARE = 15;
const SHARE_STEP = 5;

interface Props {
  graph: ComponentChildren;
  text: ComponentChildren;
  /** The height of the text below the graph until a share is chosen, px. */
  below: number;
  /** The graph's share, percent; null until the reader chooses one. */
  share: number | null;
  resize: (share: number) => void;
  /** The text appears once the page rests: an editor costs more than a frame. */
  nearness: Nearness;
}

/** The graph and its side pane, with a separator that the pointer or the arrow keys move. */
export function Panes({ graph, text, below, share: chosen, resize, nearness }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const width = useWidth(element);
  const stacked = (width ?? NARROW_VIEW) < NARROW_VIEW;
  const share = chosen ?? FIRST_SHARE[stacked ? 'stacked' : 'beside'];
  const first = stacked ? `max(40%, 100% - ${below}px)` : `${share}%`;
  const move = (to: number) => resize(Math.max(LEAST_SHARE, Math.min(100 - LEAST_SHARE, to)));
  const drag = (event: PointerEvent) => {
    if (!element.current || !(event.currentTarget as Element).hasPointerCapture(event.pointerId)) {
      return;
    }
    const { left, top, width, height } = element.current.getBoundingClientRect();
    const at = stacked ? (event.clientY - top) / height : (event.clientX - left) / width;
    move(at * 100);
  };
  return (
    <div
      class={`jxv-panes${stacked ? ' jxv-stacked' : ''}`}
      ref={element}
      style={`--jxv-share:${chosen === null ? first : `${share}%`}`}
    >
      {width !== null && <div class="jxv-graph-pane">{graph}</div>}
      {nearness !== 'away' && width !== null && (
        <>
          <Separator {...{ stacked, share, move, drag }} />
          <div class="jxv-text-pane">{nearness === 'resting' && text}</div>
        </>
      )}
    </div>
  );
}

interface SeparatorProps {
  /** True if the graph is above the text. */
  stacked: boolean;
  share: number;
  move: (share: number) => void;
  drag: (event: PointerEvent) => void;
}

function Separator({ stacked, share, move, drag }: SeparatorProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    const [less, more] = stacked ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight'];
    if (event.key !== less && event.key !== more) return;
    event.preventDefault();
    event.stopPropagation();
    move(share + (event.key === more ? SHARE_STEP : -SHARE_STEP));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that is moved is no hr
    <div
      class="jxv-separator"
      role="separator"
      aria-label={__('Size of the graph')}
      aria-orientation={stacked ? 'horizontal' : 'vertical'}
      aria-valuenow={Math.round(share)}
      aria-valuemin={LEAST_SHARE}
      aria-valuemax={100 - LEAST_SHARE}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
    />
  );
}

/** A tab of the side pane, such as the text or the table. */
export interface Sight {
  /** The name under which the last shown tab is saved. */
  name: string;
  label: string;
  content: ComponentChildren;
}

interface SideProps {
  sights: readonly Sight[];
  /** The name of the shown tab; the first tab is shown if none has that name. */
  shown: string;
  show: (name: string) => void;
  /** The end of the row of tabs. */
  beside: ComponentChildren;
  /** The details of the selection, below the tab's content. */
  details: ComponentChildren;
}

/** The side pane: one of several tabs. */
export function Side({ sights, shown, show, beside, details }: SideProps) {
  const at = Math.max(
    0,
    sights.findIndex(({ name }) => name === shown),
  );
  return (
    <div class="jxv-side">
      <div class="jxv-side-head">
        <SightTabs {...{ sights, at, show }} />
        {beside}
      </div>
      <div class="jxv-side-sight" role="tabpanel" aria-label={sights[at]?.label} key={at}>
        {sights[at]?.content}
      </div>
      {details}
    </div>
  );
}

interface SightTabsProps extends Pick<SideProps, 'sights' | 'show'> {
  /** The index of the shown tab. */
  at: number;
}

/** The tabs. The arrow keys open the next tab at once, because none takes long. */
function SightTabs({ sights, at, show }: SightTabsProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const next = (at + by + sights.length) % sights.length;
    show(sights[next]?.name ?? '');
    const tabs = (event.currentTarget as HTMLElement).children;
    (tabs[next] as HTMLElement | undefined)?.focus({ preventScroll: true });
  };
  return (
    <div
      class="jxv-side-tabs"
      role="tablist"
      aria-label={__('Beside the graph')}
      onKeyDown={onKeyDown}
    >
      {sights.map(({ name, label }, index) => (
        <button
          type="button"
          key={name}
          class="jxv-bare jxv-side-tab"
          role="tab"
          aria-selected={index === at}
          tabIndex={index === at ? 0 : -1}
          onClick={() => show(name)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

/** The least and the most height of a view in a cell, px. Pages that enlarge views have less room
 * for the graph, so that the view still fits into the window. */
const HEIGHT = { least: 280, most: 900 };
/** The height of the window around a notebook's panel, px. */
const BARS = 120;
/** The height of bar, tabs and foot, px; in a comparison with the summary and the differing results. The bar of a
 * narrow view has two rows. */
const frameHeight = ({ differences }: ViewState, narrow: boolean): number =>
  (differences ? 150 : 92) + (narrow ? 26 : 0);

/** The room for the graph in an element. A view in a cell grows with its program, so the room is its
 * largest size; elsewhere it is the present size. */
export function roomOf(element: HTMLElement, { width, height }: View, state: ViewState): View {
  if (getComputedStyle(element).getPropertyValue('--jxv-grows').trim() !== '1') {
    return { width, height };
  }
  const narrow = (element.closest('.jxv-frame')?.clientWidth ?? width) < NARROW_VIEW;
  const around = frameHeight(state, narrow) + (narrow ? TEXT_BELOW : 0);
  return { width, height: HEIGHT.most / cssZoom(element) - around };
}

/** The heights of a view with the graph beside the text and above it, px: the program's height in
 * the first view. If more is opened later, they grow up to the height of the window, and never shrink,
 * so that nothing moves under the pointer. */
export function useHeights(state: ViewState): { beside: number; stacked: number } {
  const heights = useRef({ beside: HEIGHT.least, stacked: HEIGHT.least });
  const isNew = useRef(true);
  const { room, first, open, shape } = state;
  const graph = useMemo(() => room && graphHeight(state, room), [room, open, shape]);
  if (graph !== null) {
    const isFirst = first || isNew.current;
    isNew.current = false;
    const most = isFirst ? HEIGHT.most : innerHeight - BARS;
    const of = (around: number, before: number) =>
      Math.ceil(Math.max(isFirst ? HEIGHT.least : before, Math.min(most, graph + around)));
    heights.current = {
      beside: of(frameHeight(state, false), heights.current.beside),
      stacked: of(frameHeight(state, true) + TEXT_BELOW, heights.current.stacked),
    };
  }
  return heights.current;
}

/** The height of the graph at the largest zoom that its room allows, px. */
function graphHeight({ stage, open, shape, only }: ViewState, room: View): number {
  const { width, height } = sizeOfScene(stage, open, shape, only);
  return height * Math.max(FLOOR, Math.min(1, room.width / width));
}
