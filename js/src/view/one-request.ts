/** One request to the kernel at a time, and how it goes. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { __ } from '../language';
import type { HearProgress, RequestState } from '../state/kernel-requests';
import { failureText } from './later-stages';

type Begin = <T>(
  ask: (told: HearProgress, signal: AbortSignal) => Promise<T>,
  done: (answer: T) => void,
) => void;

/** How a request goes, a function that begins one in place of the one before, and one that stops
 * it. */
export function useRequest(): [RequestState | null, Begin, () => void] {
  const [state, say] = useState<RequestState | null>(null);
  const running = useRef(new AbortController());
  useEffect(() => () => running.current.abort(), []);
  const begin: Begin = (ask, done) => {
    running.current.abort();
    const own = new AbortController();
    running.current = own;
    const tell = (now: RequestState | null) => own === running.current && say(now);
    tell({ doing: __('asking the kernel'), seconds: 0 });
    ask((doing, seconds) => tell({ doing, seconds }), own.signal).then(
      (answer) => {
        if (own !== running.current) return;
        say(null);
        done(answer);
      },
      (reason) => tell({ failure: own.signal.aborted ? __('Stopped.') : failureText(reason) }),
    );
  };
  return [state, begin, () => running.current.abort()];
}
