/** Data that is on its way to a view: waiting for it, and why it cannot be shown. */
import { useErrorBoundary, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { __ } from '../language';

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
  // biome-ignore lint/suspicious/noConsole: what breaks the view is not hidden from who mends it
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
