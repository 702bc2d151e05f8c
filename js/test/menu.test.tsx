import { render } from 'preact';
import { act } from 'preact/test-utils';
import { beforeEach, expect, test } from 'vitest';
import { entriesOf } from '../src/shell/export';
import { MenuButton } from '../src/shell/parts/menu';
import { golden } from './fixtures';
import { all, click, host, one, press } from './page';
import { untilHolds } from './until';

const program = golden('lesson');

beforeEach(() => {
  const stage = program.stages[0]!;
  const exported = { program, stage, partial: null, selected: null, shown: () => null };
  const sections = () =>
    entriesOf(exported).map((entries) => ({
      entries: entries.map(({ code, ...entry }) => ({ ...entry, after: code })),
    }));
  act(() =>
    render(
      <MenuButton name="More" class="" sections={sections}>
        ⋯
      </MenuButton>,
      host,
    ),
  );
});

const button = () => one('[aria-haspopup=menu]');
const items = () => all('[role=menuitem]');
const focused = () => document.activeElement?.textContent;
const key = (name: string) => press(document.activeElement as Element, name);
const open = (name: string) => {
  button().focus();
  key(name);
};

test('a click opens the menu on its first line, and closes it', () => {
  expect(button().getAttribute('aria-expanded')).toBe('false');
  click(button());
  expect(button().getAttribute('aria-expanded')).toBe('true');
  expect(focused()).toBe('SVG of the visible part');
  click(button());
  expect(items()).toEqual([]);
  expect(document.activeElement).toBe(button());
});

test('arrows, Home, End and letters walk through it', () => {
  open('ArrowUp');
  expect(focused()).toBe("Offline page: copyprogram.save('lesson.html')");
  key('ArrowDown');
  expect(focused()).toBe('SVG of the visible part');
  key('ArrowUp');
  expect(focused()).toMatch(/^Offline page/);
  key('Home');
  key('p');
  expect(focused()).toBe('PNG of the visible part');
  key('p');
  expect(focused()).toBe('PNG of everything that is open');
  key('End');
  expect(focused()).toMatch(/^Offline page/);
});

test.each(['Escape', 'Tab'])('%s closes it and gives the focus back', (name) => {
  open('ArrowDown');
  key(name);
  expect(items()).toEqual([]);
  expect(document.activeElement).toBe(button());
});

test('the focus that goes elsewhere closes it', () => {
  open('ArrowDown');
  const gone = new FocusEvent('focusout', { bubbles: true, relatedTarget: document.body });
  act(() => void document.activeElement?.dispatchEvent(gone));
  expect(items()).toEqual([]);
});

test('a line with nothing to do stays, and does nothing', () => {
  open('ArrowDown');
  const copy = items().find((item) => item.textContent?.includes('selection')) as HTMLElement;
  expect(copy.getAttribute('aria-disabled')).toBe('true');
  click(copy);
  expect(items()).not.toEqual([]);
});

test('what cannot be done is one sentence, gone with the focus', async () => {
  open('ArrowDown');
  await act(async () => items()[0]?.click());
  const announcement = one('[aria-live]');
  await untilHolds(() => expect(announcement.textContent).toBe('There is no picture to save.'));
  act(() => void button().dispatchEvent(new FocusEvent('blur')));
  expect(announcement.textContent).toBe('');
});
