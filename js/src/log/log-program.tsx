/** The program of a trace in a log, or the comparison of two, requested from the kernel. */
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
  /** True if it takes the keyboard's focus, and scrolls into view. */
  takesFocus: boolean;
}

export function LogProgram({ log, wanted, kernel, close, takesFocus }: ProgramProps) {
  const { answer, retry, stop } = useAnswer(wanted, kernel);
  const element = useRef<HTMLElement>(null);
  useFocusWhenOpened(element, takesFocus, wanted, 'program' in answer);
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
      {'program' in answer ? <Answered {...answer} /> : <NoProgram {...{ answer, retry, stop }} />}
    </section>
  );
}

function Answered({ program, report }: ReportedProgram) {
  const props = { program, partial: null, opening: {}, kernel: null, later: false };
  return report ? <ReportView {...props} report={report} /> : <ProgramView {...props} />;
}

/** Moves the focus to the opened program, and scrolls to it once it is loaded, unless the reader has
 * moved on. */
function useFocusWhenOpened(
  element: RefObject<HTMLElement>,
  takesFocus: boolean,
  wanted: Wanted,
  isHere: boolean,
): void {
  useLayoutEffect(() => {
    if (takesFocus) element.current?.focus({ preventScroll: true });
  }, [wanted]);
  useLayoutEffect(() => {
    if (takesFocus && element.current?.matches(':focus-within')) {
      element.current.scrollIntoView({ block: 'nearest' });
    }
  }, [wanted, isHere]);
}

interface NoProgramProps {
  answer: Exclude<Answer, ReportedProgram>;
  retry: () => void;
  stop: () => void;
}

/** Shown in place of the program: the kernel's progress, or why there is no program. */
const NoProgram = ({ answer, retry, stop }: NoProgramProps) => (
  <div class="jxv-waiting">
    {'failure' in answer ? (
      <>
        <p class="jxv-reason" role="alert">
          {answer.failure}
        </p>
        <button type="button" class="jxv-button" onClick={retry}>
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

/** Requests the program from the kernel, until another one is wanted. */
function useAnswer(wanted: Wanted, kernel: LogKernel) {
  const [answer, setAnswer] = useState<Answer>(askingKernel);
  const [attempt, setAttempt] = useState(0);
  const running = useRef(new AbortController());
  useLayoutEffect(() => {
    const ending = new AbortController();
    running.current = ending;
    const settle = (answer: Answer) => running.current === ending && setAnswer(answer);
    setAnswer(askingKernel());
    ask(wanted, kernel, (doing, seconds) => settle({ doing, seconds }), ending.signal).then(
      (found) => settle('program' in found ? found : { program: found, report: null }),
      (reason) => settle({ failure: ending.signal.aborted ? __('Stopped.') : reasonText(reason) }),
    );
    return () => {
      running.current = new AbortController();
      ending.abort();
    };
  }, [wanted, attempt]);
  const retry = () => setAttempt((before) => before + 1);
  return { answer, retry, stop: () => running.current.abort() };
}

function ask(
  wanted: Wanted,
  kernel: LogKernel,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Program | ReportedProgram> {
  if ('measured' in wanted) return kernel.measured(wanted.measured, onProgress, signal);
  return 'event' in wanted
    ? kernel.program(wanted.event, onProgress, signal)
    : kernel.compared(wanted.before, wanted.after, onProgress, signal);
}

function reasonText(reason: unknown): string {
  const message = reason instanceof Error ? reason.message : String(reason);
  return message.trim() || __('The kernel gave no reason why it has no such program.');
}
