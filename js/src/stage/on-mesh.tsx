/** The parts of the selected value on the devices of a mesh: facts, and the mesh as a table. */
import type { Id } from '../facts/ids';
import { type Place, type Sharding, shardAt, shardingOf } from '../facts/numbers/sharding';
import { __ } from '../language';
import type { MeshAxis, Stage } from '../schema';
import { type Column, DataTable } from '../shell/parts/data-table';
import { Each } from '../shell/parts/facts';
import { meshFacts } from '../words/value-rows';

interface Props {
  stage: Stage;
  id: Id;
}

/** The part on each device; nothing if the program does not say. */
export function MeshFacts({ stage, id }: Props) {
  const laid = shardingOf(stage, id);
  return laid && <Each facts={meshFacts(laid)} go={() => {}} />;
}

/** The most rows and columns that are shown; of more, the first and the last. */
const MOST = 4;

/** The mesh as a table, with the part of each device. Of several axes that split the value, the last
 * one runs to the right, the others down. */
export function MeshTable({ stage, id }: Props) {
  const laid = shardingOf(stage, id);
  const used = laid ? laid.mesh.filter((axis) => isUsed(laid, axis)) : [];
  if (!laid || used.length === 0) return null;
  const across = used.slice(1).slice(-1);
  const down = used.filter((axis) => !across.includes(axis));
  const same = laid.mesh.filter((axis) => !used.includes(axis)).map(rangeOf);
  const columns: Column<Place | null>[] = [
    { isHead: true, cell: (row) => (row ? namesOf(row).join(', ') : '…') },
    ...shown(placesOf(across)).map((place) => ({
      label: () => (place ? [...namesOf(place), ...same].join(', ') || __('slice') : '…'),
      cell: (row: Place | null) =>
        row && place ? `[${shardAt(laid, new Map([...row, ...place])).join(', ')}]` : '…',
    })),
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds inputs
    <div
      class="jxv-mesh"
      role="group"
      aria-label={__('Data on each device')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
      tabIndex={0}
    >
      <DataTable columns={columns} rows={shown(placesOf(down))} />
    </div>
  );
}

const isUsed = ({ dimensions }: Sharding, axis: MeshAxis): boolean =>
  dimensions.some(({ axes }) => axes.includes(axis));

const namesOf = (place: Place): string[] => [...place].map(([{ name }, at]) => `${name} ${at}`);

const rangeOf = ({ name, size }: MeshAxis): string =>
  size === 1 ? `${name} 0` : `${name} 0–${size - 1}`;

/** All places along some axes; the last axis varies fastest. */
function placesOf(axes: readonly MeshAxis[]): Place[] {
  return axes.reduce<Place[]>(
    (places, axis) =>
      places.flatMap((place) =>
        Array.from({ length: axis.size }, (_, at) => new Map([...place, [axis, at]])),
      ),
    [new Map()],
  );
}

/** The places that are shown, with null for those between. */
const shown = (places: readonly Place[]): (Place | null)[] =>
  places.length <= MOST ? [...places] : [...places.slice(0, MOST - 1), null, ...places.slice(-1)];
