import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { __ } from '../language';
import { useWidth } from './width';

/** Narrower than this, the graph stands above the text, px. */
const NARROW = 700;
const LEAST = 15;
const STEP = 5;

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
  const move = (to: number) => resize(Math.max(LEAST, Math.min(100 - LEAST, to)));
  const onKeyDown = (event: KeyboardEvent) => {
    const [less, more] = stacked ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight'];
    if (event.key !== less && event.key !== more) return;
    event.preventDefault();
    event.stopPropagation();
    move(share + (event.key === more ? STEP : -STEP));
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
        aria-valuemin={LEAST}
        aria-valuemax={100 - LEAST}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
      />
      <div class="jxv-text-pane">{text}</div>
    </div>
  );
}
