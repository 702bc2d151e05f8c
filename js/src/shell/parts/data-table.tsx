/** Tables and lists: columns as records, rows on request, keys that move through rows, and choices. */
import {
  type ComponentChild,
  type ComponentChildren,
  Fragment,
  type JSX,
  type VNode,
} from 'preact';
import { useState } from 'preact/hooks';

export interface Column<Row> {
  /** The head of the column. A table without labels has no heads. */
  label?: () => ComponentChild;
  cell: (row: Row, at: number) => ComponentChild;
  /** True if its cells are the heads of their rows. */
  isHead?: boolean;
  /** True for a column of numbers. */
  number?: boolean;
  /** More classes of its cells. */
  look?: string;
  style?: (row: Row) => JSX.CSSProperties;
}

interface Props<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  caption?: ComponentChild;
  /** The class of the table. */
  look?: string;
  /** The class of a row. */
  lookOf?: (row: Row, at: number) => string | undefined;
  /** The content below a row, as wide as the table. */
  below?: ((row: Row) => ComponentChild) | undefined;
  /** The content after the rows. */
  children?: ComponentChildren;
}

export function DataTable<Row>({ columns, rows, look, lookOf, below, ...around }: Props<Row>) {
  const { caption, children } = around;
  return (
    <table class={look}>
      {caption && <caption>{caption}</caption>}
      {columns.some(({ label }) => label) && (
        <thead>
          <tr>
            {columns.map(({ label, number }, at) =>
              label ? (
                <th key={at} scope="col" class={number ? RIGHT : undefined}>
                  {label()}
                </th>
              ) : (
                <td key={at} />
              ),
            )}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((row, at) => (
          <Fragment key={at}>
            <tr class={lookOf?.(row, at)}>
              {columns.map((column, index) => (
                <Cell key={index} {...{ column, row, at }} />
              ))}
            </tr>
            {below && (
              <tr>
                <td colSpan={columns.length}>{below(row)}</td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
      {children}
    </table>
  );
}

const RIGHT = 'jxv-right';

function Cell<Row>({ column, row, at }: { column: Column<Row>; row: Row; at: number }) {
  const { number, look, style, isHead, cell } = column;
  const props = {
    class: [number ? RIGHT : '', look ?? ''].filter(Boolean).join(' ') || undefined,
    style: style?.(row),
  };
  return isHead ? (
    <th scope="row" {...props}>
      {cell(row, at)}
    </th>
  ) : (
    <td {...props}>{cell(row, at)}</td>
  );
}

interface Fold<Row> {
  shown: readonly Row[];
  isWhole: boolean;
  /** The button that shows the others; null if there are none, or if they cannot be hidden again. */
  button: VNode | null;
}

/** Shows the first `most` rows. `more` says how many others there are; with `fewer` they can be
 * hidden again. */
export function useFold<Row>(
  rows: readonly Row[],
  most: number,
  more: (count: number) => string,
  fewer?: () => string,
): Fold<Row> {
  const [isWhole, showAll] = useState(false);
  const count = rows.length - most;
  const isOffered = count > 0 && (!isWhole || fewer !== undefined);
  return {
    shown: isWhole ? rows : rows.slice(0, most),
    isWhole,
    button: isOffered ? (
      <button type="button" class="jxv-link" onClick={() => showAll(!isWhole)}>
        {isWhole ? fewer?.() : more(count)}
      </button>
    ) : null,
  };
}

interface Walked {
  count: number;
  active: number;
  /** The number of rows that Page Up and Page Down move. */
  page: number;
  walk: (to: number) => void;
  choose: (at: number) => void;
}

/** A key handler that moves the active row of a long list. */
export function rowKeys({ count, active, page, walk, choose }: Walked) {
  const steps = new Map([
    ['ArrowDown', active + 1],
    ['ArrowUp', active - 1],
    ['PageDown', active + page],
    ['PageUp', active - page],
    ['Home', 0],
    ['End', count - 1],
  ]);
  return (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target !== event.currentTarget) return;
    const to = steps.get(event.key);
    if (to !== undefined) walk(Math.max(0, Math.min(to, count - 1)));
    else if (event.key === 'Enter' || event.key === ' ') choose(active);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

interface SelectProps<Value extends string> {
  label: string;
  value: Value;
  choices: readonly (readonly [value: Value, text: string])[];
  choose: (value: Value) => void;
}

export const Select = <Value extends string>(props: SelectProps<Value>) => (
  <select
    class="jxv-select"
    aria-label={props.label}
    value={props.value}
    onChange={(event) => props.choose(event.currentTarget.value as Value)}
  >
    {props.choices.map(([value, text]) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </select>
);
