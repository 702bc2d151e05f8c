import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { colour } from '../src/facts/colours/colouring';
import {
  added,
  costOf,
  lineCosts,
  ownCosts,
  runsOf,
  runsOfGraphs,
  wholeOf,
} from '../src/facts/numbers/costs';
import { sentWithin } from '../src/facts/numbers/exchanges';
import { compact, flopsText, percentText, sizeText } from '../src/facts/text/describe';
import { sceneOf } from '../src/layout/scene';
import type { Cost, Program, Stage } from '../src/schema';
import { eqnRows, grouped } from '../src/words/cost-table';
import { costFacts } from '../src/words/item-details';
import { chain, golden, goldens, plainGroup, readable, stage } from './fixtures';

const products = (kind: string): Stage =>
  golden('stages/scan_products').stages.find((one) => one.kind === kind) as Stage;

const cost = (flops: number | null, bytes: number | null, least = false): Cost => ({
  flops,
  transcendentals: flops === null ? null : 0,
  bytes,
  least,
});

/** A loop of unknown length around a product, which is called once more beside it. */
function loops(trips: number | null): Stage {
  const root = chain(['while', 'dot'], [[1]]);
  const body = chain(['dot', 'call'], [[], [2]]);
  const inner = chain(['add']);
  root.eqns[0]!.trips = trips;
  root.eqns[0]!.cost = cost(12 * (trips ?? 1), 120 * (trips ?? 1), trips === null);
  root.eqns[1]!.cost = cost(10, 100);
  body.eqns[0]!.cost = cost(10, 100);
  body.eqns[1]!.cost = cost(2, 20);
  inner.eqns[0]!.cost = cost(2, 20);
  return stage([root, body, inner]);
}

describe('a scan of 100 products of f32[16,16] by f32[16,16] is 819,200 flops', () => {
  // Later stages count on and compare in each trip.
  test.each([
    ['jaxpr', 819_200],
    ['stablehlo', 819_400],
    ['hlo', 819_400],
  ])('in the %s', (kind, flops) => {
    const of = products(kind);
    expect(flopsText(wholeOf(of).flops)).toBe(`${flops.toLocaleString('en')} flops`);
    const own = ownCosts(of).flatMap((one) => [...one.flops]);
    expect(own.reduce((sum, one) => sum + one, 0)).toBe(flops);
    expect([...lineCosts(of).values()].map((one) => one.flops)).toContain(flops);
  });

  test('of the loop, of its body and of the product in it', () => {
    const of = products('jaxpr');
    const flops = ['0', '0.0', '0.0/0'].map((id) => costOf(of, id)?.flops);
    expect(flops).toEqual([819_200, 819_200, 819_200]);
  });

  test('as facts', () => {
    expect(costFacts(products('jaxpr'), '0.0/0').map(readable)).toEqual([
      'work: 819,200 flops (100 % of the program)',
      'moves: 300.0 KiB (100 % of the program)',
      'intensity: 2.67 flops per byte',
      'runs: × 100',
    ]);
    expect(costFacts(products('jaxpr'), '0').map(readable)).toContain('runs: its loop × 100');
  });
});

describe('what devices exchange', () => {
  test('is said of each run that there is, with how and along which axes', () => {
    const of = loops(7);
    of.graphs[1]!.eqns[0]!.op = 'psum';
    of.collectives = [
      { eqn: 2, kind: 'all-reduce', axes: ['a', 'b'], devices: 8, sent: 1792, cause: '' },
    ];
    expect(costFacts(of, '0.0/0').map(readable)).toContain(
      'each device sends: 12.3 KiB (all-reduce in groups of 8, along a, b)',
    );
    expect(costFacts(of, '0').map(readable)).toContain('each device sends: 12.3 KiB along a, b');
  });

  test('is said with why there is one, and in the rows of the table', () => {
    const of = loops(7);
    of.graphs[1]!.eqns[0]!.op = 'psum';
    const cause =
      'dimension 0 of x f32[8] is split along a before this, and whole on each device after it';
    of.collectives = [{ eqn: 2, kind: 'all-gather', axes: ['a'], devices: 8, sent: 1024, cause }];
    expect(costFacts(of, '0.0/0').map(readable)).toContain(`because: ${cause}`);
    expect(eqnRows(of).map(({ sent }) => sent?.bytes ?? null)).toContain(7168);
    const [whole] = grouped(of, eqnRows(of), 'line');
    expect(whole?.sent).toEqual({ bytes: 7168, least: false });
  });

  test('is added up by axes: all turns of a loop, of a choice what sends most', () => {
    const of = loops(7);
    of.graphs[1]!.eqns[0]!.op = 'psum';
    of.collectives = [
      { eqn: 2, kind: 'all-reduce', axes: ['a'], devices: 8, sent: 1024, cause: '' },
    ];
    expect([...sentWithin(of, '0')]).toEqual([['a', { bytes: 7168, least: false }]]);
    expect([...sentWithin(of, '0.0')]).toEqual([['a', { bytes: 7168, least: false }]]);
    expect([...sentWithin(of, '1')]).toEqual([]);

    const choice = stage([chain(['cond'], [[1, 2]]), chain(['psum']), chain(['psum'])]);
    choice.collectives = [
      { eqn: 1, kind: 'all-reduce', axes: ['a'], devices: 8, sent: 10, cause: '' },
      { eqn: 2, kind: 'all-reduce', axes: ['a'], devices: 8, sent: null, cause: '' },
    ];
    expect([...sentWithin(choice, '0')]).toEqual([['a', { bytes: 10, least: true }]]);
  });

  test('is not reported where only XLA can know it', () => {
    const of = loops(null);
    of.collectives = [{ eqn: 2, kind: 'permute', axes: [], devices: 4, sent: null, cause: '' }];
    expect(costFacts(of, '0.0/0').map(readable)).toContain(
      'each device sends: not reported (permute, sent by 4)',
    );
  });
});

describe('costs', () => {
  test('trips are multiplied along the way', () => {
    const of = loops(7);
    expect(runsOf(of, '0.0/1.0')).toEqual({ times: 7, least: false });
    expect(costOf(of, '0.0/1.0/0')).toEqual(cost(14, 140));
    expect(runsOfGraphs(of).map(({ times }) => times)).toEqual([1, 7, 7]);
  });

  test('a loop of unknown length does at least what it does once', () => {
    const of = loops(null);
    expect(costOf(of, '0.0/0')).toEqual(cost(10, 100, true));
    expect(wholeOf(of)).toEqual(cost(22, 220, true));
    expect(costFacts(of, '0.0/0').map(readable).slice(0, 2)).toEqual([
      'work: ≥ 10 flops (45.5 % of the program)',
      'moves: ≥ 100 bytes (45.5 % of the program)',
    ]);
    expect(costFacts(of, '0').map(readable)).toContain(
      'runs: its loop: unknown number of iterations',
    );
  });

  test('what is not known is not reported, and never 0', () => {
    const of = loops(7);
    of.graphs[0]!.eqns[1]!.cost = cost(null, 100);
    expect(costFacts(of, '1').map(readable)[0]).toBe('work: not reported');
    expect(wholeOf(of)).toEqual(cost(84, 940, true));
    expect(costOf(of, 'in0')).toBeNull();
    const unknown = stage([chain(['custom_call'])]);
    expect(wholeOf(unknown)).toEqual(cost(null, null, true));
    expect(costFacts(unknown, '0')).toEqual([]);
  });

  test('a group does what its eqns do', () => {
    const of = loops(7);
    of.graphs[0]!.groups = [plainGroup(0, 2)];
    expect(costOf(of, 'g0')).toEqual(cost(94, 940));
  });

  test('what a reducer does is its eqn’s', () => {
    const of = stage([chain(['stablehlo.reduce'], [[1]]), chain(['stablehlo.add'])]);
    of.graphs[0]!.eqns[0]!.cost = cost(63, 260);
    of.graphs[1]!.eqns[0]!.cost = cost(1, 0);
    expect(ownCosts(of).map(({ flops }) => [...flops])).toEqual([[63], [0]]);
    expect(costOf(of, '0.0/0')).toEqual(cost(1, 0, true));
    expect(costFacts(of, '0.0/0').map(readable)).toContain(
      'runs: for each element, or by another rule',
    );
  });

  test('of the branches of a choice that counts which does the most', () => {
    const of = stage([chain(['cond'], [[1, 2]]), chain(['sin']), chain(['dot'])]);
    of.graphs[0]!.eqns[0]!.cost = cost(90, 8);
    of.graphs[1]!.eqns[0]!.cost = cost(1, 8);
    of.graphs[2]!.eqns[0]!.cost = cost(90, 8);
    expect(ownCosts(of).map(({ flops }) => [...flops])).toEqual([[0], [0], [90]]);
  });

  test.each(goldens.filter((name) => golden(name).stages[0]?.cost?.least === false))(
    'of %s: what its eqns do by themselves is what it does in all',
    (name) => {
      const [of] = (golden(name) as Program).stages as [Stage];
      for (const by of ['flops', 'transcendentals', 'bytes'] as const) {
        const own = ownCosts(of).flatMap((one) => [...one[by]]);
        const sum = own.reduce((total, part) => total + part, 0);
        if (!of.graphs.some(({ eqns }) => eqns.some(({ op }) => op === 'cond'))) {
          expect(sum).toBe(of.cost?.[by]);
        } else expect(sum).toBeLessThanOrEqual(of.cost?.[by] as number);
      }
    },
  );

  test('added up, what is known of either is known to be more', () => {
    const known = fc.option(fc.nat(1e9), { nil: null });
    const least = fc.boolean();
    const costs = fc.record({ flops: known, transcendentals: known, bytes: known, least });
    fc.assert(
      fc.property(costs, costs, (one, other) => {
        const both = added(one, other);
        expect(both).toEqual(added(other, one));
        expect(both.flops).toBe(
          one.flops === null && other.flops === null ? null : (one.flops ?? 0) + (other.flops ?? 0),
        );
        if ((one.flops === null) !== (other.flops === null)) expect(both.least).toBe(true);
      }),
    );
  });
});

describe('heat', () => {
  const heats = (of: Stage, open: string[], by: 'flops' | 'bytes') => {
    const { boxes } = sceneOf(of, new Set(open));
    const { classes, of: heat, lengths, whole, counts } = colour(of, boxes, by);
    const labels = boxes.map(({ item }, box) => `${item.id} ${classes[heat[box]!]?.label}`);
    return { labels, lengths: [...(lengths ?? [])], whole, counts: [...counts], classes };
  };

  test('closed, a loop has what it does in all; open, what is in it has that', () => {
    const closed = heats(products('jaxpr'), [], 'flops');
    expect(closed.labels).toContain('0 ≥ 50 %');
    expect(closed.whole).toBe('of 819,200 flops');
    const open = heats(products('jaxpr'), ['0'], 'flops');
    expect(open.labels).toContain('0.0/0 ≥ 50 %');
    expect(open.counts[0]).toBe(1);
  });

  test('zero differs from not reported', () => {
    const of = loops(7);
    of.graphs[0]!.eqns[0]!.cost = cost(0, 10);
    of.graphs[0]!.eqns[1]!.cost = null;
    const { labels, lengths } = heats(of, [], 'flops');
    expect(labels).toContain('0 no arithmetic');
    expect(labels).toContain('1 not reported');
    expect(lengths.every((length) => length === 0)).toBe(true);
  });

  test('its legend says from where on each colour holds', () => {
    const { classes } = heats(products('jaxpr'), [], 'bytes');
    expect(classes.slice(0, 3).map(({ label, about }) => `${label}: ${about}`)).toEqual([
      '≥ 50 %: 150.0 KiB or more',
      '≥ 20 %: 60.0 KiB or more',
      '≥ 5 %: 15.0 KiB or more',
    ]);
  });
});

describe('amounts', () => {
  test('are short, and exact where they are small', () => {
    expect([0, 999_999, 1e6, 1.274e9, 12.6e9, 999.9e9, 3.1e21].map(compact)).toEqual([
      '0',
      '999,999',
      '1.00 M',
      '1.27 G',
      '12.6 G',
      '1.00 T',
      '3100 E',
    ]);
    expect(flopsText(1)).toBe('1 flop');
    expect(flopsText(1.27e9, true)).toBe('≥ 1.27 Gflop');
    expect(sizeText(null)).toBe('not reported');
    expect([0, 0.0004, 0.1234, 0.9999, 1].map(percentText)).toEqual([
      '0 %',
      '<0.1 %',
      '12.3 %',
      '100 %',
      '100 %',
    ]);
  });
});
