/** The line about a layer that differs from its siblings, below the bar of a program. */
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { expect, test } from 'vitest';
import type { Finding, Program } from '../src/schema';
import { FindingsAlone, useFindings } from '../src/shell/findings';
import { pageSentence } from '../src/words/kernel-text';
import { golden } from './fixtures';
import { all, click, host, one, texts } from './page';

const finding = (kind: string, what: string): Finding => ({
  ...{ kind, what: pageSentence(what), cost: pageSentence('2× the memory, at any size') },
  ...{ fix: pageSentence('write `float(…)`'), page: { en: '# A page', ko: '# 도움말' } },
  ...{ at: null, eqns: [1], names: [], bytes: null },
});

function show(findings: Finding[], went: string[] = []): void {
  const program: Program = { ...golden('lesson'), findings };
  const Shown = () => {
    const { button, list } = useFindings(program, (kind, id) => went.push(`${kind} ${id}`));
    return (
      <div class="jxv-program">
        {button}
        {list}
      </div>
    );
  };
  act(() => render(<Shown />, host));
}

test('the line says what, its cost and its fix, and leads to the eqn', () => {
  const went: string[] = [];
  show([finding('unused', 'unused'), finding('unlike', '`layers[7]` computes in f32')], went);
  expect(texts('.jxv-finding-line > span')).toEqual([
    'layers[7] computes in f32',
    '2× the memory, at any size',
    'write float(…)',
  ]);
  click(one('.jxv-finding-line button'));
  expect(went).toEqual(['jaxpr 1']);
});

test('the open list replaces the line', () => {
  show([finding('unlike', 'one')]);
  click(one('.jxv-findings-count'));
  expect(all('.jxv-finding-line')).toHaveLength(0);
  expect(all('.jxv-findings li')).toHaveLength(1);
});

test('notes are counted beside the findings, and the list says which they are', () => {
  show([finding('unused', 'one'), { ...finding('upcast', 'two'), is_note: true }]);
  click(one('.jxv-findings-count'));
  expect(texts('.jxv-findings-count')).toEqual(['1 finding, 1 note']);
  expect(texts('.jxv-findings p:first-child')).toEqual(['one', 'Note: two']);
});

test('without their program they are a list with their help pages', () => {
  const program = { ...golden('lesson'), findings: [finding('unused', 'one')] };
  act(() => render(<FindingsAlone program={program} />, host));
  expect(texts('.jxv-findings li > b')).toEqual(['A page']);
  expect(texts('.jxv-findings li p')).toContain('one');
  act(() => render(<FindingsAlone program={{ ...program, findings: [] }} />, host));
  expect(texts('.jxv-no-findings')).toEqual(['No findings']);
});

test('other findings have no line', () => {
  show([finding('unused', 'one')]);
  expect(all('.jxv-finding-line')).toHaveLength(0);
});
