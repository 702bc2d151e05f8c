/** The visible part of the picture. A point (x, y) of the scene is drawn at ((x - camera.x) * zoom, (y - camera.y) *
 * zoom), CSS px from the canvas's upper left corner. */
import type { Id } from '../facts/ids';
import { FLOOR, type Rect } from '../layout/measure';
import type { Box, Scene } from '../layout/scene';

export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The limits of the zoom. */
export const LEAST_ZOOM = 0.0005;
export const MOST_ZOOM = 4;
/** The zoom below which the text of a picture is hard to read. */
const READABLE_ZOOM = 0.42;
/** The most zoom of a picture that is shown whole: a small one is not enlarged. */
const MOST_WHOLE_ZOOM = 1;

/** The point of the scene at (x, y) CSS px of the canvas. */
export const toScene = (camera: Camera, x: number, y: number): { x: number; y: number } => ({
  x: camera.x + x / camera.zoom,
  y: camera.y + y / camera.zoom,
});

/** The camera after a drag by (dx, dy) CSS px: the scene moves with the pointer. */
export const pan = (camera: Camera, dx: number, dy: number): Camera => ({
  ...camera,
  x: camera.x - dx / camera.zoom,
  y: camera.y - dy / camera.zoom,
});

/** The camera after a zoom by a factor: the point of the scene at (x, y) CSS px stays there. Zooming out ends with
 * `all` of the picture in view. */
export function zoomAbout(
  camera: Camera,
  factor: number,
  x: number,
  y: number,
  all?: Camera,
): Camera {
  const wanted = camera.zoom * factor;
  if (all && factor < 1 && wanted <= all.zoom) return all;
  const zoom = clamp(wanted, LEAST_ZOOM, MOST_ZOOM);
  const fixed = toScene(camera, x, y);
  return { x: fixed.x - x / zoom, y: fixed.y - y / zoom, zoom };
}

/** A camera that shows all of the scene, in the middle. */
export function whole(scene: Size, view: Size): Camera {
  const wanted = Math.min(view.width / scene.width, view.height / scene.height);
  const zoom = clamp(wanted, LEAST_ZOOM, MOST_WHOLE_ZOOM);
  return {
    x: (scene.width - view.width / zoom) / 2,
    y: (scene.height - view.height / zoom) / 2,
    zoom,
  };
}

/** The first camera of a picture, and that of *Fit*. It shows all of the scene if that can be read, else its
 * beginning. In a scene too wide for the view, `middle` is the x in the middle of the view. */
export function first(scene: Size, view: Size, middle: number): Camera {
  const all = whole(scene, view);
  if (all.zoom >= FLOOR) return all;
  const zoom = clamp(view.width / scene.width, FLOOR, 1);
  const [width, height] = [view.width / zoom, view.height / zoom];
  const isWide = scene.width > width;
  const x = isWide ? clamp(middle - width / 2, 0, scene.width - width) : (scene.width - width) / 2;
  return { x, y: Math.min(0, (scene.height - height) / 2), zoom };
}

/** A rectangle counts as in view if this length of it is visible in both directions, CSS px. */
const ENOUGH_SEEN = 40;
/** A rectangle that is cut at an edge of the view is moved this far from it, CSS px. */
const OFF_EDGE = 8;

/** The same camera if all of the rectangle is in view, or if it fills the view. If a good part is in view (`least`,
 * CSS px), the camera moves as little as possible. Otherwise the rectangle comes to the middle, or as near to it as
 * possible at an edge of the scene. */
export function reveal(
  camera: Camera,
  scene: Size,
  view: Size,
  rect: Rect,
  least = ENOUGH_SEEN,
): Camera {
  const { x, y, w, h } = rect;
  const seen = (at: number, length: number, from: number, room: number) => {
    const common = Math.min(at + length, from + room / camera.zoom) - Math.max(at, from);
    return common >= Math.min(length, least / camera.zoom, room / camera.zoom);
  };
  const across = seen(x, w, camera.x, view.width);
  const down = seen(y, h, camera.y, view.height);
  const edge = OFF_EDGE / camera.zoom;
  const near = {
    x: across ? nearest(x, w, camera.x, view.width / camera.zoom, edge) : camera.x,
    y: down ? nearest(y, h, camera.y, view.height / camera.zoom, edge) : camera.y,
  };
  if (across && down) {
    const isSame = near.x === camera.x && near.y === camera.y;
    return isSame ? camera : { ...near, zoom: camera.zoom };
  }
  const { zoom, ...middle } = centre(camera, view, rect);
  const still = zoom === camera.zoom;
  const inScene = (at: number, length: number, room: number) =>
    length > room ? clamp(at, 0, length - room) : (length - room) / 2;
  return {
    x: across && still ? near.x : inScene(middle.x, scene.width, view.width / zoom),
    y: down && still ? near.y : inScene(middle.y, scene.height, view.height / zoom),
    zoom,
  };
}

/** The start of a view that began at `from`, moved so that a rectangle cut at its edge is whole, if it fits. */
function nearest(at: number, length: number, from: number, room: number, edge: number): number {
  if (length + 2 * edge > room) return from;
  if (at < from) return Math.max(0, at - edge);
  return at + length > from + room ? at + length + edge - room : from;
}

/** A camera with the rectangle in the middle, or its upper left corner if it is too large for the view. */
export function centre(camera: Camera, view: Size, { x, y, w, h }: Rect): Camera {
  const zoom = camera.zoom < READABLE_ZOOM ? 1 : camera.zoom;
  const width = view.width / zoom;
  const height = view.height / zoom;
  return {
    x: w > width ? x - width * 0.05 : x + w / 2 - width / 2,
    y: h > height ? y - height * 0.05 : y + h / 2 - height / 2,
    zoom,
  };
}

/** The camera, moved so that a part of the picture stays in view. */
export function hold(camera: Camera, scene: Size, view: Size): Camera {
  const keep = Math.min(60, view.width / 2, view.height / 2) / camera.zoom;
  const low = (length: number) => keep - length / camera.zoom;
  return {
    ...camera,
    x: clamp(camera.x, low(view.width), scene.width - keep),
    y: clamp(camera.y, low(view.height), scene.height - keep),
  };
}

/** The camera, moved as little as needed to have all of the scene in view along each axis on which it fits, and nothing
 * beyond its ends along the other. If the scene could be larger and still be whole, the camera that shows it whole. */
export function filled(camera: Camera, scene: Size, view: Size): Camera {
  const all = whole(scene, view);
  if (camera.zoom < all.zoom) return all;
  const within = (at: number, length: number, room: number) =>
    clamp(at, Math.min(0, length - room), Math.max(0, length - room));
  return {
    x: within(camera.x, scene.width, view.width / camera.zoom),
    y: within(camera.y, scene.height, view.height / camera.zoom),
    zoom: camera.zoom,
  };
}

/** The camera after a change of the scene that keeps a corner in place on the screen. */
export const follow = (camera: Camera, before: Rect, after: Rect): Camera => ({
  ...camera,
  x: camera.x + after.x - before.x,
  y: camera.y + after.y - before.y,
});

const clamp = (value: number, least: number, most: number): number =>
  Math.max(Math.min(value, most), Math.min(least, most));

/** The item nearest to the middle of the view, without open ones; null if all is in view. */
export function inMiddle(scene: Scene, camera: Camera, view: Size): Id | null {
  const { x, y, zoom } = camera;
  const [width, height] = [view.width / zoom, view.height / zoom];
  const allSeen = x <= 0 && y <= 0 && x + width >= scene.width && y + height >= scene.height;
  if (allSeen || view.width === 0) return null;
  const apart = ({ x: left, y: top, w, h }: Box) =>
    Math.hypot(left + w / 2 - x - width / 2, top + h / 2 - y - height / 2);
  const items = scene.boxes.filter(({ open, item }) => !open && item.start < item.stop);
  const nearest = items.sort((one, other) => apart(one) - apart(other))[0];
  return nearest?.item.id ?? null;
}

/** A box in a scene and in the next one. */
export interface Anchor {
  from: Box;
  to: Box;
}

/** The box that stays in place when the scene changes: of the boxes with these ids that are in both scenes, the one
 * nearest to a point. Null if there is none. */
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

/** The camera on the next scene, with the anchor in place on the screen. It never ends on empty ground: a scene that
 * fits is in view, else the closed box nearest to the middle. */
export function landed(camera: Camera, { from, to }: Anchor, scene: Scene, view: Size): Camera {
  const followed = follow(camera, from, to);
  if (view.width === 0 || view.height === 0) return followed;
  const next = filled(followed, scene, view);
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
