import { render } from 'preact';
import { act } from 'preact/test-utils';
import { expect, test } from 'vitest';
import { textPane } from '../src/render/text/text-editor';
import type { Stage } from '../src/schema';
import { LineHeat } from '../src/stage/numbers/cost-summaries';
import { golden } from './fixtures';
import { host } from './page';

const products = golden('stages/scan_products').stages[0] as Stage;
const POINTING = { hover: () => {}, choose: () => {}, step: () => false };

const bars = () => [...host.querySelectorAll<HTMLElement>('.jxv-heat-bar')];

test('the text bears a bar before each eqn that costs something, by flops or bytes alone', () => {
  for (const heat of ['flops', 'bytes'] as const) {
    const pane = textPane(host, products, POINTING, { wrap: true, tints: null, heat });
    expect(bars().map(({ title, style }) => [title, style.width])).toEqual([
      ['100 %', '100.0%'],
      ['100 %', '100.0%'],
    ]);
    pane.destroy();
  }
  textPane(host, products, POINTING, { wrap: true, tints: null, heat: null }).destroy();
  expect(bars()).toEqual([]);
});

test('a source line says its share, and in full what its eqns do; one without eqns says nothing', () => {
  const frame = products.frames[products.graphs[0]!.eqns[0]!.frame!]!;
  const line = (number: number) => {
    const at = { cell: frame.cell, file: frame.file, line: number };
    act(() => render(<LineHeat stage={products} by="flops" line={at} />, host));
    return host.querySelector('.jxv-line-heat') as HTMLElement;
  };
  expect(line(frame.line).textContent).toBe('100 %');
  expect(line(frame.line).title).toBe('819,200 flops, 300.0 KiB moved by the eqns of this line');
  expect(line(frame.line + 1000).textContent).toBe('');
});
