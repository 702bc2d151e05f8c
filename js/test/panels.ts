/** A kernel's report to a panel, small enough to be read by a person. */

import { type Capture, type Panel, VERSION } from '../src/schema';
import type { LogKernel } from '../src/state/kernel-requests';
import { NOTHING_SELECTED, type Selecting } from '../src/state/panel/notebook-selection';
import type { Followed } from '../src/state/panel/panel-state';
import { counted, event, FRAME, log } from './logs';

export const capture = (own: Partial<Capture>): Capture => ({
  key: 'k',
  name: 'loss',
  eqns: 13,
  cell: 'c5',
  count: 5,
  definition: { ...FRAME, function: 'loss', line: 9, code: 'def loss(params, x):' },
  ...own,
});

export const panel = (own: Partial<Panel>): Panel => ({
  version: VERSION,
  watching: true,
  log: log({
    functions: [counted({ traces: 3, retraces: 2 })],
    events: [1, 2, 3].map((number) => event({ number, start: number, again: number > 1 })),
  }),
  captures: [],
  since: 0,
  recompiled: 0,
  relowered: 0,
  ...own,
});

const NONE: Selecting = {
  now: () => NOTHING_SELECTED,
  follow: () => {},
  select: () => {},
  make: () => {},
};

const waiting = () => new Promise<never>(() => {});
/** A kernel that never answers. */
export const NO_ANSWER: LogKernel = { program: waiting, compared: waiting, measured: waiting };

export const followed = (own: Partial<Followed>): Followed => ({
  title: 'a.ipynb',
  id: 'a',
  kernel: { is: 'reported', panel: panel({}) },
  target: null,
  page: null,
  selecting: NONE,
  log: NO_ANSWER,
  capture: () => null,
  watch: async () => {},
  clear: async () => {},
  run: () => null,
  ...own,
});
