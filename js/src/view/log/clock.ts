import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Log } from '../../schema';
import { usePreferences } from '../preferred';

/** How often the time of a running log is told anew, ms; less often to who wants less motion. */
const OFTEN = 200;
const SELDOM = 1000;

/** A log whose time goes on while it runs, by the page's own clock. */
export function useClock(log: Log, isLive: boolean): Log {
  const came = useMemo(() => performance.now(), [log]);
  const [now, tell] = useState(came);
  const still = usePreferences().motion === 'still';
  const runs = log.running && isLive;
  useEffect(() => {
    if (!runs) return;
    const slow = still || matchMedia('(prefers-reduced-motion: reduce)').matches;
    const timer = setInterval(() => tell(performance.now()), slow ? SELDOM : OFTEN);
    return () => clearInterval(timer);
  }, [runs, still]);
  const since = runs ? Math.max(0, now - came) / 1000 : 0;
  return useMemo(() => (since > 0 ? { ...log, seconds: log.seconds + since } : log), [log, since]);
}
