import type { Event, Log } from '../../schema';
import { keyOf } from '../log/lanes';

export const KINDS = ['trace', 'lower', 'compile'] as const;
export type Kind = (typeof KINDS)[number];

/** Which events are listed. */
export interface Filter {
  kinds: ReadonlySet<string>;
  /** Those alone that came again. */
  again: boolean;
  /** The key of a function; empty for all. */
  of: string;
}

export const EVERY: Filter = { kinds: new Set(KINDS), again: false, of: '' };

/** The events that are wanted, the newest first. */
export function listed({ events }: Log, { kinds, again, of }: Filter): Event[] {
  return events
    .filter((event) => kinds.has(event.kind) && (event.again || !again))
    .filter((event) => of === '' || keyOf(event) === of)
    .reverse();
}

/** The functions that the events of a log are of, by their names. */
export function functionsOf({ events }: Log): { key: string; name: string }[] {
  const names = new Map(events.map((event) => [keyOf(event), event.name]));
  return [...names]
    .map(([key, name]) => ({ key, name }))
    .sort((a, b) => a.name.localeCompare(b.name));
}
