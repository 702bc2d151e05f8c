/** The lines of the details pane about flops, bytes and runs. */

import {
  atLeast,
  flopsText,
  intensity,
  percentText,
  ratioText,
  shareOf,
  sizeText,
  unreported,
} from '../facts/describe';
import { graphAt } from '../facts/graph';
import { type Id, parse } from '../facts/ids';
import { costOf, isMeasured, wholeOf } from '../facts/numbers/costs';
import { isLoop, type Runs, runsOf } from '../facts/numbers/runs';
import { __ } from '../language';
import type { Cost, Eqn, Stage } from '../schema';
import { code, type Fact, type Part, words } from './fact-parts';

/** The facts about the flops, bytes and runs of an item; none where the program has no costs. */
export function costFacts(stage: Stage, id: Id): Fact[] {
  const cost = costOf(stage, id);
  if (cost === null || !isMeasured(stage)) return [];
  return [...amountFacts(stage, cost), ...runFacts(stage, id)];
}

/** The flops, bytes and intensity of a cost, each with its share of the stage's total. */
export function amountFacts(stage: Stage, cost: Cost): Fact[] {
  const { flops, bytes, least } = cost;
  const whole = wholeOf(stage);
  const ratio = intensity(cost);
  const of = (share: number | null) =>
    share === null || share === 0 ? [] : [words(__('(%1 of the program)', percentText(share)))];
  return [
    {
      name: __('work'),
      value: [number(flopsText(flops, least)), ...of(shareOf(flops, whole.flops))],
    },
    {
      name: __('moves'),
      value: [number(sizeText(bytes, least)), ...of(shareOf(bytes, whole.bytes))],
    },
    ...(!ratio ? [] : [{ name: __('intensity'), value: [code(intensityText(cost))] }]),
  ];
}

const number = (text: string): Part => (text === unreported() ? words(text) : code(text));

/** `0.25 flops per byte`. */
function intensityText(cost: Cost): string {
  const ratio = intensity(cost);
  return ratio === null ? unreported() : __('%1 flops per byte', ratioText(ratio));
}

/** How often an item runs in one run of the program, and how often it runs its bodies. */
function runFacts(stage: Stage, id: Id): Fact[] {
  const { path, step } = parse(id);
  const runs = runsOf(stage, step.kind === 'body' ? id : path);
  const eqn = step.kind === 'eqn' ? graphAt(stage, path)?.eqns[step.index] : undefined;
  const trips = eqn && isLoop(eqn) ? [words(tripsText(eqn))] : [];
  const often =
    runs === null ? [words(__('for each element, or by another rule'))] : runWords(runs);
  const value = [...often, ...trips];
  return value.length === 0 ? [] : [{ name: __('runs'), value }];
}

const runWords = ({ times, least }: Runs) =>
  times === 1 && !least ? [] : [code(`× ${atLeast(least)}${times.toLocaleString('en')}`)];

const tripsText = ({ trips }: Eqn): string =>
  trips === null
    ? __('its loop, as often as is not known')
    : __('its loop × %1', trips.toLocaleString('en'));
