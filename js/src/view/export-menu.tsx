/** The menu that saves and copies a program. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { __ } from '../language';
import { type Entry, type Exported, entriesOf } from './export-entries';
import { EXPORT, VIEWS } from './host-events';

/** The px between the button and the menu, and between the menu and the edge of the window. */
const MENU_GAP = 2;
const WINDOW_GAP = 8;

/** The button of the menu, and the menu while it is open. Both follow WAI-ARIA:
 * https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/ */
export function Export(exported: Exported) {
  const button = useRef<HTMLButtonElement>(null);
  const { first, open, close } = useMenu(button);
  const [said, say] = useState('');
  const run = async ({ run: work }: Entry) => {
    if (!work) return;
    close();
    say(await resultOf(work));
  };
  return (
    <span class="jxv-export">
      <button
        ref={button}
        type="button"
        class="jxv-button"
        aria-haspopup="menu"
        aria-expanded={first !== null}
        onMouseDown={(event) => first !== null && event.preventDefault()}
        onClick={() => (first === null ? open(0) : close())}
        onKeyDown={(event) => (event.key === 'Escape' ? say('') : openWithKey(event, open))}
        onBlur={() => say('')}
      >
        {__('Export')}
      </button>
      {first !== null && button.current && (
        <Menu
          {...{ first, run, close }}
          entries={entriesOf(exported)}
          beside={button.current}
          leave={() => open(null)}
        />
      )}
      <span class="jxv-export-said" aria-live="polite">
        {said}
      </span>
    </span>
  );
}

function openWithKey(event: KeyboardEvent, open: (first: 0 | -1) => void): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  event.preventDefault();
  open(event.key === 'ArrowDown' ? 0 : -1);
}

/** Whether the menu of a button is open, and how to open and close it. */
function useMenu(button: RefObject<HTMLElement>) {
  /** Which entry has the focus when the menu opens, -1 for the last; null while it is closed. */
  const [first, open] = useState<0 | -1 | null>(null);
  useEffect(() => onExport(button.current, () => open(0)), []);
  const close = () => {
    open(null);
    button.current?.focus({ preventScroll: true });
  };
  return { first, open, close };
}

/** What to say when an entry has run: what it did, or why it failed. */
async function resultOf(work: NonNullable<Entry['run']>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface MenuProps {
  entries: Entry[][];
  first: 0 | -1;
  beside: HTMLElement;
  run: (entry: Entry) => void;
  /** Closes the menu and gives the focus back. */
  close: () => void;
  /** Closes it where the focus went elsewhere. */
  leave: () => void;
}

const itemsOf = (menu: HTMLElement | null): HTMLElement[] => [
  ...(menu?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []),
];

function Menu({ entries, first, beside, run, close, leave }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  useRaised(menu, { first, beside, leave });
  return (
    <div
      ref={menu}
      class="jxv-menu"
      role="menu"
      aria-label={__('Export')}
      tabIndex={-1}
      popover="manual"
      onKeyDown={(event) => walk(event, menu.current, close)}
      onFocusOut={({ relatedTarget }) => {
        const to = relatedTarget as Node | null;
        if (!menu.current?.contains(to) && to !== beside) leave();
      }}
    >
      {entries.map((section, index) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset holds inputs
        <div role="group" key={index}>
          {section.map((entry) => (
            <Line key={entry.label} entry={entry} run={run} />
          ))}
        </div>
      ))}
    </div>
  );
}

/** Does what a key does in the menu: moves between entries, or closes it. */
function walk(event: KeyboardEvent, menu: HTMLElement | null, close: () => void): void {
  const { key } = event;
  if (key === 'Tab') close();
  const all = itemsOf(menu);
  const to = target(all, all.indexOf(document.activeElement as HTMLElement), key);
  if (key !== 'Escape' && !to) return;
  event.preventDefault();
  event.stopPropagation();
  if (to) to.focus();
  else close();
}

/** Shows the menu beside its button with the focus in it, and closes it once the page scrolls. */
function useRaised(
  menu: RefObject<HTMLElement>,
  { first, beside, leave }: Pick<MenuProps, 'first' | 'beside' | 'leave'>,
): void {
  useLayoutEffect(() => {
    if (menu.current) raise(menu.current, beside);
    itemsOf(menu.current).at(first)?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    const moved = ({ target }: Event) => target !== menu.current && leave();
    document.addEventListener('scroll', moved, { capture: true, passive: true });
    return () => document.removeEventListener('scroll', moved, { capture: true });
  }, []);
}

function Line({ entry, run }: { entry: Entry; run: (entry: Entry) => void }) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      aria-disabled={entry.run === null}
      onClick={() => run(entry)}
      onPointerMove={({ currentTarget }) => currentTarget.focus({ preventScroll: true })}
    >
      {entry.label}
      {entry.code && (
        <>
          {' '}
          <code>{entry.code}</code>
        </>
      )}
    </button>
  );
}

/** The entry to which a key leads; undefined where it leads nowhere. */
function target(items: HTMLElement[], at: number, key: string): HTMLElement | undefined {
  if (key === 'ArrowDown') return items[(at + 1) % items.length];
  if (key === 'ArrowUp') return items.at(at - 1);
  if (key === 'Home') return items[0];
  if (key === 'End') return items.at(-1);
  if (key.length !== 1 || key === ' ') return undefined;
  const starts = (item: HTMLElement) =>
    item.textContent?.toLowerCase().startsWith(key.toLowerCase()) ?? false;
  return [...items.slice(at + 1), ...items.slice(0, at + 1)].find(starts);
}

/** Shows the menu above all else on the page, below its button as far as the window has room. */
function raise(menu: HTMLElement, beside: HTMLElement): void {
  const { left, bottom } = beside.getBoundingClientRect();
  menu.showPopover?.();
  const within = (start: number, length: number, room: number) =>
    `${Math.max(WINDOW_GAP, Math.min(start, room - length - WINDOW_GAP))}px`;
  menu.style.left = within(left, menu.offsetWidth, innerWidth);
  menu.style.top = within(bottom + MENU_GAP, menu.offsetHeight, innerHeight);
}

/** Calls `asked` when the host asks for the menu of the view around an element. The returned
 * function ends that. */
export function onExport(element: Element | null, asked: () => void): () => void {
  const view = element?.closest(VIEWS);
  view?.addEventListener(EXPORT, asked);
  return () => view?.removeEventListener(EXPORT, asked);
}
