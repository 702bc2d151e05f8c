/** Two pytrees that should be alike, as one tree: what a loop is given beside what it returns, or the results of
 * two branches. The leaves that differ are marked. */
import { __, _n } from '../language';
import type { Tree, TreeRow } from '../schema';
import { type Column, DataTable } from './data-table';

const SIDES = new Map([
  ['given', () => __('given')],
  ['returned', () => __('returned')],
]);

/** What a side is called: in words of ours, or as the user or JAX names it. */
export const sideText = (side: string): string => SIDES.get(side)?.() ?? side;

export function CardTree({ tree: { sides, rows, others } }: { tree: Tree }) {
  const columns: Column<TreeRow>[] = [
    {
      isHead: true,
      style: ({ depth }) => ({ paddingLeft: `${2 * depth}ch` }),
      cell: ({ key }) => (key === '' ? __('result') : <code>{key}</code>),
    },
    ...sides.map((side, at) => ({
      label: () => sideText(side),
      cell: ({ types, fits }: TreeRow) => (
        <code>{fits ? types[at] : <mark>{types[at] || '–'}</mark>}</code>
      ),
    })),
  ];
  return (
    <DataTable look="jxv-card-sides jxv-card-tree" columns={columns} rows={rows}>
      {others > 0 && (
        <tfoot>
          <tr>
            <td class="jxv-words" colSpan={1 + sides.length}>
              {_n('%1 other leaf fits', '%1 other leaves fit', others)}
            </td>
          </tr>
        </tfoot>
      )}
    </DataTable>
  );
}
