/** Shows a program or a log in an element of the page, from data that may still be on its way. */
import { h, render } from 'preact';
import { __ } from '../language';
import type { LogSource } from '../log/mounted-log';
import type { Log, Opening, Program, Report, Sentence } from '../schema';
import type { FixKernel, Kernel } from '../state/kernel-requests';
import type { PreferenceSource } from '../state/preferences';
import { ReportView, TOOL_TABS } from '../tools/registry';
import { type Stepped, StepThrough } from './bar';
import { LoadingOrFailure, useArrival } from './parts/arrival';
import { later } from './parts/deferred';
import { Preferred, Root } from './parts/root';
import { type ProgramProps, ProgramView } from './program-view';
import type { Earlier } from './since-last-run';

const MountedLog = later(async () => (await import('../log/mounted-log')).MountedLog);

/** Shows a program in an element until the signal aborts. */
export function mount(element: HTMLElement, source: ProgramSource, signal: AbortSignal): void {
  if (signal.aborted) return;
  const { preferring } = source;
  render(h(Preferred, { preferring, children: h(Mounted, { source }) }), element);
  signal.addEventListener('abort', () => render(null, element), { once: true });
}

/**
 * Shows a log in an element until the signal aborts.
 *
 * Returns a function that shows a newer log instead, and keeps all that the reader did in the view.
 */
export function mountLog(
  element: HTMLElement,
  source: LogSource,
  signal: AbortSignal,
): (log: Promise<Log>) => void {
  const show = (log: Promise<Log>) => {
    if (signal.aborted) return;
    log.catch(() => undefined); // the view reports it, once its code is here
    const { preferring } = source;
    const children = h(MountedLog, { source: { ...source, log } });
    render(h(Preferred, { preferring, children }), element);
  };
  show(source.log);
  signal.addEventListener('abort', () => render(null, element), { once: true });
  return show;
}

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
  /** FixKernel the fixes of that card; null where there is no kernel for it. */
  tries?: FixKernel | null;
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
