/** A button with a menu of commands, choices and switches. Both follow WAI-ARIA:
 * https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/ */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { cssZoom } from '../../render/css-zoom';

/** The px between the button and the menu, and between the menu and the edge of the window. */
const MENU_GAP = 2;
const WINDOW_GAP = 8;

export interface Entry {
  label: string;
  /** The content before and after the label. */
  before?: ComponentChildren;
  after?: ComponentChildren;
  /** True in `now` if the switch is on, or the choice is the present one. */
  chosen?: { as: 'checkbox' | 'radio'; now: boolean };
  /** Called while the entry is pointed at or has the focus. */
  peek?: () => void;
  /** May return a sentence that says what was done; null if there is nothing to do. */
  run: (() => unknown) | null;
}

/** Entries that belong together, with or without a heading. */
export interface Section {
  heading?: string;
  entries: readonly Entry[];
}

interface Props {
  /** The accessible name of the button and of the menu. */
  name: string;
  title?: string;
  class: string;
  children: ComponentChildren;
  sections: () => readonly Section[];
  /** True if it stays open after a choice; else any entry closes it. */
  stays?: boolean;
  /** Called when no entry is pointed at any more. */
  leave?: () => void;
  /** Gets a function that opens the menu at the first entry under a heading. */
  opener?: RefObject<(heading: string) => void>;
}

export function MenuButton(props: Props) {
  const { name, title, children, sections } = props;
  const button = useRef<HTMLButtonElement>(null);
  const { first, result, open, setResult, leaveMenu, close, run } = useMenu(props, button);
  return (
    <span class="jxv-menu-place">
      <button
        ref={button}
        type="button"
        class={props.class}
        aria-label={name}
        title={title ?? name}
        aria-haspopup="menu"
        aria-expanded={first !== null}
        onMouseDown={(event) => first !== null && event.preventDefault()}
        onClick={() => (first === null ? open(0) : close())}
        onKeyDown={(event) => (event.key === 'Escape' ? setResult('') : openWithKey(event, open))}
        onBlur={() => setResult('')}
      >
        {children}
      </button>
      {first !== null && button.current && (
        <Menu
          {...{ name, first, run, close }}
          sections={sections()}
          beside={button.current}
          leave={leaveMenu}
        />
      )}
      <span class="jxv-menu-result" aria-live="polite">
        {result}
      </span>
    </span>
  );
}

/** The state of a menu. `first` is the entry that gets the focus when the menu opens, -1 for the
 * last; null while it is closed. */
function useMenu({ sections, stays, leave, opener }: Props, button: RefObject<HTMLElement>) {
  const [first, open] = useState<number | null>(null);
  const [result, setResult] = useState('');
  const leaveMenu = () => {
    open(null);
    leave?.();
  };
  const close = () => {
    leaveMenu();
    button.current?.focus({ preventScroll: true });
  };
  const run = async ({ run: work }: Entry) => {
    if (!work) return;
    if (!stays) close();
    setResult(await resultOf(work));
  };
  if (opener) opener.current = (heading) => open(placeOf(sections(), heading));
  return { first, result, open, setResult, leaveMenu, close, run };
}

/** The index of the first entry under a heading; 0 if there is none. */
function placeOf(sections: readonly Section[], heading: string): number {
  const at = sections.findIndex((one) => one.heading === heading);
  return sections.slice(0, Math.max(0, at)).reduce((sum, { entries }) => sum + entries.length, 0);
}

function openWithKey(event: KeyboardEvent, open: (first: 0 | -1) => void): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  event.preventDefault();
  event.stopPropagation();
  open(event.key === 'ArrowDown' ? 0 : -1);
}

/** The sentence after an entry has run: its result, or why it failed. */
async function resultOf(work: NonNullable<Entry['run']>): Promise<string> {
  try {
    const result = await work();
    return typeof result === 'string' ? result : '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface MenuProps {
  name: string;
  sections: readonly Section[];
  first: number;
  beside: HTMLElement;
  run: (entry: Entry) => void;
  /** Closes the menu and returns the focus. */
  close: () => void;
  /** Closes it when the focus has moved elsewhere. */
  leave: () => void;
}

const itemsOf = (menu: HTMLElement | null): HTMLElement[] => [
  ...(menu?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? []),
];

function Menu({ name, sections, first, beside, run, close, leave }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  useRaised(menu, { first, beside, leave });
  return (
    <div
      ref={menu}
      class="jxv-menu"
      role="menu"
      aria-label={name}
      tabIndex={-1}
      popover="manual"
      onKeyDown={(event) => walk(event, menu.current, close)}
      onFocusOut={({ relatedTarget }) => {
        const to = relatedTarget as Node | null;
        if (!menu.current?.contains(to) && to !== beside) leave();
      }}
    >
      {sections.map(({ heading = '', entries }, index) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset holds inputs
        <div role="group" key={index} {...(heading ? { 'aria-label': heading } : {})}>
          {entries.map((entry) => (
            <Line key={entry.label} entry={entry} run={run} />
          ))}
        </div>
      ))}
    </div>
  );
}

/** Handles a key in the menu: moves between entries, or closes it. */
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

/** Shows the menu beside its button and moves the focus into it. The menu follows its button while
 * anything scrolls, because an entry may scroll the page. It closes once the button is outside the
 * window. */
function useRaised(
  menu: RefObject<HTMLElement>,
  { first, beside, leave }: Pick<MenuProps, 'first' | 'beside' | 'leave'>,
): void {
  useLayoutEffect(() => {
    menu.current?.showPopover?.();
    if (menu.current) place(menu.current, beside);
    itemsOf(menu.current)
      .at(first)
      ?.focus({ preventScroll: first === 0 });
  }, []);
  useEffect(() => {
    const moved = ({ target }: Event) => {
      if (!menu.current || target === menu.current) return;
      const { top, bottom } = beside.getBoundingClientRect();
      if (bottom < 0 || top > innerHeight) leave();
      else place(menu.current, beside);
    };
    document.addEventListener('scroll', moved, { capture: true, passive: true });
    return () => document.removeEventListener('scroll', moved, { capture: true });
  }, []);
}

function Line({ entry, run }: { entry: Entry; run: (entry: Entry) => void }) {
  const { label, before, after, chosen, peek } = entry;
  return (
    <button
      type="button"
      class="jxv-bare"
      role={chosen ? `menuitem${chosen.as}` : 'menuitem'}
      tabIndex={-1}
      aria-disabled={entry.run === null}
      {...(chosen ? { 'aria-checked': chosen.now } : {})}
      onClick={() => run(entry)}
      onFocus={peek}
      onPointerMove={({ currentTarget }) => currentTarget.focus({ preventScroll: true })}
    >
      {before}
      <span>{label}</span>
      {after && <span class="jxv-menu-after">{after}</span>}
    </button>
  );
}

/** The entry that a key leads to, if any. */
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

/** Puts the menu below its button, as far as the window has room. */
function place(menu: HTMLElement, beside: HTMLElement): void {
  const { left, bottom } = beside.getBoundingClientRect();
  const zoom = cssZoom(menu);
  const within = (start: number, length: number, room: number) =>
    `${Math.max(WINDOW_GAP, Math.min(start / zoom, room / zoom - length - WINDOW_GAP))}px`;
  menu.style.left = within(left, menu.offsetWidth, innerWidth);
  menu.style.top = within(bottom + MENU_GAP, menu.offsetHeight, innerHeight);
}
