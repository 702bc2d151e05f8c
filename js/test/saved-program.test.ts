/** Programs are read from the files that `Program.save` wrote, of any format; what a file may contain
 * otherwise is refused with a sentence. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { spansOf } from '../src/facts/text/spans';
import { decode, fromBase64 } from '../src/facts/wire';
import { readSaved } from '../src/facts/wire/saved-file';
import { readDisplay } from '../src/hosts/lab/display';
import { sceneOf } from '../src/layout/scene';
import { MIME, type Program, type Report, VERSION } from '../src/schema';
import { everything } from '../src/state/open-items';
import { GOLDEN, golden, goldens } from './fixtures';
import { event, log } from './logs';

const FORMATS = join(GOLDEN, '../formats');
const textOf = (name: string) => readFileSync(join(GOLDEN, `${name}.json`), 'utf8');

function programIn(text: string): Program {
  const saved = readSaved(text);
  if ('log' in saved) throw new Error('It is a log.');
  return saved.program;
}

test.each(goldens)('%s is read from its file', (name) => {
  expect(programIn(textOf(name))).toEqual(golden(name));
});

test.each(readdirSync(FORMATS))(
  'a file of format %s is what its notebook shows',
  async (format) => {
    const read = (name: string) => readFileSync(join(FORMATS, format, name), 'utf8');
    const shown = (JSON.parse(read('notebook.ipynb')).cells as Cell[])
      .flatMap(({ outputs }) => outputs ?? [])
      .flatMap(({ data }) => data?.[MIME] ?? [])
      .map(readDisplay);
    const [program, compared] = shown as { program: string }[];
    expect(programIn(read('program.json'))).toEqual(await decode(fromBase64(program!.program)));
    expect(programIn(read('compared.json'))).toEqual(await decode(fromBase64(compared!.program)));
  },
);

interface Cell {
  outputs?: { data?: Record<string, unknown> }[];
}

test('a report is read with its program, and a log by itself', () => {
  const program = JSON.parse(textOf('lesson'));
  const reported = (report: unknown) => JSON.stringify({ version: VERSION, program, report });
  const report: Report = { tool: 'passes', before: 3, passes: [], unnamed: [1], constants: null };
  expect(readSaved(reported(report))).toEqual({ program: golden('lesson'), report });
  for (const other of [null, {}, { ...report, tool: 'mine' }, { ...report, before: 'three' }]) {
    expect(() => readSaved(reported(other))).toThrow('Its data is damaged.');
  }
  const saved = log({ events: [event({ number: 1 })] });
  expect(readSaved(JSON.stringify(saved))).toEqual({ log: saved });
  expect(() => readSaved(JSON.stringify({ ...saved, causes: 1 }))).toThrow('Its data is damaged.');
});

describe('one sentence says why a file is not shown', () => {
  const whole = textOf('train_step');

  test.each([
    ['an empty file', ''],
    ['a part of one', whole.slice(0, whole.length / 2)],
    ['a text', 'HloModule jit_f'],
    ['other JSON', '{"cells": []}'],
    ['a list', '[1, 2]'],
    ['null', 'null'],
  ])('%s is no program', (_, text) => {
    expect(() => readSaved(text)).toThrow(
      'Program.save did not write this file, or a part of it is missing.',
    );
  });

  test('a later format', () => {
    const later = JSON.stringify({ ...JSON.parse(whole), version: VERSION + 1 });
    expect(() => readSaved(later)).toThrow(
      new RegExp(`^The file is of format ${VERSION + 1}\\. This page has jaxviz .* pip install`),
    );
  });

  test('more than a page reads', () => {
    expect(() => readSaved(whole, 2048)).toThrow(
      /^This file has [\d.]+ KiB, and a page reads at most 2\.0 KiB: load it/,
    );
  });

  test('a field that is missing or strange', () => {
    const { name: _, ...nameless } = JSON.parse(whole);
    expect(() => readSaved(JSON.stringify(nameless))).toThrow('Its data is damaged.');
    const strange = JSON.stringify({ ...JSON.parse(whole), more: 1 });
    expect(() => readSaved(strange)).toThrow('Its data is damaged.');
  });

  test.each([
    ['an operand that is no var', (eqn: Eqn) => (eqn.invars[0] = 999)],
    ['a result below zero', (eqn: Eqn) => (eqn.outvars[0] = -1)],
    ['a result that is its own operand', (eqn: Eqn) => (eqn.outvars[0] = eqn.invars[0]!)],
    ['a text that ends before its eqn', (eqn: Eqn) => (eqn.span = [0, 1e6])],
    ['half a span', (eqn: Eqn) => (eqn.span = [0])],
    ['a frame that is not there', (eqn: Eqn) => (eqn.frame = 500)],
  ])('%s', (_, break_) => {
    const program = JSON.parse(whole);
    break_(program.stages[0].graphs[0].eqns[0]);
    expect(() => readSaved(JSON.stringify(program))).toThrow('Its parts contradict one another.');
  });
});

interface Eqn {
  invars: number[];
  outvars: number[];
  span: number[] | null;
  frame: number | null;
}

test('whatever number stands in a file, it is refused, or its picture is drawn', () => {
  const whole = textOf('while_newton');
  const places = [...whole.matchAll(/(?<=[[: \n])-?\d+(?=[,\n\]}])/g)].map(({ index }) => index);
  const changed = fc.tuple(fc.constantFrom(...places), fc.integer({ min: -3, max: 80 }));
  fc.assert(
    fc.property(fc.array(changed, { minLength: 1, maxLength: 3 }), (changes) => {
      let text = whole;
      for (const [at, number] of changes.sort(([one], [other]) => other - one)) {
        text = text.slice(0, at) + text.slice(at).replace(/^-?\d+/, String(number));
      }
      try {
        const [stage] = programIn(text).stages;
        sceneOf(stage!, everything(stage!));
        spansOf(stage!);
      } catch (error) {
        expect(String(error)).toMatch(/format|damaged|contradict/);
      }
    }),
  );
});
