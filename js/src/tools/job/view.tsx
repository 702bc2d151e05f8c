/** The programs that the processes of a job hold, one at a time, with a switch of processes. */
import { useMemo, useState } from 'preact/hooks';
import { decode, fromBase64 } from '../../facts/wire';
import { __, _n, thousands } from '../../language';
import type { Held, Job, Program } from '../../schema';
import { LoadingOrFailure, useArrival } from '../../shell/parts/arrival';
import { Tabs } from '../../shell/parts/controls';
import { Root } from '../../shell/parts/root';
import { type ProgramProps, ProgramView, type ReportProps } from '../../shell/program-view';
import { sentenceText } from '../../words/kernel-text';

/** The programs of a job. Seen first is the one that the output itself has. Of engines nothing was
 * compared, and they have what stages they were saved with. */
export function ProgramsOfJob({ report, engines = false, ...props }: ReportProps<Job>) {
  const { held, text } = report;
  const own = held.findIndex(({ program }) => program === null);
  const [at, go] = useState(Math.max(own, 0));
  const tabs = held.map((one, index) => ({
    kind: `${index}`,
    label: named(one, engines),
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
  if (one?.program) return <HeldElsewhere key={at} {...shown} saved={one.program} />;
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

/** A program that is saved beside that of the output. No kernel knows it. */
function HeldElsewhere({ saved, ...props }: ProgramProps & { saved: string }) {
  const read = useMemo<Promise<Program>>(async () => decode(fromBase64(saved)), [saved]);
  const arrival = useArrival(read, 'program');
  if (!arrival || 'failure' in arrival)
    return <LoadingOrFailure arrival={arrival} what="program" />;
  return <ProgramView {...props} program={arrival.value} partial={null} kernel={null} />;
}

/** So many processes are named; of more, how many they are and the first. */
const MOST_NAMED = 8;

function named({ processes }: Held, engines: boolean): string {
  const count = processes.length;
  const some = processes.slice(0, count > MOST_NAMED ? 2 : count).join(', ');
  const many = thousands(count);
  if (count > MOST_NAMED)
    return engines ? __('%1 engines (%2, …)', many, some) : __('%1 processes (%2, …)', many, some);
  return engines
    ? _n('engine %2', 'engines %2', count, some)
    : _n('process %2', 'processes %2', count, some);
}
