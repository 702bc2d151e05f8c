/** The rows of the table of costs in their order. */
import type { CostColumn, CostRow, RowOrder } from './cost-table';

/** Sorts rows. Unknown values come last in either direction, and equal rows stay in program order.
 * With a null order all are in program order. */
export function sorted(rows: readonly CostRow[], order: RowOrder | null): readonly CostRow[] {
  if (order === null) return rows;
  const { column, descending } = order;
  const keys = new Map(rows.map((row) => [row, keyOf(row, column)]));
  const turn = descending ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [a, b] = [keys.get(one) ?? null, keys.get(other) ?? null];
    if (a === b) return one.index - other.index;
    if (a === null || b === null) return a === null ? 1 : -1;
    return (a < b ? -1 : 1) * turn;
  });
}

function keyOf(row: CostRow, column: CostColumn): number | string | null {
  switch (column) {
    case 'flops':
    case 'bytes':
      return row.cost[column];
    case 'share':
    case 'size':
    case 'intensity':
    case 'runs':
    case 'time':
    case 'largest':
      return row[column];
    case 'sent':
      return row.sent?.bytes ?? null;
    default:
      return row[column] === '' ? null : row[column];
  }
}

/** The rows in view: all, and after each open group the rows in it, in the same order. */
export function shown(
  rows: readonly CostRow[],
  order: RowOrder | null,
  open: ReadonlySet<string>,
): readonly CostRow[] {
  return sorted(rows, order).flatMap((row) =>
    row.held && open.has(row.label) ? [row, ...sorted(row.held, order)] : [row],
  );
}
