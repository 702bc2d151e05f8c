/** The colours of shares: of the arithmetic, bytes or measured time of a program. */
import { __, _n } from '../../language';
import type { Cost, Stage } from '../../schema';
import { type Id, parse } from '../ids';
import { costOf, lineCosts, runsOf, wholeOf } from '../numbers/costs';
import { lineSeconds, secondsOf, wholeSeconds } from '../numbers/measured';
import { functionOfStage, workOf, workTexts } from '../numbers/work';
import { compact, shareOf, sizeText, timeText } from '../text/describe';

/** The amount whose shares are shown. `flops` includes values of functions such as sin, which XLA counts apart. */
export type Measure = 'flops' | 'bytes' | 'time';

export const isMeasure = (one: string): one is Measure =>
  one === 'flops' || one === 'bytes' || one === 'time';

/** The measure of a stage's shares, the same in its table, colours and margins: the measured time, else the
 * arithmetic, else the bytes if there is none. */
export function measureOf(stage: Stage): Measure {
  if (stage.times) return 'time';
  return workOf(wholeOf(stage)) ? 'flops' : 'bytes';
}

/** The amount of a cost with a measured time; null if it is not known. */
export function amountOf(by: Measure, cost: Cost | null | undefined, seconds: number | null) {
  if (by === 'time') return seconds;
  return cost ? (by === 'flops' ? workOf(cost) : cost.bytes) : null;
}

/** The amount of an item, with its contents in all its runs; null if it or their number is not known. */
export function partOf(stage: Stage, id: Id, by: Measure): number | null {
  if (by === 'time') return secondsOf(stage, id);
  const { path, step } = parse(id);
  const runs = runsOf(stage, step.kind === 'body' ? id : path);
  return runs && amountOf(by, costOf(stage, id), null);
}

/** The amount of the whole program. */
export const allOf = (stage: Stage, by: Measure): number | null =>
  amountOf(by, wholeOf(stage), wholeSeconds(stage));

/** The amount of the eqns of a source line, by `keyOf` the line. */
export const partOfLine = (stage: Stage, line: string, by: Measure): number | null =>
  amountOf(by, lineCosts(stage).get(line), lineSeconds(stage).get(line) ?? null);

/** The total in words; empty if it is not known, or there is none. */
export function allText(stage: Stage, by: Measure): string {
  const [all, whole] = [allOf(stage, by), wholeOf(stage)];
  if (!all) return '';
  if (by !== 'flops')
    return __('of %1', by === 'time' ? timeText(all) : sizeText(all, whole.least));
  return __('of %1', workTexts(whole, functionOfStage(stage)).join(' + '));
}

/** The least share of the total for each step, the hottest first. */
const LEAST_SHARES = [0.5, 0.2, 0.05, 0.01, 0.001, 0] as const;
/** The classes of items whose amount is 0, and of those whose amount is not known. */
const NOTHING = LEAST_SHARES.length;
const UNREPORTED = NOTHING + 1;

/** The names of the colours, in the order of the classes. */
export const HEATS: readonly string[] = [
  ...LEAST_SHARES.map((_, step) => `heat${LEAST_SHARES.length - step}`),
  'heat0',
  'unreported',
];

/** The index in `HEATS` of a part of the whole. */
export function heatOf(part: number | null, whole: number | null): number {
  if (part === null) return UNREPORTED;
  if (part === 0) return NOTHING;
  const share = shareOf(part, whole) ?? 1;
  return LEAST_SHARES.findIndex((least) => share >= least);
}

/** The filled length of a strip for a share: its square root, so that a share of 1 % still fills a tenth. */
export const lengthOf = (share: number): number => Math.sqrt(Math.min(1, share));

/** The legend's entries in the order of `HEATS`, each with the amount at which it begins. */
export function heatClasses(stage: Stage, by: Measure) {
  const whole = allOf(stage, by);
  const text = TEXTS[by];
  const begin = (step: number) => {
    const least = (LEAST_SHARES[step] ?? 0) * (whole ?? 0);
    return whole === null ? '' : __('%1 or more', text(by === 'time' ? least : Math.ceil(least)));
  };
  return [
    ...LEAST_SHARES.map((least, step) => ({
      paint: HEATS[step] as string,
      label: least === 0 ? `< ${percent(LEAST_SHARES[step - 1])}` : `≥ ${percent(least)}`,
      about: least === 0 ? WHOLES[by]() : begin(step),
    })),
    { paint: 'heat0', label: NONE[by](), about: '' },
    { paint: 'unreported', ...UNKNOWN[by]() },
  ];
}

const WHOLES: Record<Measure, () => string> = {
  flops: () => __("Share of the program's total"),
  bytes: () => __("Share of the program's total"),
  time: () => __('Share of the measured time of all operations'),
};

const NONE: Record<Measure, () => string> = {
  flops: () => __('no arithmetic'),
  bytes: () => __('no bytes'),
  time: () => __('no time'),
};

const notReported = () => ({ label: __('not reported'), about: __('Its value is unknown') });
const UNKNOWN: Record<Measure, () => { label: string; about: string }> = {
  flops: notReported,
  bytes: notReported,
  time: () => ({
    label: __('not reported'),
    about: __('Its time is unknown: XLA removed it, or measured it together with others'),
  }),
};

const TEXTS: Record<Measure, (amount: number) => string> = {
  flops: (count) => _n('%2 operation', '%2 operations', count, compact(count)),
  bytes: sizeText,
  time: timeText,
};

const percent = (share = 0): string => `${100 * share} %`;
