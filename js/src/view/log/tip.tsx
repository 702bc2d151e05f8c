import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Point } from './gestures';

interface Props {
  at: Point;
  text: string;
  grid: RefObject<HTMLElement>;
}

/** What is said of the block under the pointer, beside it. */
export function Tip({ at, text, grid }: Props) {
  const tip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const [element, row] = [tip.current, grid.current?.querySelector(`[data-row="${at.row}"]`)];
    const plot = row?.querySelector('.jxv-log-plot')?.getBoundingClientRect();
    const around = element?.offsetParent?.getBoundingClientRect();
    if (!element || !plot || !around) return;
    const left = plot.left - around.left + at.x + 10;
    const most = around.width - element.offsetWidth - 6;
    element.style.left = `${Math.max(6, Math.min(left, most))}px`;
    element.style.top = `${plot.top - around.top + at.y + 16}px`;
  });
  return (
    <div class="jxv-log-tip" ref={tip} aria-hidden="true">
      {text}
    </div>
  );
}
