/** How a value lies on the devices of the mesh, in words. */
import { bytesText } from '../facts/describe';
import { heldBytes, heldShape, type LaidOut } from '../facts/laid-out';
import { __ } from '../language';
import { code, type Fact, words } from './fact-parts';

/** What each device holds, which axes split which dimension and along which axes all devices hold the
 * same, and the mesh. */
export function meshFacts(laid: LaidOut): Fact[] {
  const type = `${laid.dtype}[${heldShape(laid).join(',')}]`;
  const bytes = bytesText(heldBytes(laid));
  const mesh = laid.mesh.map(({ name, size }) => `${name} ${size}`).join(' × ');
  return [
    { name: __('per device'), value: [code(type), ...(bytes === '' ? [] : [words(bytes)])] },
    { name: __('split'), value: [words(splitTexts(laid).join('; '))] },
    { name: __('mesh'), value: [code(mesh)] },
  ];
}

function splitTexts({ mesh, dimensions }: LaidOut): string[] {
  const used = new Set(dimensions.flatMap(({ axes }) => axes));
  const same = mesh.filter((axis) => !used.has(axis)).map(({ name }) => name);
  const split = dimensions.flatMap(({ axes }, at) =>
    axes.length === 0
      ? []
      : [__('dimension %1 along %2', at, axes.map(({ name }) => name).join(', '))],
  );
  return [...split, ...(same.length === 0 ? [] : [__('the same along %1', same.join(', '))])];
}
