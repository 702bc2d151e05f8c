import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { __ } from '../language';
import { useWidth } from './element-size';

/** Narrower than this, the graph stands above the text, px. */
const NARROW = 700;
const LEAST_SHARE = 15;
const SHARE_STEP = 5;

interface Props {
  graph: ComponentChildren;
  text: ComponentChildren;
  /** Of the graph, percent. */
  share: number;
  resize: (share: number) => void;
}

/** Graph and text with a separator that the pointer or the arrow keys move. */
export function Panes({ graph, text, share, resize }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const stacked = (useWidth(element) ?? NARROW) < NARROW;
  const move = (to: number) => resize(Math.max(LEAST_SHARE, Math.min(100 - LEAST_SHARE, to)));
  const onKeyDown = (event: KeyboardEvent) => {
    const [less, more] = stacked ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight'];
    if (event.key !== less && event.key !== more) return;
    event.preventDefault();
    event.stopPropagation();
    move(share + (event.key === more ? SHARE_STEP : -SHARE_STEP));
  };
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
      style={`--jxv-share:${share}%`}
    >
      <div class="jxv-graph-pane">{graph}</div>
      {/* biome-ignore lint/a11y/useSemanticElements: a separator that is moved is no hr */}
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
      <div class="jxv-text-pane">{text}</div>
    </div>
  );
}

/** One thing to see beside the graph. */
export interface Sight {
  /** Kept as what was shown last. */
  name: string;
  label: string;
  content: ComponentChildren;
}

interface SideProps {
  sights: readonly Sight[];
  /** The name of the one that is shown; the first one where there is none of that name. */
  shown: string;
  show: (name: string) => void;
  /** At the end of the row of tabs. */
  beside: ComponentChildren;
}

/** What stands beside the graph: one sight of a few, by a row of tabs that the arrow keys walk. */
export function Side({ sights, shown, show, beside }: SideProps) {
  const found = sights.findIndex(({ name }) => name === shown);
  const at = Math.max(0, found);
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
    <div class="jxv-side">
      <div class="jxv-side-head">
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
              class="jxv-side-tab"
              role="tab"
              aria-selected={index === at}
              tabIndex={index === at ? 0 : -1}
              onClick={() => show(name)}
            >
              {label}
            </button>
          ))}
        </div>
        {beside}
      </div>
      <div class="jxv-side-sight" role="tabpanel" aria-label={sights[at]?.label} key={at}>
        {sights[at]?.content}
      </div>
    </div>
  );
}
