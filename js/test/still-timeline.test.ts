/** The static picture of a log: what GitHub and nbconvert show of it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { timeline } from '../src/picture/still-timeline';
import { logs, START, training } from './log-samples';
import { counted, event, log } from './logs';

const OP = { name: 'jnp.sin', site: null, traces: 1, reason: [], compiles: 3, seconds: 0.1 };

/** All marks that there are: a call in another, one of a cache, two threads, one that failed, events
 * that are not listed, hits. */
const marks = log({
  seconds: 3,
  functions: [
    counted({ name: 'step', seconds: 1.2, hits: [0, 4, 9, 0, 2] }),
    counted({ name: 'loss_of_a_layer_with_a_long_name', definition: null, seconds: 0.4 }),
  ],
  slice: 0.5,
  events: [
    event({ number: 1, start: START + 0.1, seconds: 0.4 }),
    event({ number: 2, start: START + 0.2, seconds: 0.2, depth: 1 }),
    event({ number: 3, start: START + 0.5, seconds: 0.5, kind: 'compile', of: 1, cached: true }),
    event({ number: 4, start: START + 0.3, seconds: 0.4, thread: 'other', again: true }),
    event({ number: 5, start: START + 1.2, seconds: 0.1, error: 'TypeError' }),
    event({
      number: 6,
      name: 'loss_of_a_layer_with_a_long_name',
      definition: null,
      start: START + 1,
      seconds: 0,
      implied: true,
    }),
    event({ number: 60, start: START + 2.2, seconds: 0.2, kind: 'lower', again: true }),
    event({ number: 61, start: START + 2.4, seconds: 0.3, kind: 'compile', of: 60 }),
  ],
  omitted: 53,
  ops: [{ ...OP, spans: [START + 0.05, START + 0.09, START + 1.4, START + 1.5] }],
});

describe('as a person reads it', () => {
  test('three traces of a training step', async () => {
    await expect(timeline(training)).toMatchFileSnapshot('pictures/timeline.svg');
  });

  test('all marks that there are', async () => {
    await expect(timeline(marks)).toMatchFileSnapshot('pictures/timeline-marks.svg');
  });
});

const many = (functions: number, events: number) =>
  log({
    functions: Array.from({ length: functions }, (_, at) =>
      counted({ name: `f${at}`, seconds: at, definition: null }),
    ),
    events: Array.from({ length: functions * events }, (_, number) => {
      const start = START + (2 * Math.floor(number / functions)) / events;
      return event({
        number,
        name: `f${number % functions}`,
        definition: null,
        start,
        seconds: 1e-3,
      });
    }),
  });

test('of many functions those that took longest are drawn, and the others counted', () => {
  const drawn = timeline(many(15, 2));
  expect(drawn).toContain('>f14<');
  expect(drawn).not.toContain('>f2<');
  expect(drawn).toContain('3 more functions are not drawn: those that took least.');
});

test('a log as large as they come is a picture of 60 kB at most', () => {
  expect(timeline(many(12, 83)).length).toBeLessThan(60_000);
});

test('a name is text', () => {
  const drawn = timeline(log({ functions: [counted({ name: '<script>\0\ud800\n&"' })] }));
  expect(drawn).toContain('&lt;script&gt; &amp;"</text>');
});

test('nothing is drawn of a log without functions and ops', () => {
  expect(() => timeline(log({ functions: [] }))).toThrow('nothing to draw');
  expect(timeline(log({ functions: [], ops: marks.ops }))).toContain('op by op');
});

/** Paths and texts with classes of ours, and nothing that a log says in another place. */
const LINE =
  /^(<g transform="translate\([\d. ]+\)">)?(<(path|text)( (class|d|opacity|stroke-width|x|y)="[\w. -]*")+(\/>|>[^<>]*<\/text>))?(<\/g>)*$/;

test('any log is drawn, in numbers that a viewer reads', () => {
  fc.assert(
    fc.property(logs, (one) => {
      const drawn = timeline(one);
      expect(drawn.length).toBeLessThan(60_000);
      const body = drawn.slice(drawn.indexOf('function</text>')).split('\n').slice(1, -2);
      for (const line of body) expect(line).toMatch(LINE);
      expect(drawn).not.toMatch(/NaN|Infinity|undefined/);
    }),
  );
});
