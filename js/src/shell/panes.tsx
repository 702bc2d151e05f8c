/** The two panes of a view, the graph and what is beside it, and how high they are at first. */
import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { __ } from '../language';
import { FLOOR, type View } from '../layout/measure';
import { sizeOfScene } from '../layout/scene';
import { cssZoom } from '../render/css-zoom';
import type { ViewState } from '../state/view-state';
import { useWidth } from './parts/controls';

/** In a view narrower than this, px, the graph stands above the text. */
const NARROW_VIEW = 700;
/** The share of the graph, percent, until the reader chooses one. */
const FIRST_SHARE = { beside: 66, stacked: 70 };
/** Below the graph, what stands there has a height of its own until then, px: a small program's text has as many
 * lines as that of a large one. A list with its choices needs more, and the graph keeps its place. */
export const TEXT_BELOW = 210;
const LIST_BELOW = 360;
export const heightBelow = (sight: string): number =>
  ['table', 'memory', 'casts'].includes(sight) ? LIST_BELOW : TEXT_BELOW;
/** The least share of either pane, and by how much a key moves the separator, percent. */
const LEAST_SHARE = 15;
const SHARE_STEP = 5;

interface Props {
  graph: ComponentChildren;
  text: ComponentChildren;
  /** The height of the text below the graph until a share is chosen, px. */
  below: number;
  /** The share of the graph, percent; null until the reader chose one. */
  share: number | null;
  resize: (share: number) => void;
  /** Whether the view is on the screen, or close to it. */
  near: boolean;
}

/** The graph and what stands beside it, with a separator that the pointer or the arrow keys move. */
export function Panes({ graph, text, below, share: chosen, resize, near }: Props) {
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
      {near && width !== null && (
        <>
          <div class="jxv-graph-pane">{graph}</div>
          <Separator {...{ stacked, share, move, drag }} />
          <div class="jxv-text-pane">{text}</div>
        </>
      )}
    </div>
  );
}

interface SeparatorProps {
  /** Whether the graph stands above the text. */
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

/** Something that can be shown beside the graph, such as the text or the table. */
export interface Sight {
  /** The name under which it is remembered that it was shown last. */
  name: string;
  label: string;
  content: ComponentChildren;
}

interface SideProps {
  sights: readonly Sight[];
  /** The name of the sight that is shown; the first one is shown if none has that name. */
  shown: string;
  show: (name: string) => void;
  /** What stands at the end of the row of tabs. */
  beside: ComponentChildren;
  /** What is said of the selection, below the sight; the graph keeps its place. */
  details: ComponentChildren;
}

/** What stands beside the graph: one of several sights, which the reader chooses by tabs. */
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
  /** Which of them is shown. */
  at: number;
}

/** The tabs. The arrow keys show the next sight at once, as none takes long. */
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

/** The least and the most height of a view in a cell, px. Where the page enlarges views there is less room for
 * the graph, so that it still fits into the most px of the window. */
const HEIGHT = { least: 280, most: 900 };
/** The px that bar, tabs and foot take of it; in a comparison the line that sums it up, and how results differ. */
const aroundOf = ({ differences }: ViewState): number => (differences ? 150 : 92);

/** The room for the graph that stands in this element: in a cell, whose view grows with its program, what it
 * may grow to; elsewhere what there is. */
export function roomOf(element: HTMLElement, { width, height }: View, state: ViewState): View {
  if (getComputedStyle(element).getPropertyValue('--jxv-grows').trim() !== '1') {
    return { width, height };
  }
  const frame = element.closest('.jxv-frame')?.clientWidth ?? width;
  const below = frame < NARROW_VIEW ? TEXT_BELOW : 0;
  return { width, height: HEIGHT.most / cssZoom(element) - aroundOf(state) - below };
}

/** The height of a view whose graph stands beside the text, and of one where it stands above it, px: as high as
 * the program is at first, however much of it is opened later. */
export function useFirstHeights(state: ViewState): { beside: number; stacked: number } {
  const heights = useRef({ beside: HEIGHT.least, stacked: HEIGHT.least });
  const isNew = useRef(true);
  const { room, first, open, shape } = state;
  const asked = first || isNew.current ? room : null;
  const graph = useMemo(() => asked && graphHeight(state, asked), [asked, open, shape]);
  if (graph !== null) {
    isNew.current = false;
    const of = (text: number) =>
      Math.ceil(Math.max(HEIGHT.least, Math.min(HEIGHT.most, aroundOf(state) + graph + text)));
    heights.current = { beside: of(0), stacked: of(TEXT_BELOW) };
  }
  return heights.current;
}

/** The px that the graph takes where it is as large as its room allows. */
function graphHeight({ stage, open, shape, only }: ViewState, room: View): number {
  const { width, height } = sizeOfScene(stage, open, shape, only);
  return height * Math.max(FLOOR, Math.min(1, room.width / width));
}
