/** The costs of a program or a line, in one line. */
import { allOf, HEATS, heatOf, lengthOf, type Measure, partOfLine } from '../../facts/colours/heat';
import { keyOf, type LinePlace } from '../../facts/linked/source-lines';
import { lineCosts, UNKNOWN_COST, wholeOf } from '../../facts/numbers/costs';
import { livenessOf } from '../../facts/numbers/liveness';
import { sumsAreLeast } from '../../facts/numbers/measured';
import { functionOfStage, lineFunctions, workTexts } from '../../facts/numbers/work';
import {
  atLeast,
  intensity,
  linePercentText,
  ratioText,
  shareOf,
  sizeText,
  timeText,
  unreported,
} from '../../facts/text/describe';
import { __ } from '../../language';
import type { Cost, Program, Stage } from '../../schema';
import { usePainted } from '../../shell/parts/deferred';
import { STAGE_NAMES } from '../../words/counterparts';

/** The totals of a program: `1.27 Gflop · peak ≤ 12 MiB · 84 MiB moved`. A narrow view leaves out
 * the end. */
export function Totals({ stage }: { stage: Stage }) {
  if (!usePainted(4)) return null;
  const whole = wholeOf(stage);
  const { bytes, least } = whole;
  const [work] = workTexts(whole, functionOfStage(stage));
  const live = livenessOf(stage)[0];
  return (
    <span class="jxv-totals" title={aboutText()}>
      {work !== undefined && whole.flops !== null && <span>{work}</span>}
      {live && live.peak >= 0 && <span>{__('peak ≤ %1', sizeText(live.most))}</span>}
      {bytes !== null && <span>{__('%1 moved', sizeText(bytes, least))}</span>}
    </span>
  );
}

const aboutText = (): string =>
  __(
    'Totals of one run of the program, with every iteration of its loops. Operations on elements are counted as XLA counts them; exp, tanh and similar functions are counted separately. Bytes are operands read and results written, eqn by eqn. Peak is the most bytes that are live at once if nothing is fused; Memory shows more.',
  );

interface FootProps {
  program: Program;
  stage: Stage;
}

/** The totals of the program, and those that XLA reports. */
export function TableFoot({ program, stage }: FootProps) {
  const reporting = stage.reported
    ? stage
    : program.stages.find(({ reported }) => reported !== null);
  return (
    <dl class="jxv-table-foot">
      <dt>{__('total')}</dt>
      <dd>{costText(wholeOf(stage), functionOfStage(stage))}</dd>
      <dt>
        {reporting && reporting !== stage
          ? __('XLA, %1', STAGE_NAMES.get(reporting.kind) ?? reporting.kind)
          : __('XLA reports')}
      </dt>
      <dd>
        {reporting?.reported ? (
          <>
            {costText(reporting.reported, functionOfStage(reporting))}
            <span class="jxv-words"> {__('(a loop’s body counted once)')}</span>
          </>
        ) : (
          <span class="jxv-words">{unreported()}</span>
        )}
      </dd>
    </dl>
  );
}

function costText(cost: Cost, name: string): string {
  const ratio = intensity(cost);
  return [
    ...amountTexts(cost, name),
    ...(ratio === null ? [] : [`${ratioText(ratio)} flop/B`]),
  ].join(' · ');
}

const amountTexts = (cost: Cost, name: string): string[] => [
  ...workTexts(cost, name),
  __('%1 moved', sizeText(cost.bytes, cost.least)),
];

/** The stage and the kind of cost beside the source. */
export interface Heat {
  stage: Stage;
  by: Measure;
}

/** The bar beside a source line: the share of its eqns in the program, in the colour of its heat. */
export function LineHeat({ stage, line, by }: Heat & { line: LinePlace }) {
  const key = keyOf(line);
  const [part, whole] = [partOfLine(stage, key, by), allOf(stage, by)];
  const share = shareOf(part, whole);
  if (part === null || !share) return <span class="jxv-line-heat" />;
  const paint = HEATS[heatOf(part, whole)];
  const width = 100 * lengthOf(share);
  return (
    <span class="jxv-line-heat" title={aboutLine(stage, key, by, part)}>
      <span style={`width:${width.toFixed(1)}%;background:var(--jxv-${paint}-line)`} />
      {linePercentText(share)}
    </span>
  );
}

function aboutLine(stage: Stage, key: string, by: Measure, part: number): string {
  if (by === 'time')
    return __(
      '%1 measured for the eqns of this line',
      atLeast(sumsAreLeast(stage)) + timeText(part),
    );
  const cost = lineCosts(stage).get(key) ?? UNKNOWN_COST;
  const amounts = amountTexts(cost, lineFunctions(stage).get(key) ?? '');
  return __('%1 by the eqns of this line', amounts.join(', '));
}
