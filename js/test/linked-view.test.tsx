import { EditorView } from '@codemirror/view';
import { act } from 'preact/test-utils';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Opening, Program } from '../src/schema';
import { LINES, type LinesEvent } from '../src/shell/parts/host-events';
import type { Kernel } from '../src/state/kernel-requests';
import { english } from './fixtures';
import { linkedProgram } from './linked-program';
import { NO_REQUESTS } from './no-requests';
import { all, click, host, leave, mounted, one, press, row, tab, texts, type } from './page';
import { until } from './until';

let lineEvents: LinesEvent[];

beforeEach(() => {
  lineEvents = [];
  host.addEventListener(LINES, (event) =>
    lineEvents.push((event as CustomEvent<LinesEvent>).detail),
  );
});

interface Shown {
  program?: Program;
  opening?: Opening;
  kernel?: Kernel | null;
}

async function show({ program = linkedProgram(), opening = {}, kernel = null }: Shown = {}) {
  await mounted(program, { opening, kernel });
}

const column = (name: string) => host.querySelector(`.jxv-column[aria-label="${name}"]`)!;
const source = (line: number) =>
  all('.jxv-source-line > button').find((one) =>
    one.getAttribute('aria-label')?.startsWith(`Line ${line}:`),
  );

async function openAll(): Promise<void> {
  click(tab('All four'));
  await until(() => all('.cm-content').length === 3);
}

const lit = (name: string): (string | undefined)[] =>
  [...column(name).querySelectorAll('.jxv-l-linked, .jxv-l-guess')].map((line) =>
    line.textContent?.trim(),
  );
const fate = (name: string) => column(name).querySelector('.jxv-column-head')?.textContent;

describe('all four', () => {
  // Nothing is laid out here: of lines that wrap, the editor would take most to be out of view.
  beforeAll(() => void Object.assign(EditorView, { lineWrapping: [] }));

  test('a line of the source is lit in all stages, and the notebook gets it', async () => {
    await show();
    await openAll();
    click(source(7));
    expect(lit('jaxpr')).toEqual([
      'b:f32[4] = max a 0.0:f32[]',
      'h:f32[4] = jit[name=relu jaxpr=relu] g',
      'i:f32[4] = broadcast_in_dim 0.0:f32[]',
      'j:f32[4] = add h i',
    ]);
    expect(lit('StableHLO')).toEqual([
      '%3 = call @relu(%2) : tensor<4xf32>',
      '%cst = stablehlo.constant dense<0.000000e+00> : tensor<4xf32>',
      '%4 = stablehlo.add %3, %cst : tensor<4xf32>',
      '%0 = stablehlo.maximum %arg0, %cst : tensor<4xf32>',
    ]);
    expect(lit('HLO')).toEqual([
      'ROOT %maximum.2 = f32[4]{0} maximum(%maximum.1, %broadcast.3)',
      '%fusion.1 = f32[4]{0} fusion(%dot.1), kind=kLoop, calls=%fused_computation',
    ]);
    expect(['jaxpr', 'StableHLO', 'HLO'].map(fate)).toEqual([
      'jaxpr4 eqns',
      'StableHLO4 ops',
      'HLO1 instruction',
    ]);
    const { listings } = linkedProgram();
    expect(lineEvents).toEqual([
      { of: 'selected', lines: [{ cell: 'c1', line: 7 }], frames: [], listings },
    ]);
  });

  test('an instruction is lit in the source; what is guessed says so; what is gone too', async () => {
    await show();
    await openAll();
    const reduce = [...column('HLO').querySelectorAll('.cm-line')].find((line) =>
      line.textContent?.includes('%reduce.1'),
    ) as HTMLElement;
    const content = column('HLO').querySelector('.cm-content') as HTMLElement;
    for (let steps = 0; steps < 12; steps++) press(content, 'ArrowDown');
    expect(reduce.className).toContain('jxv-l-selected');
    expect(texts('.jxv-source-line.jxv-linked')).toEqual(['13    return last.sum()']);
    expect(fate('StableHLO')).toBe('StableHLOprobably 1 op');
    expect(column('StableHLO').querySelector('.jxv-l-guess')).not.toBeNull();
  });

  test('is searched, and a stage that is not here yet is a button, no column', async () => {
    await show({ program: linkedProgram(['jaxpr', 'hlo']) });
    click(tab('All four'));
    await until(() => all('.cm-content').length === 2);
    expect(all('.jxv-column').length).toBe(3);
    expect(host.querySelector('.jxv-waiting')?.textContent).toMatch(/^StableHLO: /);
    press(all('.jxv-column')[1]!, '/');
    const input = one('.jxv-find input') as HTMLInputElement;
    expect(document.activeElement).toBe(input);
    type('reduce_sum', input);
    press(input, 'Enter');
    expect(texts('.jxv-source-line.jxv-linked')).toEqual(['13    return last.sum()']);
    expect(fate('HLO')).toBe('HLOprobably 1 instruction');
  });

  test('bears the same colour in every stage for a line', async () => {
    await show();
    await openAll();
    const bars = (name: string) =>
      [...column(name).querySelectorAll('.jxv-bar-line')].map((line) => [
        line.textContent?.trim().slice(0, 14),
        ...(line.getAttribute('style')?.match(/tint\d/g) ?? []).filter(
          (one, index, all) => all.indexOf(one) === index,
        ),
      ]);
    expect(source(5)?.parentElement?.className).toContain('jxv-tint1');
    expect(bars('HLO')).toEqual([
      ['%tanh.1 = f32[', 'tint1'],
      ['%maximum.1 = f', 'tint2'],
      ['ROOT %maximum.', 'tint3'],
      ['%sine.1 = f32[', 'tint4'],
      ['ROOT %multiply', 'tint4'],
      ['ROOT %fusion.2', 'tint4'],
      ['%dot.1 = f32[4', 'tint1'],
      ['%fusion.1 = f3', 'tint3', 'tint1', 'tint2'],
      ['%while.1 = f32', 'tint5'],
      ['ROOT %reduce.1', 'tint6'],
    ]);
  });
});

test('markup in the source and in a text is text, and gives no ids', async () => {
  const program = linkedProgram();
  const [listing] = program.listings;
  if (listing) Object.assign(listing, { text: '<img src=x>\n# <script>', file: '<b>' });
  for (const stage of program.stages) stage.text = `<img src=x>${stage.text.slice(11)}`;
  await show({ program });
  await openAll();
  expect(source(1)).toBeUndefined();
  expect(all('.jxv-source-line')[0]?.textContent).toBe('1<img src=x>');
  expect(all('img, script, b, [id], [name]')).toEqual([]);
});

describe('the tabs', () => {
  test('the one that was open last is open again, unless that has to be made', async () => {
    await show();
    click(tab('HLO'));
    leave();
    await show();
    expect(tab('HLO').getAttribute('aria-selected')).toBe('true');
    leave();
    await show({ program: linkedProgram(['jaxpr']) });
    expect(tab('Jaxpr').getAttribute('aria-selected')).toBe('true');
  });

  test('without a jaxpr the first stage that there is comes first, and a sentence in its place', async () => {
    const program = linkedProgram();
    const [jaxpr, ...others] = program.stages;
    const error = english('A Lowered does not contain it.');
    const stages = [{ ...jaxpr!, graphs: [], text: '', error }, ...others];
    await show({ program: { ...program, stages } });
    expect(tab('StableHLO').getAttribute('aria-selected')).toBe('true');
    expect(all('[role=treeitem]').length).toBeGreaterThan(0);
    click(row('tanh'));
    expect(host.querySelector('.jxv-fates')?.textContent ?? '').not.toContain('removed');
    click(tab('Jaxpr'));
    expect(host.querySelector('.jxv-reason')?.textContent).toBe(error.text);
  });

  test('what is selected in one stage is lit in the next, with a way back', async () => {
    await show();
    click(row('tanh'));
    expect(host.querySelector('.jxv-fates')?.textContent).toBe(
      'StableHLO: tanh HLO: %fusion.1 %tanh.1 ',
    );
    click(tab('HLO'));
    expect(host.querySelector('.jxv-details-text')?.textContent).toBe(
      'Highlighted for jaxpr f = tanh e %fusion.1 %tanh.1 ',
    );
    click(all('.jxv-details-text .jxv-link').find((link) => link.textContent === '%fusion.1'));
    const facts = all('.jxv-fact').slice(0, 2);
    expect(facts.map(({ textContent }) => textContent)).toEqual([
      'fused fromtanh max max on lines 5–7',
      'came fromStableHLO: tanh maximum maximum ',
    ]);
    click(all('.jxv-fates .jxv-link').find((link) => link.textContent === 'max'));
    expect(tab('Jaxpr').getAttribute('aria-selected')).toBe('true');
    expect(host.querySelector('.jxv-title')?.textContent).toBe('b = max x');
  });

  test('arrow keys lead along them', async () => {
    await show();
    tab('Jaxpr').focus();
    const key = (name: string) => press(document.activeElement as Element, name);
    key('ArrowRight');
    key('ArrowRight');
    expect(document.activeElement?.textContent).toBe('HLO');
    key('End');
    expect(document.activeElement?.textContent).toBe('All four');
    key('ArrowRight');
    expect(document.activeElement?.textContent).toBe('Jaxpr');
  });

  test('a stage that was not saved says how to get it', async () => {
    await show({ program: linkedProgram(['jaxpr']) });
    expect(tab('HLO').getAttribute('aria-disabled')).toBe('true');
    click(tab('HLO'));
    expect(host.querySelector('.jxv-reason')?.textContent).toBe(
      'This stage was not saved. To see it, run %jaxviz model(…) --stage hlo',
    );
  });
});

describe('a stage that a kernel makes', () => {
  /** A kernel that answers on command. */
  function kernel() {
    const asked: string[] = [];
    let answer!: { onProgress: (doing: string, seconds: number) => void; give: () => void };
    const held: Kernel = {
      ...NO_REQUESTS,
      stage: (kind, onProgress, signal) =>
        new Promise((resolve, reject) => {
          asked.push(kind);
          const stages = linkedProgram([kind]).stages;
          answer = { onProgress, give: () => resolve({ ...linkedProgram(), stages }) };
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    };
    return { held, asked, answer: () => answer };
  }

  test('says what it is doing and for how long, and is shown when it is there', async () => {
    const { held, asked, answer } = kernel();
    await show({ program: linkedProgram(['jaxpr']), kernel: held });
    click(tab('HLO'));
    act(() => answer().onProgress('compiling', 12.2));
    expect(host.querySelector('.jxv-waiting')?.textContent).toBe('compiling · 12 sStop');
    expect(host.querySelector('canvas')?.getAttribute('aria-label')).toMatch(/^Graph of/);
    answer().give();
    await until(() => host.querySelector('.jxv-waiting') === null);
    expect(host.querySelector('.jxv-body')?.getAttribute('aria-label')).toBe('hlo');
    expect(asked).toEqual(['hlo']);
  });

  test('can be stopped and asked for again; the other stages stay', async () => {
    const { held, asked } = kernel();
    await show({ program: linkedProgram(['jaxpr']), kernel: held, opening: { stage: 'hlo' } });
    click(all('.jxv-waiting button')[0]);
    await until(() => host.querySelector('.jxv-waiting')?.textContent === 'Stopped.Try again');
    click(tab('Jaxpr'));
    expect(host.querySelector('canvas')).not.toBeNull();
    click(tab('HLO'));
    expect(asked).toEqual(['hlo', 'hlo']);
  });
});
