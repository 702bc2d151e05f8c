import { expect, test } from 'vitest';
import { eqnAt } from '../src/facts/graph';
import { beginOf, idOf, rangeOf, spanAt, spansOf } from '../src/facts/text/spans';
import { textPane } from '../src/render/text/text-editor';
import { NOTHING_LIT } from '../src/render/text/text-marks';
import { everything } from '../src/state/open-items';
import { rowsOf } from '../src/words/outline-rows';
import { chain, stage, stageOf } from './fixtures';

const still = { hover: () => {}, choose: () => {}, step: () => false };

const EXACT = { wrap: true, tints: null, heat: null, exact: true };

const goldens = [
  'lesson',
  'scan_with_cond',
  'while_newton',
  'train_step',
  'custom_vjp_slope',
  'hostile',
];

test('each eqn is printed where its span says, and the innermost eqn is found there', () => {
  for (const name of goldens) {
    const of = stageOf(name);
    for (const span of spansOf(of)) {
      const printed = of.text.slice(span.from, span.to);
      expect(printed).toContain(of.graphs[span.graph]?.eqns[span.eqn]?.op);
      expect(spanAt(of, span.from)).toBe(span);
    }
  }
});

test('from an eqn to its text and back', () => {
  const of = stageOf('scan_with_cond');
  for (const { item } of rowsOf(of, everything(of)).filter(({ item }) => item.kind === 'eqn')) {
    const range = rangeOf(of, item.id);
    const span = range && spanAt(of, range.from);
    expect(span && idOf(of, span, null)).toBe(item.id);
  }
});

test('a shared body is its first instance, unless the selection is in another', () => {
  const of = stageOf('shared_jit');
  const within = spansOf(of).find(({ graph }) => graph === 1);
  const holders = of.graphs[0]?.eqns.flatMap(({ bodies }, index) =>
    bodies.length > 0 ? [index] : [],
  );
  const [first, second] = holders ?? [];
  expect(within && idOf(of, within, null)).toBe(`${first}.0/0`);
  expect(within && idOf(of, within, `${second}.0/0`)).toBe(`${second}.0/0`);
  expect(eqnAt(of, `${second}.0/0`)?.eqn).toBe(eqnAt(of, `${first}.0/0`)?.eqn);
});

test('spans count characters as Python does', () => {
  const text = '🐍🐍 sin a 🐍 cos b';
  const graph = chain(['sin', 'cos']);
  graph.eqns.forEach((eqn, index) => {
    eqn.span = [
      [3, 8],
      [11, 16],
    ][index] as number[];
  });
  const printed = spansOf(stage([graph], text)).map(({ from, to }) => text.slice(from, to));
  expect(printed).toEqual(['sin a', 'cos b']);
});

test('nothing is found between eqns, before the first and after the last', () => {
  const of = stageOf('lesson');
  expect(spanAt(of, 0)).toBeNull();
  expect(spanAt(of, of.text.length)).toBeNull();
});

test('the editor shows the text, marks what is lit, and cannot be edited', () => {
  const of = stageOf('lesson');
  const parent = document.body.appendChild(document.createElement('div'));
  const pane = textPane(parent, of, still, EXACT);
  const content = parent.querySelector('.cm-content');
  expect(content?.getAttribute('contenteditable')).toBe('false');
  expect(content?.getAttribute('tabindex')).toBe('0');
  const lines = [...parent.querySelectorAll('.cm-line')].map((line) => line.textContent);
  expect(lines.join('\n')).toBe(of.text);
  pane.light({ ...NOTHING_LIT, selected: rangeOf(of, '1') });
  const lit = [...parent.querySelectorAll('.jxv-l-selected')].map((line) =>
    line.textContent?.trim(),
  );
  expect(lit).toEqual(['c:f32[4] = sin a']);
  const primitives = [...parent.querySelectorAll('.jxv-t-primitive')].map((one) => one.textContent);
  expect(primitives).toEqual(['integer_pow', 'sin', 'add', 'reduce_sum']);
  pane.destroy();
  expect(parent.childElementCount).toBe(0);
});

test('markup in a program is text in the editor', () => {
  const of = stageOf('hostile');
  const parent = document.body.appendChild(document.createElement('div'));
  const pane = textPane(parent, of, still);
  expect(parent.querySelector('img[src], script')).toBeNull();
  expect(parent.textContent).toContain('<img src=x onerror=alert(1)>');
  pane.destroy();
});

test.each(['lesson', 'shared_jit', 'nothing'])('the text of %s itself begins', (name) => {
  const of = stageOf(name);
  const own = of.text.slice(beginOf(of));
  expect(own).toMatch(/^\{ lambda/);
  expect(own).not.toContain('\n{ lambda');
});
