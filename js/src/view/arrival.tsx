import { useErrorBoundary, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { __ } from '../language';

/** What an output shows. */
export type What = 'program' | 'log';

/** What has become of data on its way: null until it is here. */
export type Arrival<T> = { value: T } | { failure: string } | null;

/**
 * What a promise brings, or one sentence on why it brings nothing; likewise where showing it fails.
 *
 * A newer promise takes the place of an older one once it is settled, however many are on their way.
 */
export function useArrival<T>(promise: Promise<T>, what: What): Arrival<T> {
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
      (reason) => settle({ failure: sentence(reason, what) }),
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
  return broken === undefined ? arrival : { failure: sentence(broken, what) };
}

/** The one line that stands for what is not here, or why it never will be. */
export function Alone({ arrival, what }: { arrival: { failure: string } | null; what: What }) {
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

/** Why something cannot be shown, in one sentence. */
export function sentence(reason: unknown, what: What): string {
  const message = reason instanceof Error ? reason.message : String(reason);
  const why = message.trim() || __('Its data could not be read.');
  return what === 'log'
    ? __('jaxviz cannot show this log. %1', why)
    : __('jaxviz cannot show this program. %1', why);
}
