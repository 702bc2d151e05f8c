/** Shows a program, a log or a question in an element of the page. The data may still be loading. */
import { h, render } from 'preact';
import { useMemo } from 'preact/hooks';
import type { LineFocus } from '../facts/linked/linked';
import { __ } from '../language';
import type { LogSource } from '../log/mounted-log';
import type { Log, Opening, Program, Quiz, Report, Sentence } from '../schema';
import type { FixKernel, Kernel } from '../state/kernel-requests';
import type { PreferenceSource } from '../state/preferences';
import { ReportView, TOOL_TABS } from '../tools/registry';
import { type Stepped, StepThrough } from './bar';
import { type Arrival, LoadingOrFailure, useArrival } from './parts/arrival';
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
 * Returns a function that replaces the log by a newer one, and keeps the state of the view.
 */
export function mountLog(
  element: HTMLElement,
  source: LogSource,
  signal: AbortSignal,
): (log: Promise<Log>) => void {
  const show = (log: Promise<Log>) => {
    if (signal.aborted) return;
    log.catch(() => undefined); // the view reports it, once its code is loaded
    const { preferring } = source;
    const children = h(MountedLog, { source: { ...source, log } });
    render(h(Preferred, { preferring, children }), element);
  };
  show(source.log);
  signal.addEventListener('abort', () => render(null, element), { once: true });
  return show;
}

const MountedQuiz = later(async () => (await import('../quiz/mounted-quiz')).MountedQuiz);

/** Shows a question in an element until the signal aborts. */
export function mountQuiz(element: HTMLElement, quiz: Promise<Quiz>, signal: AbortSignal): void {
  if (signal.aborted) return;
  quiz.catch(() => undefined); // the view reports it, once its code is loaded
  render(h(MountedQuiz, { quiz }), element);
  signal.addEventListener('abort', () => render(null, element), { once: true });
}

const SinceLastRun = later(async () => (await import('./since-last-run')).SinceLastRun);

/** The data from a host for `mount`: the program, which may still be loading, and options of its
 * view. */
export interface ProgramSource {
  program: Promise<Program>;
  /** One sentence on what was left out of a program that was too large to save. */
  partial: Sentence | null;
  /** The opening that the program's author chose. */
  opening: Opening;
  /** Makes later stages on request; null if there is no kernel. */
  kernel: Kernel | null;
  preferring?: PreferenceSource;
  /** The cell's run before this one; null if it is unknown. */
  earlier?: Earlier | null;
  /** A tool's report on the program. */
  report?: Report | null;
  /** Tries the fixes of that card; null if there is no kernel for it. */
  fixKernel?: FixKernel | null;
  /** Traces the program once more, line by line; null if the kernel cannot. */
  stepping?: (() => Promise<Stepped>) | null;
  /** True if the report is about engines of ipyparallel, which have their own numbers. */
  engines?: boolean;
  /** The line of the program's own code that is selected first. */
  line?: number | null;
}

/** A program's view. Until the program is loaded, one line that says so, or why it cannot be shown. */
export function Mounted({ source }: { source: ProgramSource }) {
  const arrival = useArrival(source.program, 'program');
  const selected = useMemo(() => lineFocus(arrival, source.line), [arrival, source.line]);
  if (arrival === null || 'failure' in arrival) {
    return (
      <Root label={__('JAX program')}>
        <LoadingOrFailure arrival={arrival} what="program" />
      </Root>
    );
  }
  const program = arrival.value;
  const { report, stepping = null } = source;
  const later = program.compared === null;
  const shown = { ...source, program, later, selected, toolTabs: TOOL_TABS };
  if (report) return <ReportView {...shown} report={report} />;
  return (
    <StepThrough stepping={stepping} player={(found) => <SteppedAgain {...shown} found={found} />}>
      <Alone {...shown} />
    </StepThrough>
  );
}

/** The focus on a line of the first listing, which is the program's own code. */
function lineFocus(arrival: Arrival<Program>, line: number | null = null): LineFocus | null {
  const listing = arrival && 'value' in arrival ? arrival.value.listings[0] : null;
  if (!listing || line === null) return null;
  return { stage: 'source', line: { cell: listing.cell, file: listing.file, line } };
}

/** A program without a report, below the line on its cell's last run. */
const Alone = (props: ProgramProps & Pick<ProgramSource, 'earlier'>) =>
  props.earlier?.change ? (
    <SinceLastRun {...props} />
  ) : (
    <ProgramView key={props.program} {...props} />
  );

/** The player of a requested trace. If the trace made the same program once more, the program of the
 * view is shown beside it, with all its stages. */
function SteppedAgain({ found, ...props }: ProgramProps & { found: Stepped }) {
  const text = ({ stages }: Program) => stages[0]?.text ?? '';
  const isSame = text(props.program) !== '' && text(props.program) === text(found.program);
  if (isSame) return <ReportView {...props} report={found.report} />;
  return <ReportView {...props} {...found} kernel={null} later={false} />;
}
