/** The program of a trace in a log, or the comparison of two, which is asked of the kernel. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Wanted } from '../facts/events/log-events';
import { __ } from '../language';
import type { Log, Program } from '../schema';
import { ProgramView } from '../shell/program-view';
import { JobProgress } from '../stage/later-stages';
import type { LogKernel, OnProgress, ReportedProgram } from '../state/kernel-requests';
import { ReportView } from '../tools/registry';
import { wantedName } from '../words/events/log-words';

interface ProgramProps {
  log: Log;
  wanted: Wanted;
  kernel: LogKernel;
  close: () => void;
  /** Whether it takes the keyboard's focus, and is scrolled into view. */
  comes: boolean;
}

export function LogProgram({ log, wanted, kernel, close, comes }: ProgramProps) {
  const { answer, again, stop } = useAnswer(wanted, kernel);
  const element = useRef<HTMLElement>(null);
  useComing(element, comes, wanted, 'program' in answer);
  const name = wantedName(log, wanted);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  return (
    <section ref={element} class="jxv-opened" aria-label={name} tabIndex={-1} {...{ onKeyDown }}>
      <header class="jxv-opened-head">
        <span class="jxv-opened-name" title={name}>
          {name}
        </span>
        <button type="button" class="jxv-button" title={__('Close ( Escape )')} onClick={close}>
          {__('Close')}
        </button>
      </header>
      {'program' in answer ? <Answered {...answer} /> : <NoProgram {...{ answer, again, stop }} />}
    </section>
  );
}

function Answered({ program, report }: ReportedProgram) {
  const props = { program, partial: null, opening: {}, kernel: null, later: false };
  return report ? <ReportView {...props} report={report} /> : <ProgramView {...props} />;
}

/** Moves the focus to what was opened, and scrolls to it when its program is here, unless the reader has
 * gone elsewhere meanwhile. */
function useComing(
  element: RefObject<HTMLElement>,
  comes: boolean,
  wanted: Wanted,
  isHere: boolean,
): void {
  useLayoutEffect(() => {
    if (comes) element.current?.focus({ preventScroll: true });
  }, [wanted]);
  useLayoutEffect(() => {
    if (comes && element.current?.matches(':focus-within')) {
      element.current.scrollIntoView({ block: 'nearest' });
    }
  }, [wanted, isHere]);
}

interface NoProgramProps {
  answer: Exclude<Answer, ReportedProgram>;
  again: () => void;
  stop: () => void;
}

/** In place of the program: what the kernel does to give it, or why it could not. */
const NoProgram = ({ answer, again, stop }: NoProgramProps) => (
  <div class="jxv-waiting">
    {'failure' in answer ? (
      <>
        <p class="jxv-reason" role="alert">
          {answer.failure}
        </p>
        <button type="button" class="jxv-button" onClick={again}>
          {__('Try again')}
        </button>
      </>
    ) : (
      <JobProgress {...answer} stop={stop} />
    )}
  </div>
);

type Answer = ReportedProgram | { failure: string } | { doing: string; seconds: number };

const askingKernel = (): Answer => ({ doing: __('asking the kernel'), seconds: 0 });

/** Asks the kernel, until something else is wanted. */
function useAnswer(wanted: Wanted, kernel: LogKernel) {
  const [answer, setAnswer] = useState<Answer>(askingKernel);
  const [attempt, setAttempt] = useState(0);
  const asking = useRef(new AbortController());
  useLayoutEffect(() => {
    const ending = new AbortController();
    asking.current = ending;
    const settle = (answer: Answer) => asking.current === ending && setAnswer(answer);
    setAnswer(askingKernel());
    ask(wanted, kernel, (doing, seconds) => settle({ doing, seconds }), ending.signal).then(
      (found) => settle('program' in found ? found : { program: found, report: null }),
      (reason) => settle({ failure: ending.signal.aborted ? __('Stopped.') : reasonText(reason) }),
    );
    return () => {
      asking.current = new AbortController();
      ending.abort();
    };
  }, [wanted, attempt]);
  const again = () => setAttempt((before) => before + 1);
  return { answer, again, stop: () => asking.current.abort() };
}

function ask(
  wanted: Wanted,
  kernel: LogKernel,
  told: OnProgress,
  signal: AbortSignal,
): Promise<Program | ReportedProgram> {
  if ('measured' in wanted) return kernel.measured(wanted.measured, told, signal);
  return 'event' in wanted
    ? kernel.program(wanted.event, told, signal)
    : kernel.compared(wanted.before, wanted.after, told, signal);
}

function reasonText(reason: unknown): string {
  const message = reason instanceof Error ? reason.message : String(reason);
  return message.trim() || __('The kernel gave no reason why it has no such program.');
}
