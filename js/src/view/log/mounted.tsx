import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Wanted } from '../../facts/log/log-events';
import { __ } from '../../language';
import type { Log } from '../../schema';
import { Alone, useArrival } from '../arrival';
import type { LogSource } from '../index';
import { Root } from '../root';
import { LogView } from './log-view';
import { Opened } from './opened';
import { Strip } from './strip';

/** A log's view, or the one line that stands for it until it is here, or why it never will be. */
export function MountedLog({ source: { log, strip, kernel } }: { source: LogSource }) {
  const element = useRef<HTMLElement>(null);
  const arrival = useArrival(log, 'log');
  return (
    <Root label={__('What JAX traced')} role="group" element={element}>
      {arrival === null || 'failure' in arrival ? (
        <Alone arrival={arrival} what="log" />
      ) : (
        <Whole log={arrival.value} {...{ strip, kernel, element }} />
      )}
    </Root>
  );
}

interface Props {
  log: Log;
  strip: boolean;
  kernel: LogSource['kernel'];
  element: RefObject<HTMLElement>;
}

function Whole({ log, strip, kernel, element }: Props) {
  const [wanted, want] = useWanted(element);
  const [isOpen, setOpen] = useState(!strip);
  const wasOpen = useRef(isOpen);
  wasOpen.current ||= isOpen;
  const close = () => want(null);
  const toggle = () => {
    close();
    setOpen(!isOpen);
  };
  return (
    <>
      {strip && <Strip {...{ log, isOpen, toggle }} />}
      {wasOpen.current && (
        <div hidden={!isOpen}>
          <LogView
            log={log}
            kernel={kernel !== null}
            opened={kernel && wanted && <Opened {...{ log, wanted, kernel, close }} comes />}
            open={(event) => want({ event })}
            compare={(before, after) => want({ before, after })}
            close={close}
          />
        </div>
      )}
    </>
  );
}

/** What was last asked for; once it is closed, the focus is again where it was asked for. */
function useWanted(element: RefObject<HTMLElement>) {
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const from = useRef<Element | null>(null);
  const want = (next: Wanted | null) => {
    const root = element.current?.getRootNode() as Document | ShadowRoot | undefined;
    const focused = root?.activeElement ?? null;
    if (next !== null) {
      if (!focused?.closest('.jxv-opened')) from.current = focused;
    } else if (focused?.closest('.jxv-opened') && from.current instanceof HTMLElement) {
      from.current.focus();
    }
    setWanted(next);
  };
  return [wanted, want] as const;
}
