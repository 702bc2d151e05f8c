import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { entriesOf } from '../src/view/export-entries';
import { MenuButton } from '../src/view/menu';
import { golden } from './fixtures';
import { untilHolds } from './until';

const host = document.body.appendChild(document.createElement('div'));
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
afterEach(() => render(null, host));

const button = () => host.querySelector('[aria-haspopup=menu]') as HTMLButtonElement;
const items = () => [...host.querySelectorAll<HTMLElement>('[role=menuitem]')];
const focused = () => document.activeElement?.textContent;
const press = (key: string) =>
  act(() => {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
    document.activeElement?.dispatchEvent(event);
  });
const open = (key: string) => {
  button().focus();
  press(key);
};

test('a click opens the menu on its first line, and closes it', () => {
  expect(button().getAttribute('aria-expanded')).toBe('false');
  act(() => button().click());
  expect(button().getAttribute('aria-expanded')).toBe('true');
  expect(focused()).toBe('SVG of what is seen');
  act(() => button().click());
  expect(items()).toEqual([]);
  expect(document.activeElement).toBe(button());
});

test('arrows, Home, End and letters walk through it', () => {
  open('ArrowUp');
  expect(focused()).toBe("Offline page: copyprogram.save('lesson.html')");
  press('ArrowDown');
  expect(focused()).toBe('SVG of what is seen');
  press('ArrowUp');
  expect(focused()).toMatch(/^Offline page/);
  press('Home');
  press('p');
  expect(focused()).toBe('PNG of what is seen');
  press('p');
  expect(focused()).toBe('PNG of all that is open');
  press('End');
  expect(focused()).toMatch(/^Offline page/);
});

test.each(['Escape', 'Tab'])('%s closes it and gives the focus back', (key) => {
  open('ArrowDown');
  press(key);
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
  act(() => copy.click());
  expect(items()).not.toEqual([]);
});

test('what cannot be done is one sentence, gone with the focus', async () => {
  open('ArrowDown');
  await act(async () => items()[0]?.click());
  const said = host.querySelector('[aria-live]') as HTMLElement;
  await untilHolds(() => expect(said.textContent).toBe('There is no picture to save.'));
  act(() => void button().dispatchEvent(new FocusEvent('blur')));
  expect(said.textContent).toBe('');
});
