/** A table whose columns are records, with a row for each thing that they show. */
import { type ComponentChild, type ComponentChildren, Fragment, type JSX } from 'preact';

export interface Column<Row> {
  /** What the head of the column says. A table without labels has no heads. */
  label?: () => ComponentChild;
  cell: (row: Row, at: number) => ComponentChild;
  /** True if its cells are the heads of their rows. */
  isHead?: boolean;
  /** True if it has numbers. */
  number?: boolean;
  /** Further classes of its cells. */
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
  /** What is below a row, as wide as the table. */
  below?: ((row: Row) => ComponentChild) | undefined;
  /** What comes after the rows. */
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
