/** Whether a program fits into the memory of a device, in words. */
import { sizeText } from '../facts/describe';
import { __ } from '../language';
import type { Memory } from '../schema';

/** How many bytes XLA sets aside in all, for arguments, outputs and temporaries; null if any of these is
 * not reported. */
export function asideOf({
  arguments: handed,
  outputs,
  temporaries,
  aliased,
}: Memory): number | null {
  if (handed === null || outputs === null || temporaries === null) return null;
  return handed + outputs + temporaries - (aliased ?? 0);
}

/** Whether it fits into so many bytes and by how much, and what of it is what. */
export function fitText(memory: Memory, limit: number): string {
  const aside = asideOf(memory);
  if (aside === null) return __('XLA does not report here how much memory it sets aside.');
  const [whole, given] = [sizeText(aside), sizeText(limit)];
  const parts = partsOf(memory);
  return aside > limit
    ? __(
        'Does not fit into %1: XLA sets %2 aside on each device (%3), which is %4 too much.',
        given,
        whole,
        parts,
        sizeText(aside - limit),
      )
    : __(
        'Fits into %1: XLA sets %2 aside on each device (%3), and %4 are left.',
        given,
        whole,
        parts,
        sizeText(limit - aside),
      );
}

function partsOf({ arguments: handed, outputs, temporaries, aliased }: Memory): string {
  const parts = __(
    'arguments %1, outputs %2, temporaries %3',
    sizeText(handed),
    sizeText(outputs),
    sizeText(temporaries),
  );
  return aliased
    ? __('%1; of the outputs %2 are in donated arguments', parts, sizeText(aliased))
    : parts;
}
