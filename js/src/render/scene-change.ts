/** Leads from one scene to the next when something is opened or closed: boxes move to their new
 * places, and one stays where it is. */
import type { Id } from '../facts/ids';
import type { Box, Scene } from '../layout/scene';
import { type Camera, filled, follow, reveal, type Size } from './camera';
import { type Columns, columnsOf, place } from './scene-columns';

/** How long boxes move when one is opened, ms. */
const MOTION_TIME = 150;

/** A scene whose boxes are on their way from where they were in another. */
export interface Motion {
  /** What is shown meanwhile, without edges and without boxes that were not there before. */
  scene: Scene;
  from: Columns;
  to: Columns;
  since: number | null;
}

/** The motion of boxes from where they were, moved by (x, y), to where they are. */
export function motion(before: Scene, after: Scene, by: { x: number; y: number }): Motion {
  const scene: Scene = { ...after, edges: [], mentions: [] };
  const to = columnsOf(after);
  const from = columnsOf({ ...scene });
  const old = columnsOf(before);
  after.boxes.forEach(({ item }, index) => {
    const at = before.index.get(item.id);
    from.x[index] = at === undefined ? Number.NaN : old.x[at]! + by.x;
    from.y[index] = at === undefined ? Number.NaN : old.y[at]! + by.y;
    from.w[index] = at === undefined ? Number.NaN : old.w[at]!;
    from.h[index] = at === undefined ? Number.NaN : old.h[at]!;
  });
  place(scene, columnsOf({ ...scene }));
  return { scene, from, to, since: null };
}

/** The scene at a time, null once all boxes have arrived. */
export function sceneAt(moving: Motion, now: number): Scene | null {
  moving.since ??= now;
  const part = Math.min(1, (now - moving.since) / MOTION_TIME);
  if (part === 1) return null;
  const eased = part * (2 - part);
  const shown = columnsOf(moving.scene);
  for (const side of ['x', 'y', 'w', 'h'] as const) {
    const [from, to, into] = [moving.from[side], moving.to[side], shown[side]];
    for (let index = 0; index < into.length; index++) {
      into[index] = from[index]! + (to[index]! - from[index]!) * eased;
    }
  }
  return moving.scene;
}

/** A box of a scene, and the same box in the next one. */
export interface Anchor {
  from: Box;
  to: Box;
}

/**
 * What stays where it is on the screen when a scene gives way to another: of these ids, or of all
 * boxes that both have, the one nearest to a point of the scene; null where there is none.
 */
export function anchorNear(
  before: Scene,
  after: Scene,
  ids: Iterable<Id>,
  at: { x: number; y: number },
): Anchor | null {
  let found: Anchor | null = null;
  let least = Infinity;
  for (const id of ids) {
    const from = before.boxes[before.index.get(id) ?? -1];
    const to = after.boxes[after.index.get(id) ?? -1];
    if (!from || !to) continue;
    const away = Math.hypot(from.x + from.w / 2 - at.x, from.y + TITLE_MIDDLE - at.y);
    if (away >= least) continue;
    least = away;
    found = { from, to };
  }
  return found;
}

/** The middle of the title of a box, px below its upper side. */
const TITLE_MIDDLE = 12;

/** The camera on a scene in which a box stays where it was on the screen. It never ends on empty ground:
 * a scene that fits is in view, and of one that does not, the closed box that is nearest to the middle. */
export function landed(camera: Camera, { from, to }: Anchor, scene: Scene, view: Size): Camera {
  const kept = follow(camera, from, to);
  if (view.width === 0 || view.height === 0) return kept;
  const next = filled(kept, scene, view);
  const [halfX, halfY] = [view.width / next.zoom / 2, view.height / next.zoom / 2];
  let [nearest, least] = [to, Number.POSITIVE_INFINITY];
  for (const box of scene.boxes) {
    if (box.open) continue;
    const beyondX = Math.abs(box.x + box.w / 2 - next.x - halfX) - halfX - box.w / 2;
    const beyondY = Math.abs(box.y + box.h / 2 - next.y - halfY) - halfY - box.h / 2;
    const beyond = Math.max(beyondX, beyondY);
    if (beyond < least) [nearest, least] = [box, beyond];
  }
  return least < 0 ? next : reveal(next, scene, view, nearest);
}
