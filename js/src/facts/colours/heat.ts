/** The colours of shares: of the flops, bytes or measured time of a program. */
import { __ } from '../../language';
import type { Stage } from '../../schema';
import type { Id } from '../ids';
import { costOf, lineCosts, wholeOf } from '../numbers/costs';
import { lineSeconds, secondsOf, wholeSeconds } from '../numbers/measured';
import { flopsText, shareOf, sizeText, timeText } from '../text/describe';

/** The amount whose shares are shown. */
export type Measure = 'flops' | 'bytes' | 'time';

/** The amount of an item, with its contents in all its runs; null if it is not known. */
export const partOf = (stage: Stage, id: Id, by: Measure): number | null =>
  by === 'time' ? secondsOf(stage, id) : (costOf(stage, id)?.[by] ?? null);

/** The amount of the whole program. */
export const allOf = (stage: Stage, by: Measure): number | null =>
  by === 'time' ? wholeSeconds(stage) : wholeOf(stage)[by];

/** The amount of the eqns of a source line, by `keyOf` the line. */
export const partOfLine = (stage: Stage, line: string, by: Measure): number | null =>
  by === 'time'
    ? (lineSeconds(stage).get(line) ?? null)
    : (lineCosts(stage).get(line)?.[by] ?? null);

/** The total in words. */
export function allText(stage: Stage, by: Measure): string {
  const all = allOf(stage, by);
  const least = by !== 'time' && wholeOf(stage).least;
  return all === null ? '' : __('of %1', textOf(by)(all, least));
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
  const text = textOf(by);
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
  flops: () => __('no flops'),
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

const TEXTS = { flops: flopsText, bytes: sizeText, time: timeText };
const textOf = (by: Measure): ((amount: number, least?: boolean) => string) => TEXTS[by];

const percent = (share = 0): string => `${100 * share} %`;
