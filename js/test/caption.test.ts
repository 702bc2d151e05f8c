import { expect, test } from 'vitest';
import { children, drawn } from '../src/facts/outline';
import { labelOf } from '../src/facts/text/describe';
import { captionOf, LANE_COLUMNS } from '../src/layout/caption';
import type { Eqn } from '../src/schema';
import { find } from '../src/state/find';
import { detailsOf } from '../src/words/item-details';
import { golden } from './fixtures';

test('a note in little room is cut where what it opens is closed', () => {
  const stage = structuredClone(golden('relu').stages[0]!);
  const graph = stage.graphs[0]!;
  const noteOf = (detail: string) => {
    const [input] = children(stage, '').filter(({ kind }) => kind === 'input');
    return captionOf(stage, graph, { ...input!, detail }, LANE_COLUMNS).note;
  };
  expect(noteOf("P(None, 'model')")).toBe('');
  expect(noteOf("donated · P('data')")).toBe('donated');
  expect(noteOf("P('a')")).toBe("P('a')");
});

test('a call has the name of its function; the primitive is in its details, and Find finds it', () => {
  const titled = (op: string, name: string) => labelOf({ op, name } as Eqn);
  expect(titled('custom_jvp_call', 'relu')).toBe('relu');
  expect(titled('jit', 'block')).toBe('block');
  expect(titled('func.call', 'block')).toBe('block');
  expect(titled('jit', '<lambda>')).toBe('jit <lambda>');
  expect(titled('custom_jvp_call', '')).toBe('custom_jvp_call');
  expect(titled('remat2', 'block')).toBe('remat2 block');
  expect(titled('stablehlo.custom_call', 'lapack_sgetrf')).toBe('custom_call lapack_sgetrf');
  const [stage] = golden('relu').stages;
  const relu = drawn(stage!, '').find(({ label }) => label === 'relu')!;
  expect(detailsOf(stage!, relu.id)?.title).toContain('= custom_jvp_call relu ');
  expect(find(stage!, 'custom_jvp_call').ids).toContain(relu.id);
});

test.each([
  [['v', '2.0'], 'mul', 'v * 2.0'],
  [['1.0', 'v'], 'sub', '1.0 - v'],
  [['', '0.0'], 'gt', '> 0.0'],
  [['1.0', ''], 'sub', '1.0 - …'],
  [['2.0', ''], 'mul', '* 2.0'],
  [['v', '2.0 scale'], 'mul', 'v * 2.0 scale'],
  [['3.0 self.model.gain', 'v'], 'sub', '3.0 ….model.gain - v'],
])('%s of %s with a literal is written %s', (operands, op, label) => {
  const stage = structuredClone(golden('scan_sum').stages[0]!);
  const graph = structuredClone(golden('relu').stages[0]!).graphs[0]!;
  const aval = graph.vars[graph.invars[0]!]!.aval;
  const vars = operands.map((text) => ({
    name: /\d/.test(text) ? `${text.split(' ')[0]}:f32[]` : 'a',
    aval,
    literal: /\d/.test(text),
    named: text.split(' ')[1] ?? '',
  }));
  const value = vars.findIndex(({ literal }) => !literal);
  const eqn = {
    ...stage.graphs[0]!.eqns[0]!,
    op,
    params: [],
    name: '',
    invars: [0, 1],
    outvars: [2],
    bodies: [],
  };
  const own = {
    ...graph,
    vars: [...vars, { name: 'b', aval, literal: false }],
    constvars: [],
    invars: [value],
    args: [operands[value]!],
    outvars: [2],
    eqns: [eqn],
    groups: [],
  };
  const whole = { ...stage, graphs: [own] };
  const [item] = children(whole, '').filter(({ kind }) => kind === 'eqn');
  expect(captionOf(whole, own, item!)).toMatchObject({ label, note: '' });
});
