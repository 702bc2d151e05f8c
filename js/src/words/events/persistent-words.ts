/** What the persistent compilation cache had, and the seconds that this saved. */
import { timeText } from '../../facts/describe';
import { __, _n } from '../../language';
import type { Event, Log } from '../../schema';

/** Of one compilation: `from the persistent cache, which saved at least 1.2 s`, since JAX keeps whole seconds of
 * what compiling took; empty where it was not found there. */
export function foundText({ cached, saved }: Event): string {
  if (!cached) return '';
  return saved !== null && saved > 0
    ? __('from the persistent cache, which saved at least %1', timeText(saved))
    : __('from the persistent cache');
}

/** Of a log: `persistent cache: 3 hits, 1 miss, at least 4.5 s saved`; empty where it was not asked. */
export function persistentText({ events, omitted }: Log): string {
  const asked = events.filter(({ cached }) => cached !== null);
  if (asked.length === 0) return '';
  const hits = asked.filter(({ cached }) => cached);
  const saved = hits.reduce((sum, event) => sum + Math.max(0, event.saved ?? 0), 0);
  const misses = asked.length - hits.length;
  const parts = [
    ...(hits.length > 0 ? [_n('%1 hit', '%1 hits', hits.length)] : []),
    ...(misses > 0 ? [_n('%1 miss', '%1 misses', misses)] : []),
    ...(saved > 0 ? [__('at least %1 saved', timeText(saved))] : []),
  ].join(', ');
  return omitted > 0
    ? __('persistent cache, of the events listed: %1', parts)
    : __('persistent cache: %1', parts);
}
