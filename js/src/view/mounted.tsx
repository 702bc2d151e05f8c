import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import type { Program } from '../schema';
import type { ProgramSource } from './index';
import { ProgramView } from './program';

type Arrival = { program: Program } | { failure: string } | null;

/** A program's view, or the one line that stands for it until it is here, or why it never will be. */
export function Mounted({ source }: { source: ProgramSource }) {
  const arrived = useArrival(source.program);
  // biome-ignore lint/suspicious/noConsole: what breaks the view is not hidden from who mends it
  const [broken] = useErrorBoundary((error) => console.error(error));
  const arrival: Arrival = broken === undefined ? arrived : { failure: sentence(broken) };
  if (arrival === null) {
    return (
      <div class="jxv jxv-alone" role="status">
        Reading the program…
      </div>
    );
  }
  if ('failure' in arrival) {
    return (
      <div class="jxv jxv-alone jxv-failure" role="alert">
        {arrival.failure}
      </div>
    );
  }
  return <ProgramView {...source} program={arrival.program} />;
}

function useArrival(promise: Promise<Program>): Arrival {
  const [arrival, setArrival] = useState<Arrival>(null);
  useEffect(() => {
    let wanted = true;
    setArrival(null);
    promise.then(
      (program) => wanted && setArrival({ program }),
      (reason) => wanted && setArrival({ failure: sentence(reason) }),
    );
    return () => {
      wanted = false;
    };
  }, [promise]);
  return arrival;
}

function sentence(reason: unknown): string {
  const message = reason instanceof Error ? reason.message : String(reason);
  return `jaxviz cannot show this program. ${message.trim() || 'Its data could not be read.'}`;
}
