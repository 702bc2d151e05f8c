/** The name of what comes to a row of a step from afar, whose edge is not drawn at rest. */
import type { Item } from '../../facts/outline';
import { head, SMALL, textWidth } from '../measure';
import type { Atom } from './atoms';
import type { LaneName } from './lanes';

const HEIGHT = 12;
/** How far the name ends before the middle of its lane, px. */
const BESIDE = 8;
/** Room for the name above an atom that is in no lane. */
const ALONE = 90;

/** What makes the values that an atom takes from afar, and where that stands: above the left half of the atom;
 * below it, where the lane runs up. */
export function nameOfAfar(atom: Atom, sources: readonly Item[]) {
  const lane = atom.column as LaneName;
  const half = atom.list ? Math.max(atom.w, atom.list.width[lane]) / 2 - BESIDE : ALONE;
  const more = sources.length > 1 ? ` +${sources.length - 1}` : '';
  const text = head(sources[0]!.label, Math.floor(half / (SMALL * 0.6)) - more.length) + more;
  const w = textWidth(text, SMALL);
  const y = atom.column === 'backward' ? atom.y + atom.h + 2 : atom.y - HEIGHT - 2;
  const x = atom.list ? atom.x + atom.w / 2 - BESIDE - w : atom.x;
  return { text, x, y, w, h: HEIGHT };
}
