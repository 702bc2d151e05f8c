import { useRef, useState } from 'preact/hooks';
import type { Wanted } from '../../model/log/wanted';
import type { Log } from '../../schema';
import { Alone, useArrival } from '../arrival';
import type { LogSource } from '../index';
import { LogView } from './log-view';
import { Opened } from './opened';
import { Strip } from './strip';

/** A log's view, or the one line that stands for it until it is here, or why it never will be. */
export function MountedLog({ source }: { source: LogSource }) {
  const arrival = useArrival(source.log, 'log');
  if (arrival === null || 'failure' in arrival) return <Alone arrival={arrival} what="log" />;
  return <Whole {...source} log={arrival.value} />;
}

interface Props {
  log: Log;
  strip: boolean;
  kernel: LogSource['kernel'];
}

function Whole({ log, strip, kernel }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const [wanted, want] = useWanted(element);
  const [isOpen, setOpen] = useState(!strip);
  return (
    <div ref={element}>
      {strip && <Strip log={log} isOpen={isOpen} toggle={() => setOpen(!isOpen)} />}
      {isOpen && (
        <LogView
          log={log}
          kernel={kernel !== null}
          opened={
            kernel && wanted && <Opened {...{ log, wanted, kernel }} close={() => want(null)} />
          }
          open={(event) => want({ event })}
          compare={(before, after) => want({ before, after })}
          close={() => want(null)}
        />
      )}
    </div>
  );
}

/** What was last asked for; once it is closed, the focus is again where it was asked for. */
function useWanted(element: { current: HTMLElement | null }) {
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const from = useRef<Element | null>(null);
  const want = (next: Wanted | null) => {
    const root = element.current?.getRootNode() as Document | ShadowRoot | undefined;
    const focused = root?.activeElement ?? null;
    if (next !== null) {
      if (!focused?.closest('.jxv-opened')) from.current = focused;
    } else if (focused?.closest('.jxv-opened') && from.current instanceof HTMLElement) {
      from.current.focus({ preventScroll: true });
    }
    setWanted(next);
  };
  return [wanted, want] as const;
}
