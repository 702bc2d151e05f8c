import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ColourBy } from '../src/facts/colours/colour-schemes';
import { type Colouring, colour } from '../src/facts/colours/colouring';
import { allEqns } from '../src/facts/graph';
import { sceneOf } from '../src/layout/scene';
import type { Aval, Stage } from '../src/schema';
import { everything, openWithin } from '../src/state/open-items';
import { chain, F32, stage, stageOf } from './fixtures';
import { stages } from './programs';

const coloured = (of: Stage, by: ColourBy, open: ReadonlySet<string> = new Set()) => {
  const { boxes } = sceneOf(of, open);
  return { boxes, colours: colour(of, boxes, by) };
};

/** `contraction 5`, in the legend's order. */
const legend = ({ classes, counts }: Colouring): string[] =>
  classes.flatMap(({ label }, index) => (counts[index] ? [`${label} ${counts[index]}`] : []));

const inClosed = (of: Stage, by: ColourBy) => legend(coloured(of, by).colours);

describe('colours', () => {
  test('by op family: how many eqns of each, those in closed groups too', () => {
    const step = stageOf('train_step');
    expect(inClosed(step, 'family')).toMatchInlineSnapshot(`
      [
        "contraction 5",
        "elementwise 15",
        "reduction 1",
        "movement 7",
        "call 4",
      ]
    `);
    expect(legend(coloured(step, 'family', everything(step)).colours)).toEqual(
      inClosed(step, 'family'),
    );
  });

  test('by dtype, casts apart', () => {
    expect(inClosed(stageOf('scan_with_cond'), 'dtype')).toMatchInlineSnapshot(`
      [
        "f32 7",
        "bool 1",
        "casts 1",
      ]
    `);
  });

  test('by scope: a backward group has the colour of its forward one', () => {
    expect(inClosed(stageOf('train_step'), 'scope')).toMatchInlineSnapshot(`
      [
        "layers[0] 10",
        "layers[1] 10",
        "loss 8",
        "optimizer 4",
      ]
    `);
  });

  test('a closed box has the colour that most in it have, and casts one of their own', () => {
    const wide: Aval = { ...F32, text: 'f64[]', dtype: 'float64' };
    const inner = chain(['mul', 'convert_element_type', 'add', 'neg']);
    inner.vars[2] = { name: 'v2', aval: 1, literal: false };
    const program = { ...stage([chain(['jit'], [[1]]), inner]), avals: [F32, wide] };
    const { boxes, colours } = coloured(program, 'dtype');
    const jit = boxes.findIndex(({ item }) => item.id === '0');
    expect(colours.classes[colours.of[jit] as number]?.label).toBe('f32');
    expect(legend(colours)).toEqual(['f32 4', 'casts 1']);
  });

  test('every eqn is counted once, whatever is open', () => {
    fc.assert(
      fc.property(stages, fc.nat(60), (of, budget) => {
        for (const by of ['family', 'dtype', 'scope'] as const) {
          const { boxes, colours } = coloured(of, by, openWithin(of, budget));
          const counted = colours.counts.reduce((sum, count) => sum + count, 0);
          expect(counted).toBe(allEqns(of));
          for (const one of colours.of) expect(one).toBeLessThan(colours.classes.length);
          expect(colours.of).toHaveLength(boxes.length);
        }
      }),
    );
  });
});
