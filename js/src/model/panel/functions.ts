import type { Capture, Function as Counted, Event, Frame, Panel } from '../../schema';
import { keyOf } from '../log/lanes';

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

export const SORTS = ['time', 'retraces', 'latest', 'name'] as const;
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

/** Those whose name or place holds the text, in the order that is asked for. */
export function sorted(rows: readonly Row[], sort: Sort, find: string): Row[] {
  const wanted = find.trim().toLowerCase();
  const found = rows.filter(({ name, definition }) =>
    `${name} ${definition?.file ?? ''}`.toLowerCase().includes(wanted),
  );
  return found.sort((a, b) => ORDERS[sort](a, b) || a.name.localeCompare(b.name));
}

const most = (of: (row: Row) => number) => (a: Row, b: Row) => of(b) - of(a);

const ORDERS: Record<Sort, (a: Row, b: Row) => number> = {
  time: most(({ counted }) => counted?.seconds ?? 0),
  retraces: most(({ counted }) => (counted ? againOf(counted) : -1)),
  latest: most(({ latest, capture }) => latest?.start ?? capture?.count ?? 0),
  name: () => 0,
};

const againOf = ({ retraces, relowerings, recompiles }: Counted): number =>
  retraces + relowerings + recompiles;
