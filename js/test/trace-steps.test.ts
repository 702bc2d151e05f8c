/** Where the reader may go in the steps of a trace, and what is known at each. */
import { expect, test } from 'vitest';
import { linked } from '../src/facts/linked/linked';
import {
  behindLoop,
  focusOfStep,
  hasCalled,
  namesAt,
  over,
  recordedBy,
  reportIn,
} from '../src/facts/reports';
import type { Frame, Steps, TraceStep } from '../src/schema';
import { counterpartsOf } from '../src/words/counterparts';
import { linkedProgram } from './linked-program';

const step = (kind: string, line: number, depth = 0, rest: Partial<TraceStep> = {}): TraceStep => ({
  kind,
  frame: line - 1,
  depth,
  bound: [],
  eqns: [],
  printed: '',
  notes: [],
  ...rest,
});

const frame = (line: number): Frame => ({
  function: line > 4 ? 'g' : 'f',
  file: 'cell.py',
  line,
  column: 0,
  end_line: 0,
  end_column: 0,
  code: '',
  cell: null,
  count: null,
  library: false,
  rules: '',
  parent: null,
});

const set = (name: string, text: string) => ({ bound: [{ name, kind: 'traced', text }] });

/** 1 def f(x):  2 for i in …:  3 x = g(x)  4 return x, where 5 def g(a):  6 return sin(a). */
const STEPS: Steps = {
  tool: 'steps',
  frames: [1, 2, 3, 4, 5, 6].map(frame),
  steps: [
    step('enter', 1, 0, set('x', 'f32[3]')),
    step('line', 2),
    step('enter', 5, 1, set('a', 'f32[3]')),
    step('return', 6, 1, { eqns: [0] }),
    step('line', 3, 0, set('x', 'f32[2]')),
    step('line', 2),
    step('enter', 5, 1, set('a', 'f32[2]')),
    step('return', 6, 1, { eqns: [1] }),
    step('line', 3, 0, set('x', 'f32[1]')),
    step('line', 2),
    step('return', 4),
  ],
  notes: [],
};

test('a step that adds no eqn has no counterparts', () => {
  const program = linkedProgram();
  const hasCounterparts = (at: number) => {
    const focus = focusOfStep(STEPS, at, true);
    return focus && counterpartsOf(program, focus, linked(program.stages, focus)).length > 0;
  };
  expect([1, 3].map(hasCounterparts)).toEqual([false, true]);
});

test('a step stands for its line and its eqns', () => {
  expect(focusOfStep(STEPS, 3, true)).toEqual({
    stage: 'source',
    line: STEPS.frames[5],
    eqns: [0],
  });
  expect(focusOfStep(STEPS, 3, false)).toEqual({ stage: 'source', line: STEPS.frames[5] });
  expect([...recordedBy(STEPS, 6)]).toEqual([0]);
});

test('names are those of the call that runs', () => {
  const names = (at: number) => namesAt(STEPS, at).map(({ name, text }) => `${name} ${text}`);
  expect(names(1)).toEqual(['x f32[3]']);
  expect(names(3)).toEqual(['a f32[3]']);
  expect(names(4)).toEqual(['x f32[2]']);
  expect(names(6)).toEqual(['a f32[2]']);
  expect(namesAt(STEPS, 4)[0]?.isNew).toBe(true);
  expect(namesAt(STEPS, 5)[0]?.isNew).toBe(false);
});

test('a call is stepped over, and a loop is left behind', () => {
  expect(over(STEPS, 1)).toBe(4);
  expect(over(STEPS, 2)).toBe(4);
  expect(over(STEPS, 10)).toBe(10);
  expect(behindLoop(STEPS, 1)).toBe(10);
  expect(behindLoop(STEPS, 4)).toBe(10);
  expect(behindLoop(STEPS, 10)).toBeNull();
});

test('a line whose call added eqns says so, and a line that only asks for more turns does not', () => {
  expect(hasCalled(STEPS, 4)).toBe(true);
  expect(hasCalled(STEPS, 5)).toBe(false);
  expect(hasCalled(STEPS, 10)).toBe(false);
});

test('what is no list of steps is not shown', () => {
  expect(reportIn(STEPS)).toBe(STEPS);
  expect(reportIn(undefined)).toBeNull();
  expect(reportIn({ ...STEPS, frames: [] })).toBeNull();
});
