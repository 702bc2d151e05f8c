import type { Cost, Eqn, Stage } from '../../schema';
import { graphAt } from '../graph';
import { type Id, parse } from '../ids';
import { code, type Fact, type Part, words } from '../parts';
import {
  atLeast,
  flopsText,
  intensity,
  percentText,
  ratioText,
  shareOf,
  sizeText,
  UNREPORTED,
} from './amounts';
import { costOf, isMeasured, wholeOf } from './costs';
import { isLoop, type Runs, runsOf } from './runs';

/** Facts of the numbers of what an id names; none where nothing is known of any eqn. */
export function costFacts(stage: Stage, id: Id): Fact[] {
  const cost = costOf(stage, id);
  if (cost === null || !isMeasured(stage)) return [];
  const { flops, bytes, least } = cost;
  const whole = wholeOf(stage);
  const ratio = intensity(cost);
  const of = (share: number | null) =>
    share === null || share === 0 ? [] : [words(`(${percentText(share)} of the program)`)];
  return [
    { name: 'work', value: [number(flopsText(flops, least)), ...of(shareOf(flops, whole.flops))] },
    { name: 'moves', value: [number(sizeText(bytes, least)), ...of(shareOf(bytes, whole.bytes))] },
    ...(!ratio ? [] : [{ name: 'intensity', value: [code(intensityText(cost))] }]),
    ...runFacts(stage, id),
  ];
}

const number = (text: string): Part => (text === UNREPORTED ? words(text) : code(text));

/** `0.25 flops per byte`. */
function intensityText(cost: Cost): string {
  const ratio = intensity(cost);
  return ratio === null ? UNREPORTED : `${ratioText(ratio)} flops per byte`;
}

/** How often it runs in one run of the program, and how often it runs what it holds. */
function runFacts(stage: Stage, id: Id): Fact[] {
  const { path, step } = parse(id);
  const runs = runsOf(stage, step.kind === 'body' ? id : path);
  const eqn = step.kind === 'eqn' ? graphAt(stage, path)?.eqns[step.index] : undefined;
  const trips = eqn && isLoop(eqn) ? [words(tripsText(eqn))] : [];
  const often = runs === null ? [words('for each element, or by another rule')] : runWords(runs);
  const value = [...often, ...trips];
  return value.length === 0 ? [] : [{ name: 'runs', value }];
}

const runWords = ({ times, least }: Runs) =>
  times === 1 && !least ? [] : [code(`× ${atLeast(least)}${times.toLocaleString('en')}`)];

const tripsText = ({ trips }: Eqn): string =>
  trips === null
    ? 'its loop, as often as is not known'
    : `its loop × ${trips.toLocaleString('en')}`;
