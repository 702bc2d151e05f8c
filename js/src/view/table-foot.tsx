import { flopsText, intensity, ratioText, sizeText, UNREPORTED } from '../model/amounts';
import { wholeOf } from '../model/costs';
import type { Cost, Program, Stage } from '../schema';

interface Props {
  program: Program;
  stage: Stage;
}

const ONCE = 'XLA counts what a loop holds once, however often it runs.';

/** What the program does in all, and what XLA says of it. */
export function Totals({ program, stage }: Props) {
  const told = stage.reported ? stage : program.stages.find(({ reported }) => reported !== null);
  return (
    <dl class="jxv-table-foot">
      <dt>Total</dt>
      <dd>{costText(wholeOf(stage))}, loops as often as they run</dd>
      <dt>XLA reports</dt>
      <dd title={ONCE}>
        {told?.reported ? (
          `${costText(told.reported)} of the ${told.kind}, what a loop holds counted once`
        ) : (
          <span class="jxv-words">{stage.kind === 'jaxpr' ? UNMADE : UNREPORTED}</span>
        )}
      </dd>
    </dl>
  );
}

const UNMADE = 'nothing yet: open StableHLO or HLO';

function costText(cost: Cost): string {
  const { flops, bytes, least } = cost;
  const ratio = intensity(cost);
  const parts = [flopsText(flops, least), `${sizeText(bytes, least)} moved`];
  return [...parts, ...(ratio === null ? [] : [`${ratioText(ratio)} flop/B`])].join(' · ');
}
