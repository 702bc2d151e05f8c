/** Logs to show and to read, small enough to be read by a person. */
import {
  type Cause,
  type Function as Counted,
  type Event,
  type Frame,
  type Log,
  VERSION,
} from '../src/schema';
import { english } from './fixtures';

const PAD = english(
  'if this is a smaller last batch, pad it to the size of the others, or drop it',
);

export const FRAME: Frame = {
  function: 'train',
  file: 'cell 3',
  line: 4,
  column: 5,
  end_line: 0,
  end_column: 0,
  code: 'params = step(params, x)',
  cell: 'c3',
  count: 3,
  library: false,
  parent: null,
  rules: '',
};

export const SHAPE = { kind: 'shape', where: 'x', before: 'f32[8,32]', after: 'f32[5,32]' };

export const event = (own: Partial<Event>): Event => ({
  number: 0,
  kind: 'trace',
  name: 'step',
  definition: { ...FRAME, function: 'step', line: 1, code: '@jax.jit' },
  site: FRAME,
  start: 1_700_000_000.5,
  seconds: 0.25,
  depth: 0,
  library: false,
  thread: 'MainThread',
  eqns: 34,
  again: false,
  of: null,
  implied: false,
  looked: false,
  against: null,
  reason: [SHAPE],
  more: 0,
  hint: PAD,
  cached: null,
  saved: null,
  error: null,
  failed: null,
  ...own,
});

export const counted = (own: Partial<Counted>): Counted => ({
  name: 'step',
  definition: event({}).definition,
  library: false,
  traces: 2,
  retraces: 1,
  lowerings: 2,
  relowerings: 0,
  compiles: 2,
  recompiles: 0,
  seconds: 0.5,
  reason: [SHAPE],
  hint: PAD,
  hits: null,
  ...own,
});

export const cause = (own: Partial<Cause>): Cause => ({
  function: 0,
  kind: 'trace',
  reason: [SHAPE],
  values: [],
  others: 0,
  more: 0,
  hint: PAD,
  times: 1,
  seconds: 0.4,
  first: 1,
  last: 1,
  ...own,
});

const timesOf = (causes: readonly Cause[]) => causes.reduce((sum, { times }) => sum + times, 0);

/** A log whose one function was retraced as often as its causes say. */
export const log = (own: Partial<Log>): Log => ({
  version: VERSION,
  jax: '0.10.2',
  start: 1_700_000_000,
  seconds: 2,
  running: false,
  making: 0.5,
  functions: [counted({ retraces: timesOf(own.causes ?? []) })],
  causes: [],
  events: [],
  omitted: 0,
  apart: { traces: 0, lowerings: 0, compiles: 0, seconds: 0 },
  ops: [],
  caches: [],
  predict: false,
  slice: 0.02,
  error: null,
  notes: [],
  profile: null,
  findings: [],
  ...own,
});
