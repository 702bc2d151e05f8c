/** Data that a view asked for: waiting for it, how a request goes, and why it failed. */
import { useEffect, useErrorBoundary, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { __ } from '../../language';
import { failureText } from '../../stage/later-stages';
import type { OnProgress, RequestState } from '../../state/kernel-requests';

/** What an output shows. It is named in the sentences that say why it cannot be shown. */
export type Content = 'program' | 'log';

/** Data that was asked for: null while it is on its way, then its value or why there is none. */
export type Arrival<T> = { value: T } | { failure: string } | null;

/** The value of a promise, or one sentence that says why there is none; also if drawing the
 * value fails. A newer promise replaces an older one when it is settled, however many are on
 * their way. */
export function useArrival<T>(promise: Promise<T>, what: Content): Arrival<T> {
  const [arrival, setArrival] = useState<Arrival<T>>(null);
  const asked = useRef(0);
  const settled = useRef(0);
  useLayoutEffect(() => {
    asked.current += 1;
    const own = asked.current;
    const settle = (arrived: Arrival<T>) => {
      if (own <= settled.current) return;
      settled.current = own;
      setArrival(arrived);
    };
    promise.then(
      (value) => settle({ value }),
      (reason) => settle({ failure: cannotShow(reason, what) }),
    );
  }, [promise]);
  useLayoutEffect(
    () => () => {
      settled.current = Number.POSITIVE_INFINITY;
    },
    [],
  );
  // biome-ignore lint/suspicious/noConsole: an error of the view is shown to its developers
  const [broken] = useErrorBoundary((error) => console.error(error));
  return broken === undefined ? arrival : { failure: cannotShow(broken, what) };
}

/** One line in place of a view: that its data is on its way, or why it cannot be shown. */
export function LoadingOrFailure({
  arrival,
  what,
}: {
  arrival: { failure: string } | null;
  what: Content;
}) {
  return arrival === null ? (
    <div class="jxv-alone" role="status">
      {what === 'log' ? __('Reading the log…') : __('Reading the program…')}
    </div>
  ) : (
    <div class="jxv-alone jxv-failure" role="alert">
      {arrival.failure}
    </div>
  );
}

/** One sentence that says why a program or a log cannot be shown. */
export function cannotShow(reason: unknown, what: Content): string {
  const message = reason instanceof Error ? reason.message : String(reason);
  const why = message.trim() || __('Its data could not be read.');
  return what === 'log'
    ? __('jaxviz cannot show this log. %1', why)
    : __('jaxviz cannot show this program. %1', why);
}

type Begin = <T>(
  ask: (onProgress: OnProgress, signal: AbortSignal) => Promise<T>,
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
