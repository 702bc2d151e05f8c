import { expect, test } from 'vitest';
import { notesOf, retracedIn, workIn } from '../src/facts/linked/line-notes';
import type { Eqn, Frame, Program, Stage } from '../src/schema';
import { marginSentence, marginText } from '../src/words/margin-words';
import { chain, F32, golden, stage } from './fixtures';

const BF16 = { ...F32, text: 'bf16[8]', dtype: 'bfloat16', shape: [8] };
const WIDE = { ...F32, text: 'f32[8]', shape: [8] };

const frame = (line: number, cell: string | null = 'a'): Frame => ({
  function: 'f',
  file: 'a',
  line,
  column: 0,
  code: '',
  cell,
  count: 1,
  library: false,
  parent: null,
  end_line: 0,
  end_column: 0,
});

/** A program whose eqns cost `flops`, on lines 1, 2 and so on. */
function program(flops: readonly number[], op: string): Program {
  const graph = chain(flops.map(() => op));
  const eqns = graph.eqns.map(
    (eqn, at): Eqn => ({
      ...eqn,
      frame: at,
      inherited: false,
      cost: { flops: flops[at] as number, transcendentals: 0, bytes: 8, least: false },
    }),
  );
  const vars = graph.vars.map((one, at) => ({ ...one, aval: at % 2 }));
  const made: Stage = {
    ...stage([{ ...graph, vars, eqns }]),
    avals: [BF16, WIDE],
    frames: flops.map((_, at) => frame(at + 1)),
  };
  return { ...golden('lesson'), name: 'train', stages: [made] };
}

test('a line has the share of its eqns; one that does next to nothing has none', () => {
  const notes = workIn(program([560, 439, 1], 'sin'), 'a');
  expect(notes.map((note) => [note.line, marginText(note)])).toEqual([
    [1, '56 %'],
    [2, '43 %'],
  ]);
  expect(marginSentence(notes[0]!, 'train')).toBe('56 % of the arithmetic of train');
  expect(workIn(program([1], 'sin'), 'another cell')).toEqual([]);
});

test('where runs were profiled the share is that of the measured time, and says so', () => {
  const made = program([560, 439, 1], 'sin');
  const times = { chains: [[0], [2]], nanoseconds: [250, 740], whole: 1000, peak: null };
  const measured = { ...made, stages: [{ ...made.stages[0]!, times }] };
  const notes = workIn(measured, 'a');
  expect(notes.map((note) => [note.line, marginText(note)])).toEqual([
    [1, '⏱ 25 %'],
    [3, '⏱ 74 %'],
  ]);
  expect(marginSentence(notes[0]!, 'train')).toBe('25 % of the measured time of train');
});

test('casts of floating-point arrays are reported, each once', () => {
  const [up, down] = workIn(program([1, 1], 'convert_element_type'), 'a');
  expect(marginText(up!)).toBe('bf16→f32 · 50 %');
  expect(marginText(down!)).toBe('f32→bf16 · 50 %');
  expect(marginText({ ...up!, casts: ['bf16→f32', 'f32→bf16'], share: 0 })).toBe('2 casts');
  expect(marginText({ ...up!, outlier: true })).toBe('⚠ bf16→f32 · 50 %');
  expect(marginSentence({ ...up!, outlier: true, share: 0 }, 'train')).toBe(
    'casts bf16→f32, which most layers like it do not',
  );
  expect(marginSentence(up!, 'train')).toBe('casts bf16→f32; 50 % of the arithmetic of train');
});

test('a function that was retraced says so where its last run defines it, also without a program', () => {
  const functions = [
    { definition: { ...frame(3), count: 8 }, retraces: 2 },
    { definition: { ...frame(3), count: 7 }, retraces: 5 },
    { definition: { ...frame(4), count: 8 }, retraces: 0 },
    { definition: { ...frame(5, 'b'), count: 8 }, retraces: 7 },
    { definition: null, retraces: 9 },
  ].map((one) => ({ ...one, name: 'f' }));
  const again = retracedIn({ functions: functions as never }, 'a', 8);
  expect([...again]).toEqual([[3, 2]]);
  const notes = notesOf(workIn(program([1, 1], 'sin'), 'a'), again);
  expect(notes.map((note) => [note.line, marginText(note)])).toEqual([
    [1, '50 %'],
    [2, '50 %'],
    [3, '⟳ 2×'],
  ]);
  expect(marginSentence(notes[2]!, '')).toBe('retraced 2 times');
});
