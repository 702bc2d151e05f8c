/** Small parts of all views: tabs, choices, windows of rows, ids, and texts with elements. */
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Tab {
  kind: string;
  label: string;
  /** The reason why there is no content yet; empty if there is. */
  reason: string;
}

interface Props {
  label: string;
  tabs: readonly Tab[];
  shown: string;
  choose: (kind: string) => void;
}

/** The tabs. Arrow keys move the focus, and Enter opens a tab, because a stage may take long. */
export function Tabs({ label, tabs, shown, choose }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const all = [...(list.current?.querySelectorAll<HTMLElement>('[role=tab]') ?? [])];
    const at = all.indexOf(event.target as HTMLElement);
    const to = STEPS.get(event.key)?.(at, all.length);
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    all[(to + all.length) % all.length]?.focus();
  };
  return (
    <div class="jxv-tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
      {tabs.map(({ kind, label, reason }) => (
        <button
          type="button"
          key={kind}
          class="jxv-tab"
          role="tab"
          aria-selected={kind === shown}
          aria-disabled={reason !== ''}
          title={reason}
          tabIndex={kind === shown ? 0 : -1}
          onClick={() => choose(kind)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

const STEPS = new Map<string, (at: number, length: number) => number>([
  ['ArrowRight', (at) => at + 1],
  ['ArrowLeft', (at) => at - 1],
  ['Home', () => 0],
  ['End', (_, length) => length - 1],
]);

/** The present width of an element, CSS px; null before its layout. */
export function useWidth(element: RefObject<HTMLElement>): number | null {
  const [width, setWidth] = useState<number | null>(null);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) setWidth(entry.contentRect.width);
    });
    const { current } = element;
    if (current) observer.observe(current);
    if (current?.clientWidth) setWidth(current.clientWidth);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/** The number of rows that are drawn beyond each edge of the view. */
const SPARE_ROWS = 8;
/** The assumed height before the layout, px. */
const FIRST_HEIGHT = 600;

/** The visible rows of a long list, `[from, to)`. All rows have the same height, px. */
export function useWindow(
  element: RefObject<HTMLElement>,
  count: number,
  rowHeight: number,
): { from: number; to: number } {
  const [view, setView] = useState({ top: 0, height: FIRST_HEIGHT });
  useLayoutEffect(() => {
    const scroller = element.current;
    if (!scroller) return;
    const measure = () =>
      setView({ top: scroller.scrollTop, height: scroller.clientHeight || FIRST_HEIGHT });
    const ending = new AbortController();
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    scroller.addEventListener('scroll', measure, { signal: ending.signal, passive: true });
    measure();
    return () => {
      ending.abort();
      observer.disconnect();
    };
  }, []);
  const from = Math.max(0, Math.min(Math.floor(view.top / rowHeight), count - 1) - SPARE_ROWS);
  return { from, to: Math.min(count, from + Math.ceil(view.height / rowHeight) + 2 * SPARE_ROWS) };
}

/** An empty row of a table with the height of the rows that are not drawn. */
export function Gap({ height }: { height: number }) {
  if (height <= 0) return null;
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
  return <tr aria-hidden="true" style={`height:${height}px`} />;
}

interface ChoiceProps<T> {
  /** The question, for a screen reader. */
  label: string;
  options: readonly { value: T; label: ComponentChildren }[];
  chosen: T | null | undefined;
  choose: (value: T) => void;
  /** True if the buttons stand apart, because their labels are long. */
  isLoose?: boolean;
}

/** Buttons for the reader's answer to a question, or for a prediction. At most one is chosen. */
export const Choice = <T extends string>({
  label,
  options,
  chosen,
  choose,
  isLoose = false,
}: ChoiceProps<T>) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is laid out by the pages that host us
  <span
    class={isLoose ? 'jxv-choice jxv-choice-loose' : 'jxv-choice'}
    role="group"
    aria-label={label.replaceAll('`', '')}
  >
    {options.map(({ value, label }) => (
      <button
        key={value}
        type="button"
        aria-pressed={chosen === value}
        onClick={() => choose(value)}
      >
        {label}
      </button>
    ))}
  </span>
);

/** Scrolls a row that begins at `top` into view, below a header; all in px. */
export function showRow(scroller: HTMLElement, top: number, height: number, header: number): void {
  const least = top + height - (scroller.clientHeight - header);
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (least > scroller.scrollTop) scroller.scrollTop = least;
}

export const useUniqueId = (): string =>
  useState(() => `jxv-${Math.random().toString(36).slice(2)}`)[0];

/** The id of an option in the list with that id. */
export const optionId = (list: string, option: number): string => `${list}-${option}`;

/** The placeholder of the first element while the text is put together: a private character of
 * Unicode, so that no translation contains it. */
const FIRST_PLACE = 0xe000;

/** A text with elements in it. `say` gets a placeholder for each element, so that each language
 * chooses their order. */
export function phrase(
  say: (...places: string[]) => string,
  ...elements: ComponentChildren[]
): ComponentChildren[] {
  const places = elements.map((_, index) => String.fromCharCode(FIRST_PLACE + index));
  return say(...places)
    .split(/([\uE000-\uE00F])/)
    .map((part) => (places.includes(part) ? elements[places.indexOf(part)] : part));
}
