/** The words in the margin of a cell: the share, casts and retraces of a line. */
import type { Measure } from '../facts/colours/heat';
import type { LineNote } from '../facts/linked/line-notes';
import { joined, linePercentText } from '../facts/text/describe';
import { __, _n } from '../language';

/** The text in the margin: `56 %`, `⏱ 56 %` for measured time, `⟳ 2×`, `bf16→f32`. */
export function marginText({ share, by, casts, outlier, retraces }: LineNote): string {
  const cast = casts.length > 1 ? _n('%1 cast', '%1 casts', casts.length) : (casts[0] ?? '');
  return joined(' · ', [
    retraces > 0 ? `⟳ ${retraces}×` : '',
    outlier ? `⚠ ${cast}` : cast,
    share > 0 ? `${by === 'time' ? '⏱ ' : ''}${linePercentText(share)}` : '',
  ]);
}

/** The same as a sentence, with the name of the program. */
export function marginSentence(note: LineNote, program: string): string {
  const { share, by, casts, outlier, retraces } = note;
  const told = casts.join(', ');
  return joined('; ', [
    retraces > 0 ? _n('retraced %1 time', 'retraced %1 times', retraces) : '',
    told === ''
      ? ''
      : outlier
        ? __('casts %1, which most layers like it do not', told)
        : __('casts %1', told),
    share > 0 ? SHARES[by](linePercentText(share), program) : '',
  ]);
}

const SHARES: Record<Measure, (share: string, program: string) => string> = {
  flops: (share, program) => __('%1 of the arithmetic of %2', share, program),
  bytes: (share, program) => __('%1 of the bytes that %2 moves', share, program),
  time: (share, program) => __('%1 of the measured time of %2', share, program),
};
