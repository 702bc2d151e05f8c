import { expect, test } from 'vitest';
import { graphPath } from '../src/facts/ids';
import { children } from '../src/facts/outline';
import type { Stage } from '../src/schema';
import { find, MOST_FOUND, sections } from '../src/state/find';
import { chain, plainGroup, stage, stageOf } from './fixtures';

/** The matches, by label. */
function found(stage: Stage, query: string): string[] {
  return find(stage, query).ids.map((id) => {
    const step = id.slice(id.lastIndexOf('/') + 1);
    const path = graphPath(id);
    const graph = children(stage, path).find((item) => item.id === id);
    return `${id} ${graph?.label ?? step}`;
  });
}

test('by primitive, in bodies too', () => {
  expect(found(stageOf('scan_with_cond'), 'cond')).toEqual(['1.0/3 cond']);
  expect(found(stageOf('scan_with_cond'), 'mul')).toHaveLength(1);
});

test('by the name of a variable, whole where it is short', () => {
  expect(found(stageOf('lesson'), 'd')).toEqual(['2 add']);
  expect(found(stageOf('lesson'), 'a')).toEqual(['in0 x']);
});

test("by the argument's path", () => {
  expect(found(stageOf('grad_loss'), 'batch[1]')).toEqual(['in2 batch[1]']);
  expect(found(stageOf('grad_loss'), "params['layers']")).toEqual(["in0 params['layers'][0]"]);
});

test('by type and by shape, with * for any dimension', () => {
  const stage = stageOf('lesson');
  expect(found(stage, 'f32[]')).toEqual(['3 reduce_sum', 'out0 result']);
  expect(found(stage, '[*]')).toEqual(['in0 x', '0 integer_pow', '1 sin', '2 add']);
  expect(found(stage, '[*,4]')).toEqual([]);
  expect(found(stage, 'f32[4')).toEqual(['in0 x', '0 integer_pow', '1 sin', '2 add']);
});

test('by dtype alone', () => {
  expect(found(stageOf('lesson'), 'f32')).toHaveLength(6);
  expect(found(stageOf('lesson'), 'float32')).toHaveLength(6);
  expect(found(stageOf('lesson'), 'f64')).toEqual([]);
});

test('by the line of the source, in any file or in one', () => {
  const of = stageOf('lesson');
  const { frame } = of.graphs[0]?.eqns[1] ?? {};
  const { file = '', line } = of.frames[frame ?? -1] ?? {};
  expect(found(of, `:${line}`)).toContain('1 sin');
  expect(found(of, `${file}:${line}`)).toContain('1 sin');
  expect(found(of, `elsewhere.py:${line}`)).toEqual([]);
  expect(found(of, ':1')).toEqual([]);
});

test('words narrow one another; spaces in brackets are of the shape', () => {
  expect(found(stageOf('lesson'), 'sin f32[4]')).toEqual(['1 sin']);
  expect(found(stageOf('lesson'), 'sin f32[ 4 ]')).toEqual(['1 sin']);
  expect(found(stageOf('lesson'), 'sin f32[5]')).toEqual([]);
});

test('a group stands for what is in it by its name', () => {
  const scoped = chain(['sin', 'cos', 'tan']);
  scoped.groups = [plainGroup(0, 2, 'attention')];
  scoped.eqns.forEach((eqn) => {
    eqn.scope = 1;
  });
  const of = { ...stage([scoped]), scopes: ['', 'attention'] };
  expect(found(of, 'attention')).toEqual(['g0 attention', '2 tan']);
  expect(found(of, 'attention sin')).toEqual([]);
});

test('matches are listed by what encloses them', () => {
  const of = stageOf('scan_with_cond');
  const listed = sections(of, find(of, 'f32[3]').ids);
  expect(listed.map(({ id, ids }) => [id, ids.length])).toMatchInlineSnapshot(`
    [
      [
        "",
        4,
      ],
      [
        "1",
        5,
      ],
      [
        "1.0/3.0",
        5,
      ],
      [
        "1.0/3.1",
        5,
      ],
    ]
  `);
});

test('of 50,000 eqns as many as are listed, and how many more there are, in a keystroke', () => {
  const of = stage([chain(Array.from({ length: 50_000 }, (_, at) => (at % 2 ? 'sin' : 'add')))]);
  find(of, 'warm');
  const from = process.cpuUsage();
  const { ids, total } = find(of, 'sin');
  expect(process.cpuUsage(from).user).toBeLessThan(100_000); // µs, whatever else the machine does
  expect([ids.length, total]).toEqual([MOST_FOUND, 25_000]);
});

test('nothing for nothing, and what a regular expression would take is text', () => {
  expect(found(stageOf('lesson'), '  ')).toEqual([]);
  expect(found(stageOf('lesson'), '.*(')).toEqual([]);
});
