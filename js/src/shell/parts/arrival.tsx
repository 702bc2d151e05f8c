/** Data that a view requested: waiting for it, the state of the request, and the reason of a
 * failure. */
import { useEffect, useErrorBoundary, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { __ } from '../../language';
import { failureText } from '../../stage/later-stages';
import type { OnProgress, RequestState } from '../../state/kernel-requests';

/** The content of an output, as named in sentences on failures. */
export type Content = 'program' | 'log' | 'question';

/** Requested data: null while loading, then its value or the reason of a failure. */
export type Arrival<T> = { value: T } | { failure: string } | null;

/** The value of a promise, or one sentence on its failure, also if drawing the value fails. The
 * newest settled promise replaces older ones. */
export function useArrival<T>(promise: Promise<T>, what: Content): Arrival<T> {
  const [arrival, setArrival] = useState<Arrival<T>>(null);
  const requested = useRef(0);
  const settled = useRef(0);
  useLayoutEffect(() => {
    requested.current += 1;
    const own = requested.current;
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

/** One line in place of a view: that its data is loading, or why it cannot be shown. */
export function LoadingOrFailure({
  arrival,
  what,
}: {
  arrival: { failure: string } | null;
  what: Content;
}) {
  return arrival === null ? (
    <div class="jxv-alone" role="status">
      {what === 'program'
        ? __('Reading the program…')
        : what === 'log'
          ? __('Reading the log…')
          : __('Reading the question…')}
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
  if (what === 'program') return __('jaxviz cannot show this program. %1', why);
  return what === 'log'
    ? __('jaxviz cannot show this log. %1', why)
    : __('jaxviz cannot show this question. %1', why);
}

type Begin = <T>(
  ask: (onProgress: OnProgress, signal: AbortSignal) => Promise<T>,
  done: (answer: T) => void,
) => void;

/** The state of a request, a function that begins one and cancels the one before, and one that stops
 * it. */
export function useRequest(): [RequestState | null, Begin, () => void] {
  const [state, setState] = useState<RequestState | null>(null);
  const running = useRef(new AbortController());
  useEffect(() => () => running.current.abort(), []);
  const begin: Begin = (ask, done) => {
    running.current.abort();
    const own = new AbortController();
    running.current = own;
    const setOwn = (now: RequestState | null) => own === running.current && setState(now);
    setOwn({ doing: __('asking the kernel'), seconds: 0 });
    ask((doing, seconds) => setOwn({ doing, seconds }), own.signal).then(
      (answer) => {
        if (own !== running.current) return;
        setState(null);
        done(answer);
      },
      (reason) => setOwn({ failure: own.signal.aborted ? __('Stopped.') : failureText(reason) }),
    );
  };
  return [state, begin, () => running.current.abort()];
}
