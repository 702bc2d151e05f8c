/** A program as the host shows it: waiting for it, then its view, or why it cannot be shown. Logs wait
 * in the same way. */
import { __ } from '../language';
import type { Opening, Program, Report, Sentence } from '../schema';
import type { Kernel, Tries } from '../state/kernel-requests';
import type { PreferenceSource } from '../state/preferences';
import { ReportView, TOOL_TABS } from '../tools/registry';
import { LoadingOrFailure, useArrival } from './arrival';
import { later } from './later';
import { type ProgramProps, ProgramView } from './program-view';
import type { Earlier } from './since-last-run';
import { type Stepped, StepThrough } from './step-through';
import { Root } from './view-root';

const SinceLastRun = later(async () => (await import('./since-last-run')).SinceLastRun);

/** What a host hands to `mount`: the program, which may still be on its way, and how to show it. */
export interface ProgramSource {
  program: Promise<Program>;
  /** What was left out of a program that was too large to save, in one sentence. */
  partial: Sentence | null;
  /** How the program's author wants it to open. */
  opening: Opening;
  /** Makes later stages when they are asked for; null where there is no kernel. */
  kernel: Kernel | null;
  preferring?: PreferenceSource;
  /** What the cell showed when it ran before; null where that is not known. */
  earlier?: Earlier | null;
  /** What a tool reports on it. */
  report?: Report | null;
  /** Tries the mends of that card; null where there is no kernel for it. */
  tries?: Tries | null;
  /** Traces it once more, line by line; null where the kernel does not know how. */
  stepping?: (() => Promise<Stepped>) | null;
  /** Whether the report is of engines of ipyparallel, which have numbers of their own. */
  engines?: boolean;
}

/** A program's view. Until the program is here, one line that says so, or why it cannot be shown. */
export function Mounted({ source }: { source: ProgramSource }) {
  const arrival = useArrival(source.program, 'program');
  if (arrival === null || 'failure' in arrival) {
    return (
      <Root label={__('JAX program')}>
        <LoadingOrFailure arrival={arrival} what="program" />
      </Root>
    );
  }
  const program = arrival.value;
  const { report, stepping = null } = source;
  const shown = { ...source, program, later: program.compared === null, toolTabs: TOOL_TABS };
  if (report) return <ReportView {...shown} report={report} />;
  return (
    <StepThrough stepping={stepping} player={(found) => <SteppedAgain {...shown} found={found} />}>
      <Alone {...shown} />
    </StepThrough>
  );
}

/** A program by itself, below what is known of its cell's run before. */
const Alone = (props: ProgramProps & Pick<ProgramSource, 'earlier'>) =>
  props.earlier?.told ? (
    <SinceLastRun {...props} />
  ) : (
    <ProgramView key={props.program} {...props} />
  );

/** The player of a trace that was asked for. What is seen beside it is the program as it was shown,
 * with all its stages, where the trace made the same once more. */
function SteppedAgain({ found, ...props }: ProgramProps & { found: Stepped }) {
  const text = ({ stages }: Program) => stages[0]?.text ?? '';
  const isSame = text(props.program) !== '' && text(props.program) === text(found.program);
  if (isSame) return <ReportView {...props} report={found.report} />;
  return <ReportView {...props} {...found} kernel={null} later={false} />;
}
