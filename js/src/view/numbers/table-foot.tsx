import { flopsText, intensity, ratioText, sizeText, unreported } from '../../facts/numbers/amounts';
import { wholeOf } from '../../facts/numbers/costs';
import { __ } from '../../language';
import type { Cost, Program, Stage } from '../../schema';
import { STAGE_NAMES } from '../../words/fate';

interface Props {
  program: Program;
  stage: Stage;
}

/** What the program does in all, and what XLA says of it. */
export function Foot({ program, stage }: Props) {
  const told = stage.reported ? stage : program.stages.find(({ reported }) => reported !== null);
  return (
    <dl class="jxv-table-foot">
      <dt>{__('total')}</dt>
      <dd>{costText(wholeOf(stage))}</dd>
      <dt>
        {told && told !== stage
          ? __('XLA, %1', STAGE_NAMES.get(told.kind) ?? told.kind)
          : __('XLA reports')}
      </dt>
      <dd>
        {told?.reported ? (
          <>
            {costText(told.reported)}
            <span class="jxv-words"> {__('(a loop’s body counted once)')}</span>
          </>
        ) : (
          <span class="jxv-words">{unreported()}</span>
        )}
      </dd>
    </dl>
  );
}

function costText(cost: Cost): string {
  const { flops, bytes, least } = cost;
  const ratio = intensity(cost);
  const parts = [flopsText(flops, least), __('%1 moved', sizeText(bytes, least))];
  return [...parts, ...(ratio === null ? [] : [`${ratioText(ratio)} flop/B`])].join(' · ');
}
