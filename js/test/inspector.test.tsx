/** One selection in a notebook: views announce it, and receive what to select and what is pointed at. */
import { act } from 'preact/test-utils';
import { beforeEach, expect, test, vi } from 'vitest';
import { DocumentSelection } from '../src/hosts/lab/document-selection';
import { mountPanel } from '../src/panel/panel-view';
import type { Program } from '../src/schema';
import { mount } from '../src/shell';
import {
  LINES,
  POINT,
  type PointEvent,
  SOURCE,
  type SourceEvent,
  VIEWS,
} from '../src/shell/parts/host-events';
import type { Kernel } from '../src/state/kernel-requests';
import {
  afterAnnouncement,
  inspected,
  NOTHING_SELECTED,
  type Selection,
  withoutViews,
} from '../src/state/panel/notebook-selection';
import { golden } from './fixtures';
import { linkedProgram } from './linked-program';
import { CELL } from './linked-text';
import { NO_REQUESTS } from './no-requests';
import { ending, host as notebook, press as pressKey, type } from './page';
import { followed } from './panels';
import { until } from './until';

let panel: HTMLElement;
let selection: DocumentSelection;

beforeEach(() => {
  panel = document.body.appendChild(document.createElement('div'));
  selection = new DocumentSelection();
  selection.listen(notebook, ending.signal);
});

async function output(program: Program, kernel: Kernel | null = null): Promise<HTMLElement> {
  const host = notebook.appendChild(document.createElement('div'));
  const arriving = Promise.resolve(program);
  await act(async () => {
    mount(
      host,
      { program: arriving, partial: null, opening: { stage: 'jaxpr' }, kernel },
      ending.signal,
    );
    await arriving;
  });
  await until(() => host.querySelector('.cm-content'));
  return host;
}

const press = (one: Element | null | undefined) => act(async () => (one as HTMLElement).click());
const button = (host: HTMLElement, name: string | RegExp) =>
  [...host.querySelectorAll('button')].find((one) =>
    typeof name === 'string' ? one.textContent === name : name.test(one.textContent ?? ''),
  );

async function inspector(): Promise<void> {
  const update = mountPanel(panel, ending.signal);
  await act(async () => update(followed({ selecting: selection })));
  await press(button(panel, 'Inspector'));
}

const shown = () => panel.querySelector('.jxv-inspector');
const title = (host: HTMLElement = panel) => host.querySelector('.jxv-title')?.textContent;
const facts = () =>
  [...panel.querySelectorAll('.jxv-fact')].map((one) =>
    [...one.querySelectorAll('dt, dd > span, dd > p')].map(({ textContent }) => textContent),
  );

async function find(host: HTMLElement, query: string): Promise<void> {
  const input = host.querySelector<HTMLInputElement>('input[type=search]')!;
  await act(async () => type(query, input));
  await act(async () => pressKey(input, 'Enter'));
}

test('the panel describes the selection of an output, with the meaning of its params', async () => {
  const host = await output(golden('grad_loss'));
  await inspector();
  expect(shown()).toBe(null);
  expect(panel.textContent).toContain('Select a box or a line');
  await find(host, 'dot_general');
  expect(title()).toBe("d = dot_general batch[0] params['layers'][0]");
  expect(facts()).toContainEqual([
    'dimension_numbers',
    '(((1,), (0,)), ((), ()))',
    'Sums products along dimension 1 of lhs and 0 of rhs.',
  ]);
});

test('a link in the panel selects in the output that announced', async () => {
  const [host, other] = [await output(golden('grad_loss')), await output(golden('relu'))];
  await inspector();
  await find(host, 'dot_general');
  await press(button(panel, 'gt'));
  expect(title()).toMatch(/= gt /);
  expect(title(host)).toBe(title());
  expect(title(other)).toBe(undefined);
});

test('the panel tells what it became, and goes there in the view', async () => {
  const host = await output(linkedProgram());
  await inspector();
  await find(host, 'tanh');
  await press(button(panel, /^tanh/));
  expect(host.querySelector('.jxv-tab[aria-selected=true]')?.textContent).toBe('StableHLO');
  expect(panel.textContent).toContain('StableHLO of');
});

test('later stages are made from the panel, through the view', async () => {
  const { stages, ...rest } = linkedProgram();
  const asked: string[] = [];
  let failing = true;
  const kernel: Kernel = {
    ...NO_REQUESTS,
    stage: async (kind, onProgress) => {
      asked.push(kind);
      if (kind === 'hlo' && failing) throw new Error('XLA has no such device.');
      onProgress('lowering', 0);
      return { ...rest, stages: stages.filter((one) => one.kind === kind) };
    },
  };
  const host = await output({ ...rest, stages: stages.slice(0, 1) }, kernel);
  await inspector();
  await find(host, 'tanh');
  await press(button(panel, 'Make StableHLO'));
  expect(facts()[0]).toEqual(['became', 'StableHLO: tanh ']);
  await press(button(panel, 'Make HLO'));
  expect(panel.querySelector('[role=alert]')?.textContent).toBe('HLO: XLA has no such device.');
  failing = false;
  await press(button(panel, 'Make HLO again'));
  expect(facts()[0]?.length).toBe(3);
  expect(button(panel, /^Make/)).toBe(undefined);
  expect(asked).toEqual(['stablehlo', 'hlo', 'hlo']);
});

test('the panel shows what the kernel does for a stage, and stops it', async () => {
  const kernel: Kernel = {
    ...NO_REQUESTS,
    stage: (_, onProgress, signal) =>
      new Promise((_, reject) => {
        onProgress('compiling', 3);
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  };
  const host = await output(golden('grad_loss'), kernel);
  await inspector();
  await find(host, 'dot_general');
  await press(button(panel, 'Make HLO'));
  expect(panel.querySelector('.jxv-to-make [role=status]')?.textContent).toBe('compiling');
  await press(button(panel, 'Stop'));
  expect(panel.querySelector('[role=alert]')?.textContent).toBe('HLO: Stopped.');
});

test('without a kernel it says how to get later stages, and nothing if there are none', async () => {
  const host = await output(golden('grad_loss'));
  await inspector();
  await find(host, 'dot_general');
  expect(panel.textContent).toMatch(/%jaxviz .*\(…\) --stage hlo/);
  expect(button(panel, /^Make/)).toBe(undefined);
});

test('the line of source asks the notebook for it', async () => {
  const host = await output(linkedProgram());
  await inspector();
  await find(host, 'tanh');
  const asked: SourceEvent[] = [];
  panel.addEventListener(SOURCE, (event) => asked.push((event as CustomEvent).detail));
  await press(panel.querySelector('.jxv-source .jxv-link'));
  expect(asked.length).toBe(1);
  const [{ listings, ...place }] = asked as [SourceEvent];
  expect(place).toEqual({ cell: 'c1', file: 'cell.py', line: 5, code: 'h = jnp.tanh(x @ w)' });
  expect(listings).toEqual(linkedProgram().listings);
});

test('a selection that is cleared, or whose output is gone, is no longer shown', async () => {
  const host = await output(golden('grad_loss'));
  await inspector();
  await find(host, 'dot_general');
  await act(async () => selection.forget(host));
  expect(shown()).toBe(null);
});

const point = (detail: PointEvent) =>
  act(async () => {
    for (const view of selection.views()) {
      view.dispatchEvent(new CustomEvent<PointEvent>(POINT, { detail }));
    }
  });

test('a line that is pointed at is marked in the views that hold it, and selects nothing', async () => {
  const [host, other] = [await output(linkedProgram()), await output(golden('relu'))];
  const onLines = vi.fn();
  notebook.addEventListener(LINES, onLines);
  const marked = (one: HTMLElement) =>
    [...one.querySelectorAll('.jxv-l-hovered')].map(({ textContent }) => textContent?.trim());
  const lines = CELL.split('\n');
  await point({ cell: 'c1', line: 6, lines });
  expect(marked(host)).toEqual([
    'b:f32[4] = max a 0.0:f32[]',
    'g:f32[4] = jit[name=relu jaxpr=relu] f',
  ]);
  expect(host.querySelector('.jxv-details-text')?.textContent).toMatch(
    /^Highlighted for line 6 relu/,
  );
  expect(marked(other)).toEqual([]);
  await point({ cell: 'c1', line: 7, lines: ['# new', ...lines] });
  expect(marked(host).length).toBe(2);
  await point({
    cell: 'c1',
    line: 6,
    lines: lines.map((line, at) => (at === 5 ? '    y = jax.nn.tanh(h)' : line)),
  });
  expect(marked(host)).toEqual([]);
  expect(host.querySelector('.jxv-details-text')?.textContent).toMatch(/was edited after capture/);
  await point(null);
  expect(host.querySelector('.jxv-details-text')).toBeNull();
  expect(onLines).not.toHaveBeenCalled();
  expect(selection.now()).toEqual(NOTHING_SELECTED);
});

test('the pointed-at item is shown while nothing is selected', () => {
  const program = golden('relu');
  const [one, other] = [
    { stage: 'jaxpr', id: '0' },
    { stage: 'jaxpr', id: '1' },
  ];
  const start: Selection<string> = NOTHING_SELECTED;
  const newest = () => false;
  const base = { program, later: null, again: false };
  const hovered = afterAnnouncement(start, { ...base, selected: null, pointed: one }, 'a', newest);
  expect(inspected(hovered)).toEqual({ program, later: null, focus: one, view: 'a' });
  const both = afterAnnouncement(hovered, { ...base, selected: other, pointed: null }, 'b', newest);
  expect(inspected(both)).toEqual({ program, later: null, focus: other, view: 'b' });
  const back = afterAnnouncement(both, { ...base, selected: null, pointed: null }, 'b', newest);
  expect(inspected(back)).toEqual({ program, later: null, focus: one, view: 'a' });
  const less = afterAnnouncement(
    back,
    { ...base, selected: null, pointed: other },
    'b',
    () => true,
  );
  expect(inspected(less)?.view).toBe('a');
  expect(withoutViews(back, (view) => view === 'a')).toEqual(NOTHING_SELECTED);
});

test('what was selected last stays while one points at another view', () => {
  const program = golden('relu');
  const [one, other] = [
    { stage: 'jaxpr', id: '0' },
    { stage: 'jaxpr', id: '1' },
  ];
  const base = { program, later: null, pointed: null };
  const newest = () => false;
  const first = afterAnnouncement(
    NOTHING_SELECTED,
    { ...base, selected: one, again: false },
    'a',
    newest,
  );
  const last = afterAnnouncement(first, { ...base, selected: other, again: false }, 'b', newest);
  const over = afterAnnouncement(
    last,
    { ...base, selected: one, again: true, pointed: one },
    'a',
    newest,
  );
  expect(inspected(over)).toMatchObject({ focus: other, view: 'b' });
  const clicked = afterAnnouncement(over, { ...base, selected: one, again: false }, 'a', newest);
  expect(inspected(clicked)).toMatchObject({ focus: one, view: 'a' });
});

test('views are those of the notebook, and of the panel while that follows it', async () => {
  await output(golden('relu'));
  const following = new AbortController();
  selection.listen(panel, following.signal);
  const own = panel.appendChild(document.createElement('section'));
  own.className = VIEWS.slice(1);
  expect(selection.views().length).toBe(2);
  following.abort();
  expect(selection.views().length).toBe(1);
});
