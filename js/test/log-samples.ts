/** Logs as they come of real calls: each a trace, a lowering and a compilation. */
import fc from 'fast-check';
import type { Event, Log } from '../src/schema';
import { english } from './fixtures';
import { cause, counted, event, log } from './logs';

export const START = 1_700_000_000;

const SHAPE = { kind: 'shape', where: 'x', before: 'f32[8,32]', after: 'f32[5,32]' };
const WEAK = { kind: 'weak type', where: 'lr', before: '~f32[] (float)', after: 'f32[]' };
const FIRST = { kind: 'first', where: '', before: '', after: '' };
const STEP = event({}).definition;
const LOSS = { ...STEP!, function: 'loss', line: 7 };

/** The three events of a call that begins `at` seconds after the start: 10 ms, 20 ms, 100 ms. */
function call(number: number, at: number, own: Partial<Event>): Event[] {
  const { reason, again, hint, ...both } = {
    reason: [FIRST],
    again: false,
    hint: english(''),
    ...own,
  };
  const after = { ...both, of: number, reason: [], eqns: null, hint: english('') };
  return [
    event({ ...both, reason, again, hint, number, start: START + at, seconds: 0.01 }),
    event({ ...after, number: number + 1, kind: 'lower', start: START + at + 0.01, seconds: 0.02 }),
    event({
      ...after,
      number: number + 2,
      kind: 'compile',
      start: START + at + 0.03,
      seconds: 0.1,
    }),
  ];
}

/** `step` is traced at 0, 0.5 and 1 s, `loss` at 0.2 s. */
export const training: Log = log({
  seconds: 1.6,
  making: 0.52,
  functions: [
    counted({ name: 'loss', definition: LOSS, traces: 1, retraces: 0, seconds: 0.13 }),
    counted({ traces: 3, retraces: 2, seconds: 0.39 }),
  ],
  events: [
    ...call(0, 0, {}),
    ...call(3, 0.2, { name: 'loss', definition: LOSS }),
    ...call(6, 0.5, { again: true, reason: [SHAPE], hint: english('pad it') }),
    ...call(9, 1, { again: true, reason: [WEAK], hint: english('pass jnp.float32(…)') }),
  ],
  causes: [
    cause({
      function: 1,
      reason: [SHAPE],
      hint: english('pad it'),
      seconds: 0.14,
      first: 6,
      last: 6,
    }),
    cause({
      function: 1,
      reason: [WEAK],
      hint: english('pass jnp.float32(…)'),
      seconds: 0.13,
      first: 9,
      last: 9,
    }),
  ],
});

const NAMES = ['step', 'loss', '__proto__'];

/** Logs of anything at any time: nested, at once, without traces, or of functions not counted. */
export const logs: fc.Arbitrary<Log> = fc
  .array(
    fc.record({
      name: fc.constantFrom(...NAMES, 'uncounted'),
      kind: fc.constantFrom('trace', 'lower', 'compile'),
      at: fc.oneof(fc.double({ min: 0, max: 10, noNaN: true }), fc.integer({ min: 0, max: 5 })),
      seconds: fc.oneof(
        fc.constant(0),
        fc.double({ min: 0, max: 1e-4, noNaN: true }),
        fc.double({ min: 0, max: 8, noNaN: true }),
      ),
      of: fc.option(fc.nat(40)),
      again: fc.boolean(),
      depth: fc.nat(2),
    }),
    { maxLength: 60 },
  )
  .map((all) =>
    log({
      seconds: 10,
      functions: NAMES.map((name, index) => counted({ name, seconds: index })),
      events: all.map(({ at, of, kind, ...one }, number) =>
        event({ ...one, kind, number, start: START + at, of: kind === 'trace' ? null : of }),
      ),
    }),
  );
