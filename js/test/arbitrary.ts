import fc from 'fast-check';
import type { Stage } from '../src/schema';
import { steps } from './arbitrary-steps';
import { stage } from './fixtures';
import { Growing } from './growing';
import { stages } from './programs';

/** Long programs: mostly chains, with values used again from near and from far. */
export const chains: fc.Arbitrary<Stage> = fc
  .record({
    size: fc.integer({ min: 1, max: 150 }),
    numbers: fc.array(fc.nat(10_000), { minLength: 1, maxLength: 300 }),
  })
  .map(({ size, numbers }) => {
    const grown = new Growing(numbers, ['x', 'y']);
    const { graph } = grown;
    for (let at = 0; at < size; at++) {
      const known = graph.vars.length;
      const near = known - 1 - grown.below(Math.min(known, grown.once(4) ? 6 : 1));
      const far = grown.once(8) ? [grown.below(known)] : [];
      grown.eqn(grown.oneOf(['add', 'sin', 'reduce_sum']), [near, ...far], 1 + grown.below(2));
    }
    graph.outvars = [graph.vars.length - 1];
    graph.results = ['result'];
    return stage([graph]);
  });

const ROLES = ['', 'forward', 'backward', 'optimizer', 'recompute'];
const KINDS = ['scope', 'call', 'repeat', 'section'];

/** Programs whose groups say of themselves what makes no sense together. */
export const confused: fc.Arbitrary<Stage> = fc
  .tuple(stages, fc.array(fc.nat(1000), { minLength: 1, maxLength: 24 }))
  .map(([one, numbers]) => {
    let at = 0;
    const below = (limit: number) => (numbers[at++ % numbers.length] ?? 0) % limit;
    const graphs = one.graphs.map((graph) => ({
      ...graph,
      groups: graph.groups.map((group) => ({
        ...group,
        kind: KINDS[below(KINDS.length)] as string,
        role: ROLES[below(ROLES.length)] as string,
        twin: below(3) === 0 ? null : below(graph.groups.length),
        alike: below(3) - 1,
        loop: '',
        loop_line: 0,
        named_by: '',
      })),
    }));
    return { ...one, graphs };
  });

/** Any program that a picture may be asked for. */
export const programs: fc.Arbitrary<Stage> = fc.oneof(
  { arbitrary: stages, weight: 2 },
  { arbitrary: steps, weight: 3 },
  { arbitrary: chains, weight: 1 },
  { arbitrary: confused, weight: 1 },
);

/** Operations of later stages, also where they make no sense. */
const LATER =
  'constant get-tuple-element tuple broadcast bitcast copy while fusion reduce all-reduce'
    .split(' ')
    .flatMap((op) => [op, `stablehlo.${op.replaceAll('-', '_')}`]);

/** The same as a later stage, with its operations in turn. */
export function asLater(stage: Stage, kind: string, turn: number): Stage {
  const param = (name: string, value: string) => ({ name, value, size: value.length });
  const graphs = stage.graphs.map((graph) => ({
    ...graph,
    eqns: graph.eqns.map((eqn, index) => ({
      ...eqn,
      op: LATER[(index * (turn + 1) + turn) % LATER.length] as string,
      params: [param('value', '1.5'), param('index', String((index + turn) % 3))],
    })),
  }));
  return { ...stage, kind, graphs };
}

/** Arguments that are fixed in a program, as `mode='train'` is; their values are as long as code. */
const fixed = fc.array(
  fc.record({
    path: fc.constantFrom('mode', 'config'),
    text: fc.nat(90).map((length) => 'x'.repeat(length)),
    kind: fc.constantFrom('static', 'closed over'),
  }),
  { maxLength: 5 },
);

const UNKNOWN = { consts: [], donated: [], shardings: [], results: [], mesh: [] };

/** Programs of all stages. */
export const anyStage: fc.Arbitrary<Stage> = fc
  .tuple(programs, fc.constantFrom('jaxpr', 'jaxpr', 'stablehlo', 'hlo'), fc.nat(7), fixed)
  .map(([stage, kind, turn, fixed]) =>
    kind === 'jaxpr' ? { ...stage, call: { ...UNKNOWN, fixed } } : asLater(stage, kind, turn),
  );
