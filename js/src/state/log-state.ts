/** The state of a log's view, and how each action changes it. */
import { causeKey, eventsOf, spanOf, walkOf, wholeOf } from '../facts/events/log-events';
import { type Span, showing, within, zoomed } from '../facts/events/log-lanes';
import type { Event, Log } from '../schema';

/** The state of a log's view. It is never changed in place: `update` returns a new one. */
export interface LogState {
  log: Log;
  /** The visible time; null for all of it, even while the log grows. */
  span: Span | null;
  /** The selected event. It stays selected when a newer log no longer lists it. */
  selected: Event | null;
  /** The key of the cause whose events are marked. */
  cause: string | null;
  /** The trace to compare with the one that the reader chooses next. */
  picked: Event | null;
  /** The keys of the causes whose events are listed. */
  open: ReadonlySet<string>;
}

export type Action =
  | { type: 'log'; log: Log }
  | { type: 'select'; event: Event | null }
  | { type: 'walk'; by: 'left' | 'right' | 'up' | 'down' | 'first' | 'last' }
  | { type: 'cause'; key: string | null }
  | { type: 'fold'; key: string }
  | { type: 'pick'; event: Event | null }
  | { type: 'zoom'; factor: number; at: number }
  | { type: 'pan'; seconds: number }
  | { type: 'show'; span: Span | null };

export const start = (log: Log): LogState => ({
  log,
  span: null,
  selected: null,
  cause: null,
  picked: null,
  open: new Set(),
});

export function update(state: LogState, action: Action): LogState {
  switch (action.type) {
    case 'log':
      return renewed(state, action.log);
    case 'select':
      return select(state, action.event);
    case 'walk':
      return select(state, walked(state, action.by) ?? state.selected);
    case 'cause':
      return chosen(state, action.key);
    case 'fold':
      return { ...state, open: toggled(state.open, action.key) };
    case 'pick':
      return { ...state, picked: action.event };
    case 'zoom':
      return seen(state, zoomed(spanSeen(state), action.factor, action.at, wholeOf(state.log)));
    case 'pan':
      return seen(state, moved(state, action.seconds));
    case 'show':
      return seen(state, action.span && within(action.span, wholeOf(state.log)));
  }
}

/** The state for a newer log. Its events are other objects with the same numbers. */
function renewed(state: LogState, log: Log): LogState {
  const same = (event: Event | null) =>
    event && (log.events.find(({ number }) => number === event.number) ?? event);
  return { ...state, log, selected: same(state.selected), picked: same(state.picked) };
}

/** The visible time. */
export const spanSeen = ({ span, log }: LogState): Span => span ?? wholeOf(log);

/** Sets the visible time. All of it is stored as null, so that a growing log stays visible as a
 * whole. */
function seen(state: LogState, span: Span | null): LogState {
  const whole = wholeOf(state.log);
  const isAll = !span || (span.from <= whole.from && span.to >= whole.to);
  return { ...state, span: isAll ? null : span };
}

function moved(state: LogState, seconds: number): Span {
  const { from, to } = spanSeen(state);
  return within({ from: from + seconds, to: to + seconds }, wholeOf(state.log));
}

/** Selects an event and makes it visible. A marked cause stays marked if the event belongs to it. */
function select(state: LogState, event: Event | null): LogState {
  if (!event) return { ...state, selected: null, cause: null, picked: null };
  const { log, cause } = state;
  const isOf = cause !== null && markedOf(state).some(({ number }) => number === event.number);
  const span = state.span && showing(state.span, spanOf(log, event), wholeOf(log));
  return seen({ ...state, selected: event, cause: isOf ? cause : null }, span);
}

/** Marks a cause and selects its latest event. */
function chosen(state: LogState, key: string | null): LogState {
  const marked = { ...state, cause: key, picked: null };
  const events = markedOf(marked);
  return key === null || events.length === 0 ? marked : select(marked, events.at(-1)!);
}

/** The events of the marked cause, with the lowerings and compilations that followed its traces. */
export function markedWith(state: LogState): readonly Event[] {
  const events = markedOf(state);
  const numbers = new Set(events.map(({ number }) => number));
  const { log } = state;
  return [...events, ...log.events.filter(({ of, again }) => !again && numbers.has(of ?? -1))];
}

/** The events of the marked cause. */
function markedOf({ log, cause }: LogState): readonly Event[] {
  const found = cause === null ? undefined : log.causes.find((one) => causeKey(log, one) === cause);
  return found ? eventsOf(log, found) : [];
}

function walked(state: LogState, by: 'left' | 'right' | 'up' | 'down' | 'first' | 'last') {
  const { log, selected } = state;
  const rows = walkOf(log);
  const at = rows.findIndex((row) => row.some(({ number }) => number === selected?.number));
  const row = rows[at];
  if (!selected || !row) {
    return by === 'last' ? rows.find(holdsAny)?.at(-1) : firstIn(rows, spanSeen(state), log);
  }
  const column = row.findIndex(({ number }) => number === selected.number);
  switch (by) {
    case 'left':
      return row[column - 1];
    case 'right':
      return row[column + 1];
    case 'first':
      return row[0];
    case 'last':
      return row.at(-1);
    case 'up':
      return nearest(rows.slice(0, at).reverse().find(holdsAny), selected);
    case 'down':
      return nearest(rows.slice(at + 1).find(holdsAny), selected);
  }
}

const holdsAny = (row: readonly Event[]): boolean => row.length > 0;

/** The first visible event, else the first of all. */
function firstIn(rows: Event[][], { from }: Span, log: Log): Event | undefined {
  const row = rows.find(holdsAny);
  return row?.find((event) => spanOf(log, event).to >= from) ?? row?.[0];
}

function nearest(row: readonly Event[] | undefined, { start }: Event): Event | undefined {
  const distance = (event: Event) => Math.abs(event.start - start);
  return row?.reduce((best, event) => (distance(event) < distance(best) ? event : best));
}

function toggled(open: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(key)) next.add(key);
  return next;
}
