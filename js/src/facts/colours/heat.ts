/** The colours by flops and by bytes: in steps, by the share of the program's total. */
import { __ } from '../../language';
import type { Cost, Stage } from '../../schema';
import { flopsText, shareOf, sizeText } from '../describe';
import { wholeOf } from '../numbers/costs';
import type { ColourClass } from './colour-classes';

/** Which of the two costs the colours show. */
export type Measure = 'flops' | 'bytes';

/** The least share of the program's total for each step, the hottest first. */
const LEAST_SHARES = [0.5, 0.2, 0.05, 0.01, 0.001, 0] as const;
/** The classes of an eqn that costs nothing, and of one whose cost is not known. */
const NO_COST = LEAST_SHARES.length;
const UNREPORTED = NO_COST + 1;

/** The names of the colours, in the order of the classes. */
export const HEATS: readonly string[] = [
  ...LEAST_SHARES.map((_, step) => `heat${LEAST_SHARES.length - step}`),
  'heat0',
  'unreported',
];

/** The index in `HEATS` of a cost. */
export function heatOf(cost: Cost, whole: Cost, by: Measure): number {
  const part = cost[by];
  if (part === null) return UNREPORTED;
  if (part === 0) return NO_COST;
  const share = shareOf(part, whole[by]) ?? 1;
  return LEAST_SHARES.findIndex((least) => share >= least);
}

/** The legend's entries, each with the flops or bytes at which it begins. */
export function heatClasses(stage: Stage, by: Measure): ColourClass[] {
  const whole = wholeOf(stage)[by];
  const text = textOf(by);
  const about = (step: number) =>
    whole === null ? '' : __('%1 and more', text(Math.ceil((LEAST_SHARES[step] ?? 0) * whole)));
  return [
    ...LEAST_SHARES.map((least, step) => ({
      paint: HEATS[step] as string,
      label: least === 0 ? `< ${percent(LEAST_SHARES[step - 1])}` : `≥ ${percent(least)}`,
      about: least === 0 ? __('Of what the program does in all') : about(step),
    })),
    { paint: 'heat0', label: by === 'flops' ? __('no flops') : __('no bytes'), about: '' },
    { paint: 'unreported', label: __('not reported'), about: __('Nothing is known of it') },
  ];
}

/** The function that writes flops, or that writes bytes. */
export const textOf = (by: Measure) => (by === 'flops' ? flopsText : sizeText);

const percent = (share = 0): string => `${100 * share} %`;

/** How much of the strip along a box a share fills: its square root, so that a share of 1 % still
 * fills a tenth. */
export const lengthOf = (share: number): number => Math.sqrt(Math.min(1, share));
