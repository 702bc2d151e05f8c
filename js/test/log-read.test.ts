/** Logs as a notebook's file brings them: what Python wrote is read, anything else is a sentence. */
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromBase64, readLog } from '../src/facts/wire';
import { isRecord } from '../src/facts/wire/records';
import { RECORDS, RELEASE, VERSION } from '../src/schema';
import { cause, event, log } from './logs';

const sent = (value: unknown) => new Uint8Array(deflateSync(JSON.stringify(value)));

test('a log is read as it was sent', async () => {
  const one = log({ events: [event({ number: 3 })], causes: [cause({})] });
  expect(await readLog(sent(one))).toEqual(one);
});

test('a log that Python deflated is read', async () => {
  expect((await readLog(fromBase64(FROM_PYTHON))).jax).toBe('0.10.2 — é');
});

describe('what is no log is a sentence', () => {
  const whole = log({ events: [event({})], causes: [cause({})] });
  const cases: [string, unknown][] = [
    ['no object', [whole]],
    ['nothing', null],
    ['a field too many', { ...whole, more: 1 }],
    ['a prototype', JSON.parse(JSON.stringify(whole).replace('{', '{"__proto__":{},'))],
    ['a field too few', Object.fromEntries(Object.entries(whole).slice(1))],
    ['a text for a number', { ...whole, seconds: '1' }],
    ['half an event', { ...whole, events: [{ number: 1 }] }],
    ['half of a whole number', { ...whole, events: [event({ depth: 0.5 })] }],
    ['more events than jaxviz saves', { ...whole, events: new Array(10_001).fill(event({})) }],
  ];
  test.each(cases)('%s', async (_, value) => {
    await expect(readLog(sent(value))).rejects.toThrow('Its data is damaged.');
  });

  const apart: [string, unknown][] = [
    ['a cause of no function', { ...whole, causes: [cause({ function: 1 })] }],
    ['a cause of a function before the first', { ...whole, causes: [cause({ function: -1 })] }],
    ['a time before all times', { ...whole, seconds: -1 }],
    ['a time that no clock tells', { ...whole, events: [event({ start: 1e300 })] }],
    ['an event of another kind', { ...whole, events: [event({ kind: 'constructor' })] }],
    ['two events of one number', { ...whole, events: [event({}), event({})] }],
  ];
  test.each(apart)('%s', async (_, value) => {
    await expect(readLog(sent(value))).rejects.toThrow('Its parts contradict one another.');
  });

  test('another format, a number beyond all, no JSON, no zlib, too much of it', async () => {
    await expect(readLog(sent({ ...whole, version: VERSION + 1 }))).rejects.toThrow(
      `This output is of format ${VERSION + 1}. This page has jaxviz ${RELEASE}, which reads formats up to ${VERSION}: run pip`,
    );
    const json = JSON.stringify({ ...whole, seconds: 17.5 }).replace('17.5', '1e999');
    for (const text of [json, 'log', '[[[['.repeat(100_000), '\xff']) {
      const bytes = new Uint8Array(deflateSync(Buffer.from(text, 'latin1')));
      await expect(readLog(bytes)).rejects.toThrow('Its data is damaged.');
    }
    await expect(readLog(new Uint8Array([1, 2, 3]))).rejects.toThrow('Its data is damaged.');
    const bomb = new Uint8Array(deflateSync(' '.repeat(17_000_000)));
    await expect(readLog(bomb)).rejects.toThrow('It is larger than any output of jaxviz.');
  });
});

test('any other value in any place is refused, or the log is still one', async () => {
  const whole = log({ events: [event({})], causes: [cause({})] });
  const places = pathsOf(whole);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...places), fc.jsonValue(), async (path, value) => {
      const changed = structuredClone(whole) as unknown;
      set(changed, path, JSON.parse(JSON.stringify(value)));
      const [found] = await Promise.allSettled([readLog(sent(changed))]);
      if (found.status === 'fulfilled') expect(isRecord(found.value, 'Log')).toBe(true);
      else expect(found.reason.message).toMatch(/^[A-Z].*\.$/);
    }),
  );
});

test('any bytes are a log or a sentence', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array(), fc.boolean(), async (bytes, deflated) => {
      const data = deflated ? new Uint8Array(deflateSync(bytes)) : new Uint8Array(bytes);
      await expect(readLog(data)).rejects.toThrow(/^[A-Z].*\.$/);
    }),
  );
});

test('no other record is taken for a log', () => {
  for (const name of Object.keys(RECORDS) as (keyof typeof RECORDS)[]) {
    expect(isRecord(log({}), name)).toBe(name === 'Log');
  }
});

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const within = Object.entries(value).flatMap(([key, one]) => pathsOf(one, [...path, key]));
  return path.length === 0 ? within : [path, ...within];
}

function set(value: unknown, path: Path, to: unknown): void {
  const [last] = path.slice(-1);
  let holder = value as Record<string, unknown>;
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<string, unknown>;
  holder[last as string] = to;
}

/** `zlib.compress` of a log without events. */
const FROM_PYTHON = [
  'eNplj1FuwyAQRK8S7TeyFgOLzVWqfiBCKloMEeC0UhSph+gleo7epCcpjf1T9W9HM5p9c4WLLzXkBIYzeLZvYAAH',
  'jsN4+H7/OHx9AoPabGnd17Ma5aiFGJAkJ9kd73I6VjA4IJ9JkkTiWmgkVIpBWVMK6QnMycbqGSz25S57GqcZuVCa',
  'FGpFkyAGpzW51kl63cMjA2fX6vfbX3xq+52X0Jo/9hYG9nwnu0Ir1v2G+4aYX33pbzbl8nIOcbf+4OoJR82VQK64',
  'ID3euh+D8xvevzl9rS8lFzBpjZFBym2ju/0AjPRd7w==',
].join('');
