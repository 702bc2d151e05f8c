import { HEATS, heatOf, lengthOf, type Measure } from '../../facts/colours/heat';
import { keyOf, type Line } from '../../facts/linked/source-lines';
import { flopsText, percentText, shareOf, sizeText } from '../../facts/numbers/amounts';
import { lineCosts, wholeOf } from '../../facts/numbers/costs';
import { __ } from '../../language';
import type { Stage } from '../../schema';

/** Of which stage lines say what they do, and what of that. */
export interface Heat {
  stage: Stage;
  by: Measure;
}

/** What the eqns of a source line do: their share of the program, as a bar in the colour of its heat. */
export function LineHeat({ stage, line, by }: Heat & { line: Line }) {
  const cost = lineCosts(stage).get(keyOf(line));
  const whole = wholeOf(stage);
  const share = shareOf(cost?.[by] ?? null, whole[by]);
  if (!cost || !share) return <span class="jxv-line-heat" />;
  const { flops, bytes, least } = cost;
  const about = __(
    '%1, %2 moved by the eqns of this line',
    flopsText(flops, least),
    sizeText(bytes, least),
  );
  const paint = HEATS[heatOf(cost, whole, by)];
  const width = 100 * lengthOf(share);
  return (
    <span class="jxv-line-heat" title={about}>
      <span style={`width:${width.toFixed(1)}%;background:var(--jxv-${paint}-line)`} />
      {percentText(share)}
    </span>
  );
}
