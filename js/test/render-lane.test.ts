/** A function's line of the timeline, as it is painted. */
import { expect, test } from 'vitest';
import { lanesOf } from '../src/facts/log/log-lanes';
import { laneShapes } from '../src/picture/lane-shapes';
import type { Event } from '../src/schema';
import { START } from './log-samples';
import { event, log } from './logs';

/** The texts that are painted on a lane 400 px wide, and where, px. */
function texts(events: Event[]): [string, number][] {
  const all = log({ events, start: START, seconds: 10 });
  const [lane] = lanesOf(all);
  const scale = { from: 0, to: 10, width: 400 };
  const view = { log: all, lane: lane!, scale, ticks: [], selected: null, marked: new Set([]) };
  return laneShapes(view).flatMap((one) => ('text' in one ? [[one.text, Math.round(one.x)]] : []));
}

const many = (from: number, times: number): Event[] =>
  Array.from({ length: times }, (_, index) =>
    event({ number: 1000 * from + index, start: START + from + index / 1000, seconds: 1e-4 }),
  );

test('many events say how many they are, beside them where there is no room', () => {
  expect(texts([...many(1, 500), ...many(3, 1500)])).toEqual([
    ['×500', 68],
    ['×1500', 124],
  ]);
  expect(texts(many(9.6, 400))).toEqual([['×400', 355]]);
  expect(texts([...many(9, 400), ...many(9.6, 400)]).map(([text]) => text)).toEqual(['×400']);
});
