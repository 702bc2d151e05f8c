/** The programs of a job's processes, one at a time, with a switch of processes. */
import { useMemo, useState } from 'preact/hooks';
import { sentenceText } from '../../facts/text/sentence-text';
import { decode, fromBase64 } from '../../facts/wire';
import { __, _n, thousands } from '../../language';
import type { Job, JobProgram, Program } from '../../schema';
import { LoadingOrFailure, useArrival } from '../../shell/parts/arrival';
import { Tabs } from '../../shell/parts/controls';
import { Root } from '../../shell/parts/root';
import { type ProgramProps, ProgramView, type ReportProps } from '../../shell/program-view';

/** The first visible program is that of the output itself. The programs of engines were not
 * compared, and have only the stages that were saved. */
export function ProgramsOfJob({ report, engines = false, ...props }: ReportProps<Job>) {
  const { held, text } = report;
  const own = held.findIndex(({ program }) => program === null);
  const [at, go] = useState(Math.max(own, 0));
  const tabs = held.map((one, index) => ({
    kind: `${index}`,
    label: processesText(one, engines),
    reason: '',
  }));
  const above = (
    <>
      {text !== '' && <pre class="jxv-agreement">{text}</pre>}
      {held.length > 0 && (
        <div class="jxv-since jxv-processes">
          <Tabs
            label={engines ? __('Engines') : __('Processes')}
            tabs={tabs}
            shown={`${at}`}
            choose={(kind) => go(+kind)}
          />
        </div>
      )}
    </>
  );
  const one = held[at];
  const shown = { ...props, above, later: engines, where: engines ? '%px ' : '' };
  if (one && one.program === null) return <ProgramView {...shown} />;
  if (one?.program) return <SavedProgram key={at} {...shown} saved={one.program} />;
  return (
    <Root label={__('JAX program')}>
      {above}
      {one && (
        <p class="jxv-alone">
          {one.differs ? sentenceText(one.differs) : __('It is too large to save here.')}
        </p>
      )}
    </Root>
  );
}

/** A program that is saved beside that of the output. No kernel has it. */
function SavedProgram({ saved, ...props }: ProgramProps & { saved: string }) {
  const read = useMemo<Promise<Program>>(async () => decode(fromBase64(saved)), [saved]);
  const arrival = useArrival(read, 'program');
  if (!arrival || 'failure' in arrival)
    return <LoadingOrFailure arrival={arrival} what="program" />;
  return <ProgramView {...props} program={arrival.value} partial={null} kernel={null} />;
}

/** The most processes that are all named; of more, only the first are. */
const MOST_NAMED = 8;

function processesText({ processes }: JobProgram, engines: boolean): string {
  const count = processes.length;
  const some = processes.slice(0, count > MOST_NAMED ? 2 : count).join(', ');
  const total = thousands(count);
  if (count > MOST_NAMED)
    return engines
      ? __('%1 engines (%2, …)', total, some)
      : __('%1 processes (%2, …)', total, some);
  return engines
    ? _n('engine %2', 'engines %2', count, some)
    : _n('process %2', 'processes %2', count, some);
}
