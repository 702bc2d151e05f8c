import { __ } from '../../language';
import type { Cost, Stage } from '../../schema';
import { flopsText, shareOf, sizeText } from '../numbers/amounts';
import { wholeOf } from '../numbers/costs';
import type { ColourClass } from './colour-classes';

/** What of a cost the colours tell. */
export type Measure = 'flops' | 'bytes';

/** From which share of the program's total on a colour holds, the hottest first. */
const STEPS = [0.5, 0.2, 0.05, 0.01, 0.001, 0] as const;
/** Of what does nothing, and of what is not known. */
const NOTHING = STEPS.length;
const UNREPORTED = NOTHING + 1;

export const HEATS: readonly string[] = [
  ...STEPS.map((_, step) => `heat${STEPS.length - step}`),
  'heat0',
  'unreported',
];

/** Which of `HEATS` a cost has, by its share of the whole. */
export function heatOf(cost: Cost, whole: Cost, by: Measure): number {
  const part = cost[by];
  if (part === null) return UNREPORTED;
  if (part === 0) return NOTHING;
  const share = shareOf(part, whole[by]) ?? 1;
  return STEPS.findIndex((least) => share >= least);
}

/** The heats as classes of colour, each with the numbers between which it lies. */
export function heatClasses(stage: Stage, by: Measure): ColourClass[] {
  const whole = wholeOf(stage)[by];
  const text = textOf(by);
  const about = (step: number) =>
    whole === null ? '' : __('%1 and more', text(Math.ceil((STEPS[step] ?? 0) * whole)));
  return [
    ...STEPS.map((least, step) => ({
      paint: HEATS[step] as string,
      label: least === 0 ? `< ${percent(STEPS[step - 1])}` : `≥ ${percent(least)}`,
      about: least === 0 ? __('Of what the program does in all') : about(step),
    })),
    { paint: 'heat0', label: by === 'flops' ? __('no flops') : __('no bytes'), about: '' },
    { paint: 'unreported', label: __('not reported'), about: __('Nothing is known of it') },
  ];
}

/** How a number of flops or bytes is written. */
export const textOf = (by: Measure) => (by === 'flops' ? flopsText : sizeText);

const percent = (share = 0): string => `${100 * share} %`;

/** How much of a box's length shows its share: the root, so that a hundredth is seen as a tenth. */
export const lengthOf = (share: number): number => Math.sqrt(Math.min(1, share));
