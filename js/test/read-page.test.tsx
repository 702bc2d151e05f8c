/** Pages of text on kinds of errors and findings: below a card or a finding, and in the panel. */
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { expect, test, vi } from 'vitest';
import { mountPanel } from '../src/panel/panel-view';
import { MoreAboutThis } from '../src/shell/parts/help-page';
import { PAGE, type PageEvent } from '../src/shell/parts/host-events';
import { NOTHING_SELECTED, type Selecting } from '../src/state/panel/notebook-selection';
import { button, ending, host, one } from './page';
import { followed } from './panels';

const text = '# A mask\n\nA mask has `bool` values.\n\n## An example\n\n```python\nx[m]\n```\n';
const PAGES = { en: text, ko: text };

const open = () =>
  act(async () => {
    const details = one('details') as HTMLDetailsElement;
    details.open = true;
    details.dispatchEvent(new Event('toggle'));
  });
const press = (name: string) => act(async () => button(name).click());

test('a page is read in place where its host has no panel', async () => {
  act(() => render(<MoreAboutThis page={PAGES} />, host));
  await open();
  expect(host.querySelector('pre')?.textContent).toBe('x[m]');
  expect(host.querySelector('button')).toBeNull();
});

test('a page that is open moves to the panel where there is one', async () => {
  const wanted = vi.fn();
  const hear = (event: Event) => {
    const { detail } = event as CustomEvent<PageEvent>;
    detail.possible();
    wanted(detail.wanted, detail.page);
  };
  host.addEventListener(PAGE, hear, { signal: ending.signal });
  act(() => render(<MoreAboutThis page={PAGES} />, host));
  await open();
  await press('Open it in the panel');
  expect(wanted).toHaveBeenCalledWith(true, PAGES);
  expect(host.querySelector('details')?.open).toBe(false);
});

test('the panel has the page until it is closed, or something is selected', async () => {
  let changed = () => {};
  let now = NOTHING_SELECTED as ReturnType<Selecting['now']>;
  const selecting = {
    ...followed({}).selecting,
    now: () => now,
    follow: (onChange: () => void) => {
      changed = onChange;
    },
  };
  const show = mountPanel(host, ending.signal);
  const read = () => act(async () => show(followed({ selecting, page: { ...PAGES } })));
  const title = () => host.querySelector('.jxv-inspector h3')?.textContent;
  await read();
  expect(title()).toBe('A mask');
  expect(host.querySelector('.jxv-inspector code')?.textContent).toBe('bool');
  expect(document.activeElement?.className).toBe('jxv-inspector');
  await act(async () => show(followed({ selecting })));
  expect(title()).toBe('A mask');
  await press('Close');
  expect(title()).toBeUndefined();
  await read();
  const [program, focus] = [{} as never, { stage: 'jaxpr', id: '0' }];
  const selected = { program, later: null, focus, view: null };
  await act(async () => {
    now = { selected: null, pointed: selected };
    changed();
  });
  expect(title()).toBe('A mask');
  await act(async () => {
    now = { selected, pointed: null };
    changed();
  });
  expect(title()).toBeUndefined();
});
