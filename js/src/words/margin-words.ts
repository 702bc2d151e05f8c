/** What the margin of a cell says of a line. */
import { joined, percentText } from '../facts/describe';
import type { LineNote } from '../facts/margin';
import { __, _n } from '../language';

/** A few words for the margin itself: `56 %`, `⟳ 2×`, `bf16→f32`. */
export function marginText({ share, casts, stray, again }: LineNote): string {
  const cast = casts.length > 1 ? _n('%1 cast', '%1 casts', casts.length) : (casts[0] ?? '');
  return joined(' · ', [
    again > 0 ? `⟳ ${again}×` : '',
    stray ? `⚠ ${cast}` : cast,
    share > 0 ? wholePercent(share) : '',
  ]);
}

const wholePercent = (share: number): string =>
  share < 0.01 ? percentText(share) : `${Math.round(100 * share)} %`;

/** The same in a sentence, with the program that the share is of. */
export function marginSentence(note: LineNote, program: string): string {
  const { share, by, casts, stray, again } = note;
  const told = casts.join(', ');
  const work =
    by === 'flops'
      ? __('%1 of the flops of %2', percentText(share), program)
      : __('%1 of the bytes that %2 moves', percentText(share), program);
  return joined('; ', [
    again > 0 ? _n('traced again %1 time', 'traced again %1 times', again) : '',
    told === ''
      ? ''
      : stray
        ? __('casts %1, which most layers like it do not', told)
        : __('casts %1', told),
    share > 0 ? work : '',
  ]);
}
