import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Wanted } from '../../facts/log/log-events';
import { __ } from '../../language';
import type { Log, Program } from '../../schema';
import type { LogKernel, Told } from '../../state/kernel-requests';
import { fromKernel } from '../../words/kernel-words';
import { wantedName } from '../../words/log/log-words';
import { ProgramView } from '../program';
import { Making } from '../waiting';

interface Props {
  log: Log;
  wanted: Wanted;
  kernel: LogKernel;
  close: () => void;
  /** It is given the focus, and brought into view. */
  comes: boolean;
}

/** The program of a trace, or what differs between two, as the kernel has it. */
export function Opened({ log, wanted, kernel, close, comes }: Props) {
  const { answer, again, stop } = useAnswer(wanted, kernel);
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (comes) element.current?.focus({ preventScroll: true });
  }, [wanted]);
  const isHere = 'program' in answer;
  useLayoutEffect(() => {
    // Who has gone elsewhere meanwhile is not brought back.
    if (comes && element.current?.matches(':focus-within')) {
      element.current.scrollIntoView({ block: 'nearest' });
    }
  }, [wanted, isHere]);
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
      {'program' in answer ? (
        <ProgramView
          program={answer.program}
          partial={null}
          stage="jaxpr"
          kernel={null}
          later={false}
        />
      ) : (
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
            <Making {...answer} stop={stop} />
          )}
        </div>
      )}
    </section>
  );
}

type Answer = { program: Program } | { failure: string } | { doing: string; seconds: number };

const asked = (): Answer => ({ doing: __('asking the kernel'), seconds: 0 });

/** Asks the kernel, and no longer once something else is wanted. */
function useAnswer(wanted: Wanted, kernel: LogKernel) {
  const [answer, setAnswer] = useState<Answer>(asked);
  const [times, setTimes] = useState(0);
  const asking = useRef(new AbortController());
  useLayoutEffect(() => {
    const ending = new AbortController();
    asking.current = ending;
    const settle = (answer: Answer) => asking.current === ending && setAnswer(answer);
    setAnswer(asked());
    ask(wanted, kernel, (doing, seconds) => settle({ doing, seconds }), ending.signal).then(
      (program) => settle({ program }),
      (reason) => settle({ failure: ending.signal.aborted ? __('Stopped.') : sentence(reason) }),
    );
    return () => {
      asking.current = new AbortController();
      ending.abort();
    };
  }, [wanted, times]);
  const again = () => setTimes((before) => before + 1);
  return { answer, again, stop: () => asking.current.abort() };
}

function ask(wanted: Wanted, kernel: LogKernel, told: Told, signal: AbortSignal): Promise<Program> {
  return 'event' in wanted
    ? kernel.program(wanted.event, told, signal)
    : kernel.compared(wanted.before, wanted.after, told, signal);
}

function sentence(reason: unknown): string {
  const message = reason instanceof Error ? reason.message : String(reason);
  return fromKernel(message.trim()) || __('The kernel did not say why it has no such program.');
}
