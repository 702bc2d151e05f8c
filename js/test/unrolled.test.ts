// @vitest-environment node
import { describe, expect, test } from 'vitest';
import { unrolledLoop } from '../src/facts/unrolled';
import type { Eqn, Frame, Listing, Stage } from '../src/schema';
import { chain, stage } from './fixtures';
import { FRAME } from './logs';

const HEAD = ['def block(p, x):', '    h = jnp.sin(x)', '    return h * p', '', 'def net(ps, x):'];

/** A frame on a line of a text, called from another. */
const on = (lines: readonly string[], line: number, parent: number | null): Frame => ({
  ...FRAME,
  cell: 'c1',
  line,
  code: lines[line - 1]!.trim(),
  parent,
});

/** Three alike groups in a row, each made by calls at two lines of `block`, which a line of `net`
 * calls. `body` is what `net` consists of; `at` is the line of the call in it. */
function row(body: readonly string[], at: number, name = 'ps[0…2]'): [Stage, Listing[]] {
  const lines = [...HEAD, ...body];
  const call = HEAD.length + at;
  const frames = [on(lines, call, null), on(lines, 2, 0), on(lines, 3, 0)];
  const graph = chain(Array.from({ length: 6 }, () => 'sin'));
  const eqns = graph.eqns.map((eqn, index): Eqn => ({ ...eqn, call: 1 + (index % 2) }));
  const plain = { role: '', twin: null, alike: 0, parent: 0 };
  const groups = [
    { ...plain, name, kind: 'repeat', alike: -1, parent: null, start: 0, stop: 6 },
    ...[0, 2, 4].map((start) => ({ ...plain, name, kind: 'call', start, stop: start + 2 })),
  ];
  const listing = { file: 'cell 1', cell: 'c1', count: 1, start: 1, text: lines.join('\n') };
  return [{ ...stage([{ ...graph, eqns, groups }]), frames }, [listing]];
}

const loop = (...[made, listings]: [Stage, Listing[]]) => unrolledLoop(made, 'g0', listings);

describe('a row of alike groups', () => {
  test('is the turns of the loop around the call', () => {
    const body = ['    for p in ps:  # each', '', '        x = block(p, x)', '    return x'];
    expect(loop(...row(body, 3))).toEqual({ word: 'for', line: 6, times: 3 });
    const around = ['    while n:', '        if n % 2:', '            x = block(n, x)'];
    expect(loop(...row(around, 3))).toEqual({ word: 'while', line: 6, times: 3 });
  });

  test.each([
    ['of no loop', ['    x = block(x, block(x, block(x, x)))'], 1],
    [
      'of a function that calls it often',
      ['    for n in ns:', '        x = jax.tree.map(block, x)'],
      2,
    ],
    ['of a comprehension', ['    for n in ns:', '        x = [block(p, x) for p in ps]'], 2],
    [
      'of one over two lines',
      ['    for n in ns:', '        x = [block(p, x)', '             for p in ps]'],
      2,
    ],
    [
      'of what begins above it',
      ['    for n in ns:', '        x = [', '            block(p, x) ]'],
      3,
    ],
    [
      'of what comes after a loop',
      ['    for n in ns:', '        n', '    else:', '        x = block(n, x)'],
      4,
    ],
  ])('%s says nothing', (_, body, at) => {
    expect(loop(...row(body, at))).toBeNull();
  });

  test('that runs backward, or of which a turn was made otherwise, says nothing', () => {
    const body = ['    for p in ps:', '        x = block(p, x)'];
    expect(loop(...row(body, 2, 'ps[0…2] ⟵'))).toBeNull();
    const [made, listings] = row(body, 2);
    const [graph] = made.graphs;
    const eqns = graph!.eqns.map((eqn, at) => (at === 5 ? { ...eqn, call: 1 } : eqn));
    expect(loop({ ...made, graphs: [{ ...graph!, eqns }] }, listings)).toBeNull();
    expect(loop(made, [])).toBeNull();
    const [outer, ...inner] = made.frames;
    const library = [
      outer!,
      ...inner.map((one) => ({ ...one, parent: 3 })),
      { ...outer!, library: true, parent: 0 },
    ];
    expect(loop({ ...made, frames: library }, listings)).toBeNull();
  });
});
