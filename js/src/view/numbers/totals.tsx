import { flopsText, sizeText } from '../../facts/numbers/amounts';
import { wholeOf } from '../../facts/numbers/costs';
import { livenessOf } from '../../facts/numbers/liveness';
import { __ } from '../../language';
import type { Stage } from '../../schema';

/** What a program does and needs, in a line: `1.27 Gflop · 84 MiB moved · peak ≤ 12 MiB`. A narrow
 * view drops the last of it. */
export function Totals({ stage }: { stage: Stage }) {
  const { flops, bytes, least } = wholeOf(stage);
  const live = livenessOf(stage)[0];
  return (
    <span class="jxv-totals" title={aboutText()}>
      {flops !== null && <span>{flopsText(flops, least)}</span>}
      {bytes !== null && (
        <span class="jxv-totals-bytes">{__('%1 moved', sizeText(bytes, least))}</span>
      )}
      {live && live.peak >= 0 && (
        <span class="jxv-totals-peak">{__('peak ≤ %1', sizeText(live.most))}</span>
      )}
    </span>
  );
}

const aboutText = (): string =>
  __(
    'What one run of the program does, loops as often as they run: floating-point operations, and bytes of operands read and results written, eqn by eqn. Peak: the most bytes that are live at once if nothing is fused (Memory has more).',
  );
