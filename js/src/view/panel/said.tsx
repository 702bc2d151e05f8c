import { useEffect, useRef, useState } from 'preact/hooks';
import { __, _n } from '../../model/language';
import { retracesIn } from '../../model/log/events';
import type { Log } from '../../schema';

/** Milliseconds without anything new, after which it is said what was. */
const QUIET = 1500;

/** For a screen reader, once nothing more happens: how much did. */
export function Said({ log }: { log: Log }) {
  const [all, again] = [log.events.length + log.omitted, retracesIn(log)];
  const before = useRef({ start: log.start, all, again });
  const [text, say] = useState('');
  useEffect(() => {
    const { start, ...had } = before.current;
    if (start === log.start && had.all === all) return;
    const settled = () => {
      const isSame = before.current.start === log.start;
      say(told(all - (isSame ? had.all : 0), again - (isSame ? had.again : 0)));
      before.current = { start: log.start, all, again };
    };
    const timer = setTimeout(settled, QUIET);
    return () => clearTimeout(timer);
  }, [log.start, all]);
  return (
    <p class="jxv-hidden" role="status">
      {text}
    </p>
  );
}

function told(all: number, again: number): string {
  if (all <= 0) return '';
  const events = _n('%1 new event', '%1 new events', all);
  return again > 0 ? __('%1, %2', events, _n('%1 retrace', '%1 retraces', again)) : events;
}
