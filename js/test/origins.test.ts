import { describe, expect, test } from 'vitest';
import { eqnAt } from '../src/facts/graph';
import { type Focus, linked } from '../src/facts/linked/linked';
import type { Stage } from '../src/schema';
import { english } from './fixtures';
import { linkedProgram } from './linked-program';

const { stages } = linkedProgram();

/** `jaxpr: 0 dot_general, …`: what a selection is in the other stages, and its lines. */
function links(focus: Focus, of: readonly Stage[] = stages): string[] {
  const { stages: found, lines } = linked(of, focus);
  const summary = [...found].map(([kind, { status, found }]) => {
    const stage = of.find((one) => one.kind === kind) as Stage;
    const names = found.map(({ id, guess, holds }) => {
      const op = eqnAt(stage, id)?.eqn.op ?? '';
      return `${id} ${op.replace('stablehlo.', '')}${guess ? '?' : ''}${holds ? ' of' : ''}`.trim();
    });
    return `${kind}: ${status === 'here' ? names.join(', ') : status}`;
  });
  return [...summary, `lines ${lines.map(({ line }) => line).join(' ')}`];
}

const line = (number: number): Focus => ({
  stage: 'source',
  line: { cell: 'c1', file: 'cell.py', line: number },
});

test('where the jaxpr is not known, all lead to the first stage that is', () => {
  const [jaxpr, , hlo] = stages as [Stage, Stage, Stage];
  const missing = { ...jaxpr, graphs: [], error: english('A Lowered does not contain it.') };
  const given = [missing, { ...jaxpr, kind: 'stablehlo' }, hlo];
  expect(links({ stage: 'stablehlo', id: '3.0/0' }, given)).toEqual([
    'hlo: 1 fusion of, 1.0/2 maximum',
    'lines 7',
  ]);
  expect(links({ stage: 'hlo', id: '1.0/2' }, given)).toEqual(['stablehlo: 3.0/0 max', 'lines 7']);
  expect(links({ stage: 'hlo', id: '2.0/0.0/0' }, given)).toEqual([
    'stablehlo: 6.0/0 sin',
    'lines 10',
  ]);
});

describe('from an eqn of the jaxpr', () => {
  test('to the ops and instructions made for it, and the fusion around them', () => {
    expect(links({ stage: 'jaxpr', id: '1' })).toEqual([
      'stablehlo: 1 tanh',
      'hlo: 1 fusion of, 1.0/0 tanh',
      'lines 5',
    ]);
  });

  test('with all that it holds', () => {
    expect(links({ stage: 'jaxpr', id: '6' })).toEqual([
      'stablehlo: 6 while, 6.0/0 compare, 6.1/0 sine, 6.1/1 multiply',
      'hlo: 2 while, 2.0/0 fusion of, 2.0/0.0/0 sine, 2.0/0.0/1 multiply',
      'lines 12 10',
    ]);
  });

  test('in one instance of a shared body: only what was made for that one', () => {
    expect(links({ stage: 'jaxpr', id: '3.0/0' })).toEqual([
      'stablehlo: 3.0/0 maximum',
      'hlo: 1 fusion of, 1.0/2 maximum',
      'lines 7',
    ]);
    expect(links({ stage: 'jaxpr', id: '2.0/0' })).toEqual([
      'stablehlo: 2.0/0 maximum',
      'hlo: 1 fusion of, 1.0/1 maximum',
      'lines 6',
    ]);
  });

  test('what nothing was made for is gone, if all instructions say what they were made for', () => {
    const constant = { stage: 'jaxpr', id: '4' };
    expect(links(constant)).toEqual(['stablehlo: 4 constant', 'hlo: lost', 'lines 7']);
    const { stages: named } = linkedProgram();
    const copy = named[2]?.graphs[0]?.eqns[3];
    if (copy) copy.origin = [6];
    expect(links(constant, named)).toEqual(['stablehlo: 4 constant', 'hlo: gone', 'lines 7']);
  });

  test('what is only likely is a guess', () => {
    expect(links({ stage: 'jaxpr', id: '7' })).toEqual([
      'stablehlo: 7 reduce',
      'hlo: 4 reduce?',
      'lines 13',
    ]);
  });

  test('an input is found by its path', () => {
    expect(links({ stage: 'jaxpr', id: 'in0' })).toEqual(['stablehlo: in0', 'hlo: in0', 'lines ']);
  });
});

describe('from a later stage', () => {
  test('a fusion is made from all that it holds', () => {
    expect(links({ stage: 'hlo', id: '1' })).toEqual([
      'jaxpr: 1 tanh, 3.0/0 max, 2.0/0 max',
      'stablehlo: 1 tanh, 3.0/0 maximum, 2.0/0 maximum',
      'lines 7 5 6',
    ]);
  });

  test('what an eqn adds around its body is the eqn alone, not what it holds', () => {
    expect(links({ stage: 'stablehlo', id: '6.0/0' })).toEqual([
      'jaxpr: 6 scan',
      'hlo: 2 while',
      'lines 12',
    ]);
  });

  test('a function that is shared stands for the call that it is looked at in', () => {
    expect(links({ stage: 'stablehlo', id: '3.0/0' })).toEqual([
      'jaxpr: 3.0/0 max',
      'hlo: 1 fusion of, 1.0/2 maximum',
      'lines 7',
    ]);
    expect(links({ stage: 'stablehlo', id: '2' })).toEqual([
      'jaxpr: 2 jit, 2.0/0 max',
      'hlo: 1 fusion of, 1.0/1 maximum',
      'lines 6',
    ]);
  });

  test('what does not say where it comes from is not known', () => {
    expect(links({ stage: 'hlo', id: '3' })).toEqual([
      'jaxpr: unknown',
      'stablehlo: unknown',
      'lines ',
    ]);
  });
});

describe('from a line of the source', () => {
  test('to the eqns whose own line it is, and what they hold without a line', () => {
    expect(links(line(7))).toEqual([
      'jaxpr: 3 jit, 4 broadcast_in_dim, 5 add, 3.0/0 max',
      'stablehlo: 3 call, 4 constant, 5 add, 3.0/0 maximum',
      'hlo: 1 fusion of, 1.0/2 maximum',
      'lines 7',
    ]);
  });

  test('a loop without its body, which has lines of its own', () => {
    expect(links(line(12))).toEqual([
      'jaxpr: 6 scan',
      'stablehlo: 6 while, 6.0/0 compare',
      'hlo: 2 while',
      'lines 12',
    ]);
  });

  test('a line without eqns is linked to nothing', () => {
    expect(links(line(1))).toEqual([
      'jaxpr: unknown',
      'stablehlo: unknown',
      'hlo: unknown',
      'lines 1',
    ]);
  });
});

test('a stage in which no eqn says where it comes from is not known', () => {
  const { stages: plain } = linkedProgram();
  for (const { eqns } of plain[2]?.graphs ?? []) for (const eqn of eqns) eqn.origin = [];
  expect(links({ stage: 'jaxpr', id: '0' }, plain)).toEqual([
    'stablehlo: 0 dot_general',
    'hlo: unknown',
    'lines 5',
  ]);
});
