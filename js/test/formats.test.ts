import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { carryOf } from '../src/facts/graph';
import { decode, fromBase64, readLog } from '../src/facts/wire';
import { completed, upgraded } from '../src/facts/wire/records';
import { readDisplay, readLogDisplay } from '../src/hosts/lab/display';
import { type Display, LOG_MIME, MIME, type Program, RELEASE, VERSION } from '../src/schema';
import { GOLDEN } from './fixtures';

const FORMATS = join(GOLDEN, '../formats');

interface Notebook {
  cells: { outputs?: { data?: Record<string, unknown> }[] }[];
}

describe.each(readdirSync(FORMATS))('format %s', (format) => {
  const read = (name: string): unknown =>
    JSON.parse(readFileSync(join(FORMATS, format, name), 'utf8'));
  const shown = (read('notebook.ipynb') as Notebook).cells
    .flatMap(({ outputs }) => outputs ?? [])
    .map(({ data }) => data ?? {});

  test('programs are those that were saved beside them', async () => {
    const saved = ['program', 'compared', 'part'].map((name) =>
      completed(
        upgraded(read(`${name}.json`), 'Program', Number(format)) as Program,
        Number(format),
      ),
    );
    const found = shown.flatMap((data) => data[MIME] ?? []).map(readDisplay);
    const programs = found.map((one) => decode(fromBase64((one as { program: string }).program)));
    expect(await Promise.all(programs)).toEqual(saved);
    expect(found.map((one) => (one as { partial: unknown }).partial === null)).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('logs are as they were saved', async () => {
    const found = shown.flatMap((data) => data[LOG_MIME] ?? []).map(readLogDisplay);
    expect(found.map((one) => (one as { strip: unknown }).strip)).toEqual([false, true]);
    for (const one of found) {
      const bytes = fromBase64((one as { log: string }).log);
      const saved: unknown = JSON.parse(inflateSync(bytes).toString());
      expect(await readLog(bytes)).toEqual(upgraded(saved, 'Log', Number(format)));
    }
  });
});

test('the reports of format 5 are read, each in the one field for reports', () => {
  const text = readFileSync(join(FORMATS, '5/reports.ipynb'), 'utf8');
  const data = (JSON.parse(text) as Notebook).cells
    .flatMap(({ outputs }) => outputs ?? [])
    .map(({ data }) => data?.[MIME]);
  const tools = ['find_nan', 'statistics', 'profile', 'timeit', 'steps', 'explain'];
  expect(data.map((one) => (readDisplay(one) as Display).report?.tool)).toEqual(tools);
  const damaged = { ...(data[0] as object), births: 7 };
  expect(readDisplay(damaged)).toContain('damaged');
});

test('the stage that formats 1 and 2 show first is that of the opening', () => {
  const display = { program: '', partial: null, key: '', jaxviz: '' };
  const opens = (data: object) => (readDisplay({ ...display, ...data }) as Display).opening;
  for (const version of [1, 2]) {
    expect(opens({ version, stage: 'hlo' })).toEqual({ stage: 'hlo' });
    expect(opens({ version, stage: '' })).toEqual({});
  }
  expect(opens({ version: 3, opening: { depth: 1, more: 2 } })).toEqual({ depth: 1 });
});

test('a loop of format 1 carries what it carried', () => {
  const saved = JSON.parse(readFileSync(join(FORMATS, '1/program.json'), 'utf8'));
  const { stages } = completed(upgraded(saved, 'Program', 1) as Program, 1);
  const scan = stages[0]?.graphs.flatMap(({ eqns }) => eqns).find(({ op }) => op === 'scan');
  expect(scan && carryOf(scan, 0)).toEqual([{ input: 1, output: 0 }]);
});

test('an output of this format is left as it is, and one of a later format a sentence', () => {
  const display = {
    version: VERSION,
    jaxviz: '0.3.0',
    program: '',
    partial: null,
    opening: {},
    key: '',
  };
  expect(upgraded(display, 'Display', VERSION)).toEqual(display);
  expect(readDisplay({ ...display, version: VERSION + 1 })).toBe(
    `This output is of format ${VERSION + 1}, written by jaxviz 0.3.0. This page has jaxviz ${RELEASE}, which reads formats up to ${VERSION}: run pip install --upgrade --no-deps jupyterlab-jaxviz where Jupyter’s server runs, and load the page again.`,
  );
});
