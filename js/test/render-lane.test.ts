/** A function's line of the timeline, as it is painted. */
import { expect, test } from 'vitest';
import { lanesOf } from '../src/facts/events/log-lanes';
import { laneShapes } from '../src/picture/lane-shapes';
import { filled, rect, stroked } from '../src/picture/shapes';
import { paintShapes } from '../src/render/paint';
import { themeOf } from '../src/render/theme';
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

test('a canvas is painted shape by shape, in the colours of the page', () => {
  const painted: unknown[] = [];
  const canvas: Record<string, unknown> = {};
  const step = (name: string) => [
    name,
    (...at: unknown[]) => {
      const { fillStyle, strokeStyle, globalAlpha, lineWidth } = canvas;
      const paint = name === 'stroke' ? [strokeStyle, globalAlpha, lineWidth] : [];
      painted.push([name, ...at, ...(name.startsWith('fill') ? [fillStyle, globalAlpha] : paint)]);
    },
  ];
  const names = ['beginPath', 'moveTo', 'lineTo', 'closePath', 'fill', 'stroke', 'fillText'];
  Object.assign(canvas, Object.fromEntries(names.map(step)));
  const shapes = [
    filled('trace', [rect({ x: 1, y: 2, w: 3, h: 4 })]),
    stroked('edge', [[5, 6, 7, 8]], 2, 0.5),
    { ink: 'ink', alpha: 1, text: '3 ms', x: 9, y: 10 } as const,
  ];
  const theme = { ...themeOf(document.body), edge: '#abcdef', ink: '#123456' };
  const paints = new Map([...theme.paints, ['contraction', theme.selected]]);
  paintShapes(canvas as never, shapes, { ...theme, paints });
  expect(painted).toEqual([
    ['beginPath'],
    ['moveTo', 1, 2],
    ['lineTo', 4, 2],
    ['lineTo', 4, 6],
    ['lineTo', 1, 6],
    ['closePath'],
    ['fill', theme.selected.line, 1],
    ['beginPath'],
    ['moveTo', 5, 6],
    ['lineTo', 7, 8],
    ['stroke', '#abcdef', 0.5, 2],
    ['fillText', '3 ms', 9, 10, '#123456', 1],
  ]);
  expect(canvas.globalAlpha).toBe(1);
});
