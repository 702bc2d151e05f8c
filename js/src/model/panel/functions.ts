import type { Capture, Function as Counted, Event, Frame, Panel } from '../../schema';
import { placeOf } from '../describe';
import { againOf } from '../log/events';
import { keyOf } from '../log/lanes';
import type { Opened } from './state';

/** A function of the kernel's: what was counted of it, what was captured, or both. */
export interface Row {
  key: string;
  name: string;
  definition: Frame | null;
  counted: Counted | null;
  /** The latest. */
  capture: Capture | null;
  /** Its latest trace that is listed and made a program. */
  latest: Event | null;
}

export const SORTS = ['time', 'retraces', 'traces', 'compiles', 'latest', 'name'] as const;
export type Sort = (typeof SORTS)[number];

/** All functions, a capture with what was counted of the same function. */
export function rowsOf({ log, captures }: Panel): Row[] {
  const rows = new Map<string, Row>();
  for (const counted of log.functions) {
    const { name, definition } = counted;
    const key = keyOf(counted);
    rows.set(key, { key, name, definition, counted, capture: null, latest: null });
  }
  for (const event of log.events) {
    const row = rows.get(keyOf(event));
    if (row && event.kind === 'trace' && event.error === null) row.latest = event;
  }
  for (const capture of captures) {
    const row = [...rows.values()].find((one) => isSame(one, capture));
    if (row) {
      row.capture = capture;
      continue;
    }
    const { name, definition } = capture;
    const key = JSON.stringify(['captured', keyOf(capture)]);
    rows.set(key, { key, name, definition, counted: null, capture, latest: null });
  }
  return [...rows.values()];
}

/** JAX says where a function begins with its decorators, a capture where its `def` stands. */
function isSame({ name, definition: row }: Row, { name: captured, definition }: Capture): boolean {
  if (name !== captured || !row || !definition) return false;
  const isNear = definition.line >= row.line && definition.line - row.line <= 20;
  return row.cell === definition.cell && row.file === definition.file && isNear;
}

/** What opens with a row: its latest trace, else what was captured; null where neither is held. */
export function openedBy({ latest, capture }: Row): Opened | null {
  if (latest) return { event: latest.number };
  return capture && { capture: capture.key, name: capture.name };
}

/** Of which row what is opened is: what was captured, or a trace; null of none that is listed. */
export function keyOpened(
  { log }: Panel,
  rows: readonly Row[],
  opened: Opened | null,
): string | null {
  if (!opened) return null;
  if ('capture' in opened) {
    return rows.find(({ capture }) => capture?.key === opened.capture)?.key ?? null;
  }
  const wanted = 'event' in opened ? opened.event : opened.after;
  const event = log.events.find(({ number }) => number === wanted);
  return event ? keyOf(event) : null;
}

/** Those whose name, file or cell holds the text, in the order that is asked for. */
export function sorted(
  rows: readonly Row[],
  sort: Sort,
  find: string,
  reversed: boolean = false,
): Row[] {
  const wanted = find.trim().toLowerCase();
  const found = rows.filter((row) => textOf(row).includes(wanted));
  found.sort((a, b) => ORDERS[sort](a, b) || a.name.localeCompare(b.name));
  return reversed ? found.reverse() : found;
}

/** All that can be found of it: `step cell 3, line 4 cell 3`. */
function textOf({ name, definition }: Row): string {
  const place = definition ? `${placeOf(definition)} ${definition.file}` : '';
  return `${name} ${place}`.toLowerCase();
}

const most = (of: (row: Row) => number) => (a: Row, b: Row) => of(b) - of(a);

const ORDERS: Record<Sort, (a: Row, b: Row) => number> = {
  time: most(({ counted }) => counted?.seconds ?? -1),
  retraces: most(({ counted }) => (counted ? againOf(counted) : -1)),
  traces: most(({ counted }) => counted?.traces ?? -1),
  compiles: most(({ counted }) => counted?.compiles ?? -1),
  latest: most(({ latest, capture }) => latest?.start ?? capture?.count ?? 0),
  name: () => 0,
};
