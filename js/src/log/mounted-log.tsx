/** A log in a host: while it loads, then as one line or the whole view, with the opened program. */
import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { asked, type Guesses, repeatsIn, timesOf, type Wanted } from '../facts/events/log-events';
import { findingsIn } from '../facts/findings';
import { __ } from '../language';
import type { Log } from '../schema';
import { FindingLines } from '../shell/findings';
import { LoadingOrFailure, useArrival } from '../shell/parts/arrival';
import { Root, usePreferences } from '../shell/parts/root';
import type { LogKernel } from '../state/kernel-requests';
import type { PreferenceSource } from '../state/preferences';
import { lineOf } from '../words/events/changes';
import { ShortenedName } from './change-text';
import { LogProgram } from './log-program';
import { LogView } from './log-view';
import { Predict, Predicted, Score } from './predict';

/** The data from a host for a log, which may still be loading, and may still grow. */
export interface LogSource {
  log: Promise<Log>;
  /** True if it is first one line. */
  strip: boolean;
  /** Sends the programs of traces; null if there is no kernel. */
  kernel: LogKernel | null;
  preferring?: PreferenceSource;
}

export function MountedLog({ source: { log, strip, kernel } }: { source: LogSource }) {
  const element = useRef<HTMLElement>(null);
  const arrival = useArrival(log, 'log');
  return (
    <Root label={__('What JAX traced')} role="group" element={element}>
      {arrival === null || 'failure' in arrival ? (
        <LoadingOrFailure arrival={arrival} what="log" />
      ) : (
        <ArrivedLog log={arrival.value} {...{ strip, kernel, element }} />
      )}
    </Root>
  );
}

interface ArrivedProps {
  log: Log;
  strip: boolean;
  kernel: LogKernel | null;
  element: RefObject<HTMLElement>;
}

function ArrivedLog({ log, strip, kernel, element }: ArrivedProps) {
  const [wanted, want] = useWanted(element);
  const [isOpen, setOpen] = useState(!strip);
  const wasOpen = useRef(isOpen); // the view is made when it is first opened, and then stays
  wasOpen.current ||= isOpen;
  const [guesses, show] = useState<Guesses | null>(null);
  const found = findingsIn(log, usePreferences().ignored);
  const hasLine = strip && (found.length === 0 || timesOf(repeatsIn(log)) > 0);
  const close = () => want(null);
  const toggle = () => {
    close();
    setOpen(!isOpen);
  };
  if (log.predict && guesses === null && (log.running || asked(log).length > 0)) {
    return <Predict log={log} show={show} />;
  }
  return (
    <Predicted value={guesses ?? new Map()}>
      {guesses && <Score log={log} guesses={guesses} />}
      {found.length > 0 && <FindingLines found={found} />}
      {hasLine && <RetraceLine {...{ log, isOpen, toggle }} />}
      {wasOpen.current && (
        <div hidden={!isOpen}>
          <LogView
            log={log}
            kernel={kernel !== null}
            opened={
              kernel && wanted && <LogProgram {...{ log, wanted, kernel, close }} takesFocus />
            }
            open={(event) => want({ event })}
            measure={(measured) => want({ measured })}
            compare={(before, after) => want({ before, after })}
            close={close}
          />
        </div>
      )}
    </Predicted>
  );
}

/** The opened program, and a function that opens another one, or closes it with null. Closing
 * returns the keyboard's focus. */
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

interface LineProps {
  log: Log;
  isOpen: boolean;
  toggle: () => void;
}

/** A log in one line, as a button that opens the whole view. */
function RetraceLine({ log, isOpen, toggle }: LineProps) {
  const { who, what, often, why, time, hint } = lineOf(log);
  return (
    <button
      type="button"
      class="jxv-strip-line"
      aria-expanded={isOpen}
      title={[who + what + often, why, hint].filter((part) => part !== '').join('\n')}
      onClick={toggle}
    >
      <span class="jxv-strip-mark" aria-hidden="true">
        ⟳
      </span>
      <b class="jxv-strip-who">
        <ShortenedName text={who} />
      </b>
      <span class="jxv-strip-what">{what}</span>
      <span class="jxv-strip-often">{often}</span>
      {why !== '' && (
        <code class="jxv-strip-why">
          <span class="jxv-strip-colon">: </span>
          {why}
        </code>
      )}
      {time !== '' && <span class="jxv-strip-time"> · {time}</span>}
      <span class="jxv-strip-hint">{hint !== '' && <span> — {hint}</span>}</span>
      <span class="jxv-strip-arrow" aria-hidden="true">
        {isOpen ? '▾' : '▸'}
      </span>
    </button>
  );
}
