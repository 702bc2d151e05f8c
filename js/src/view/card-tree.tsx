/** Two pytrees that should be alike, as one tree: what a loop is given beside what it returns, or the results of
 * two branches. The leaves that differ are marked. */
import { __, _n } from '../language';
import type { Tree, TreeRow } from '../schema';

const SIDES = new Map([
  ['given', () => __('given')],
  ['returned', () => __('returned')],
]);

/** What a side is called: in words of ours, or as the user or JAX names it. */
export const sideText = (side: string): string => SIDES.get(side)?.() ?? side;

export function CardTree({ tree: { sides, rows, others } }: { tree: Tree }) {
  return (
    <table class="jxv-card-sides jxv-card-tree">
      <thead>
        <tr>
          <td />
          {sides.map((side) => (
            <th key={side} scope="col">
              {sideText(side)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <Row key={index} row={row} />
        ))}
      </tbody>
      {others > 0 && (
        <tfoot>
          <tr>
            <td class="jxv-words" colSpan={1 + sides.length}>
              {_n('%1 other leaf fits', '%1 other leaves fit', others)}
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

const Row = ({ row: { key, depth, types, fits } }: { row: TreeRow }) => (
  <tr>
    <th scope="row" style={{ paddingLeft: `${2 * depth}ch` }}>
      {key === '' ? __('result') : <code>{key}</code>}
    </th>
    {types.map((type, side) => (
      <td key={side}>
        <code>{fits ? type : <mark>{type || '–'}</mark>}</code>
      </td>
    ))}
  </tr>
);
