import { STAGE_NAMES } from '../../model/linked/fate';
import { flopsText, intensity, ratioText, sizeText, UNREPORTED } from '../../model/numbers/amounts';
import { wholeOf } from '../../model/numbers/costs';
import type { Cost, Program, Stage } from '../../schema';

interface Props {
  program: Program;
  stage: Stage;
}

/** What the program does in all, and what XLA says of it. */
export function Foot({ program, stage }: Props) {
  const told = stage.reported ? stage : program.stages.find(({ reported }) => reported !== null);
  return (
    <dl class="jxv-table-foot">
      <dt>total</dt>
      <dd>{costText(wholeOf(stage))}</dd>
      <dt>
        {told && told !== stage ? `XLA, ${STAGE_NAMES.get(told.kind) ?? told.kind}` : 'XLA reports'}
      </dt>
      <dd>
        {told?.reported ? (
          <>
            {costText(told.reported)}
            <span class="jxv-words"> (a loop’s body counted once)</span>
          </>
        ) : (
          <span class="jxv-words">{UNREPORTED}</span>
        )}
      </dd>
    </dl>
  );
}

function costText(cost: Cost): string {
  const { flops, bytes, least } = cost;
  const ratio = intensity(cost);
  const parts = [flopsText(flops, least), `${sizeText(bytes, least)} moved`];
  return [...parts, ...(ratio === null ? [] : [`${ratioText(ratio)} flop/B`])].join(' · ');
}
