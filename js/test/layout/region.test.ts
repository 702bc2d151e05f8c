// @vitest-environment node

import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layoutRegion, OPTIONS, PIN, type Placement, type Region } from '../../src/layout/region';

interface Golden {
  about: string;
  shape?: { aspect: number; tall: number };
  region: Region & { targetX?: (number | null)[] };
  placement: {
    x: number[];
    y: number[];
    rank: number[];
    width: number;
    height: number;
    points: number[][];
    cut: boolean[];
  };
}

const FOLDER = new URL('regions/', import.meta.url);

function golden(file: string): Golden {
  const read = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Golden;
  const { targetX, ...region } = read.region;
  if (!targetX) return read;
  return { ...read, region: { ...region, targetX: targetX.map((x) => x ?? Number.NaN) } };
}

function pointsOf({ points, start }: Placement, e: number): number[] {
  return Array.from(points.subarray(2 * start[e]!, 2 * start[e + 1]!));
}

function near(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < actual.length; i++) expect(actual[i]).toBeCloseTo(expected[i]!, 5);
}

describe('layoutRegion gives the placements that were looked at', () => {
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.json'))) {
    const { about, shape = null, region, placement } = golden(file);
    it(`${file}: ${about}`, () => {
      const laid = layoutRegion(region, { ...OPTIONS, shape: shape && { wide: 1e9, ...shape } });
      expect(Array.from(laid.rank)).toEqual(placement.rank);
      expect(Array.from(laid.cut, Boolean)).toEqual(placement.cut);
      near(laid.x, placement.x);
      near(laid.y, placement.y);
      near([laid.width, laid.height], [placement.width, placement.height]);
      placement.points.forEach((line, e) => {
        near(pointsOf(laid, e), line);
      });
    });
  }
});

const regions: fc.Arbitrary<Region> = fc.integer({ min: 0, max: 40 }).chain((n) => {
  const sizes = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: n, maxLength: n });
  const box = fc.integer({ min: 0, max: Math.max(0, n - 1) });
  const pins = fc.array(fc.constantFrom(...Object.values(PIN)), { minLength: n, maxLength: n });
  return fc
    .record({
      width: sizes,
      height: sizes,
      pins,
      edges: fc.uniqueArray(
        fc.tuple(box, box).filter(([a, b]) => a < b),
        { maxLength: n < 2 ? 0 : 80, selector: ([a, b]) => a * n + b },
      ),
      reach: fc.option(fc.constant(new Array<number>(n).fill(60)), { nil: undefined }),
    })
    .map(({ width, height, pins, edges, reach }) => {
      const source = edges.map(([a]) => a);
      const target = edges.map(([, b]) => b);
      const kept = (pin: number, v: number) =>
        (pin === PIN.first && target.includes(v)) || (pin >= PIN.last && source.includes(v));
      const pin = pins.map((one, v) => (kept(one, v) ? PIN.free : one));
      const targetX = edges.map(([a]) => (a % 2 === 0 ? 0 : Number.NaN));
      return { width, height, source, target, targetX, pin, ...(reach && { reach }) };
    });
});

/** Regions of many rows, which fold into columns. */
const chains: fc.Arbitrary<Region> = fc
  .record({
    sizes: fc.array(fc.tuple(fc.nat(200), fc.nat(60)), { minLength: 10, maxLength: 50 }),
    skips: fc.array(fc.tuple(fc.nat(48), fc.integer({ min: 2, max: 7 })), { maxLength: 60 }),
  })
  .map(({ sizes, skips }) => {
    const steps = sizes.slice(1).map((_, at): [number, number] => [at, at + 1]);
    const over = skips.map(([at, by]): [number, number] => [at, at + by]);
    const kept = new Map([...steps, ...over].map((edge) => [edge.join(), edge]));
    const edges = [...kept.values()].filter(([, to]) => to < sizes.length);
    return {
      width: sizes.map(([width]) => width),
      height: sizes.map(([, height]) => height),
      source: edges.map(([from]) => from),
      target: edges.map(([, to]) => to),
    };
  });

/** Lengths are whole 64ths of a px. */
const SLACK = 1 / 16;

describe('layoutRegion', () => {
  it('keeps boxes apart and inside the picture', () => {
    fc.assert(
      fc.property(regions, ({ width, height, ...region }) => {
        const { x, y, ...whole } = layoutRegion({ width, height, ...region });
        for (let a = 0; a < x.length; a++) {
          expect(x[a]! - width[a]! / 2).toBeGreaterThanOrEqual(-SLACK);
          expect(x[a]! + width[a]! / 2).toBeLessThanOrEqual(whole.width + SLACK);
          expect(y[a]! - height[a]! / 2).toBeGreaterThanOrEqual(-SLACK);
          expect(y[a]! + height[a]! / 2).toBeLessThanOrEqual(whole.height + SLACK);
          for (let b = 0; b < a; b++) {
            const aside = Math.abs(x[a]! - x[b]!) - (width[a]! + width[b]!) / 2 - OPTIONS.gapX;
            const gap = Math.min(height[a]!, height[b]!) > 0 ? OPTIONS.gapY : OPTIONS.gapY / 2;
            const above = Math.abs(y[a]! - y[b]!) - (height[a]! + height[b]!) / 2 - gap;
            expect(Math.max(aside, above)).toBeGreaterThanOrEqual(-SLACK);
          }
        }
      }),
    );
  });

  it('leads edges down from border to border, inside the picture and past every box', () => {
    fc.assert(
      fc.property(regions, (region) => {
        const laid = layoutRegion(region);
        for (let e = 0; e < region.source.length; e++) expectLine(region, laid, e);
      }),
    );
  });

  it('leads edges past every box in columns and in wrapped rows too', () => {
    const shapes = fc.record({
      aspect: fc.constantFrom(0.3, 1, 3),
      tall: fc.constantFrom(0, 200),
      wide: fc.constantFrom(200, 1000),
    });
    fc.assert(
      fc.property(chains, shapes, (region, shape) => {
        const laid = layoutRegion(region, { ...OPTIONS, shape });
        for (let e = 0; e < region.source.length; e++) {
          if (laid.cut[e] === 0) expectPast(region, laid, pointsOf(laid, e));
        }
      }),
    );
  });

  it('gives the same picture for the same region', () => {
    fc.assert(
      fc.property(regions, (region) => {
        expect(layoutRegion(region)).toEqual(layoutRegion(region));
      }),
    );
  });

  it('takes 50,000 boxes in one chain', () => {
    const n = 50_000;
    const { rank, x } = layoutRegion({
      width: new Array<number>(n).fill(40),
      height: new Array<number>(n).fill(20),
      source: Array.from({ length: n - 1 }, (_, e) => e),
      target: Array.from({ length: n - 1 }, (_, e) => e + 1),
    });
    expect(rank[n - 1]).toBe(n - 1);
    expect(new Set(x)).toEqual(new Set([20]));
  });

  it('refuses an edge that leads upwards', () => {
    const upwards = { width: [1, 1], height: [1, 1], source: [1], target: [0] };
    expect(() => layoutRegion(upwards)).toThrow('Edge 0 leads from box 1 to box 0');
  });
});

function expectLine(region: Region, laid: Placement, e: number): void {
  const u = region.source[e]!;
  const v = region.target[e]!;
  const line = pointsOf(laid, e);
  const span = laid.rank[v]! - laid.rank[u]!;
  expect(span).toBeGreaterThan(0);
  expect(laid.cut[e]).toBe(span > OPTIONS.cut ? 1 : 0);
  expect(line[1]).toBe(laid.y[u]! + region.height[u]! / 2);
  expect(line[line.length - 1]).toBe(laid.y[v]! - region.height[v]! / 2);
  if (laid.cut[e]) return;
  for (let i = 0; i + 3 < line.length; i += 2) {
    const [x0, y0, x1, y1] = line.slice(i) as [number, number, number, number];
    expect(y0).toBeLessThanOrEqual(y1);
    expect(Math.min(x0, x1)).toBeGreaterThanOrEqual(-SLACK);
    expect(Math.max(x0, x1)).toBeLessThanOrEqual(laid.width + SLACK);
  }
  expectPast(region, laid, line);
}

function expectPast(region: Region, laid: Placement, line: number[]): void {
  for (let i = 0; i + 3 < line.length; i += 2) {
    const [x0, y0, x1, y1] = line.slice(i) as [number, number, number, number];
    for (let b = 0; b < laid.x.length; b++) {
      const half = region.width[b]! / 2 - SLACK;
      const beside = Math.max(x0, x1) <= laid.x[b]! - half || Math.min(x0, x1) >= laid.x[b]! + half;
      const tall = region.height[b]! / 2 - SLACK;
      const below = Math.max(y0, y1) <= laid.y[b]! - tall || Math.min(y0, y1) >= laid.y[b]! + tall;
      expect(beside || below).toBe(true);
    }
  }
}
