/** Data that the painters of boxes and edges share: the canvas, the view, the marks and the colours. */
import { FRAME } from '../layout/measure';
import type { Box, Scene } from '../layout/scene';
import { isPale, type Marks, UNKNOWN_CLASS } from '../picture/appearance';
import type { Camera, Size } from './camera';
import { type Bounds, type Columns, columnsOf } from './scene-columns';
import { type Paint, paintNamed, type Theme } from './theme';

/** The zooms from which boxes have outlines, and from which types and notes are written. */
export const OUTLINES_ZOOM = 0.4;
export const TYPES_ZOOM = 0.62;

/** The canvas, and the part of the scene in view. */
export interface Brush extends Bounds {
  ctx: CanvasRenderingContext2D;
  theme: Theme;
  zoom: number;
}

/** A scene, what is marked in it, and its colours. */
export interface Sheet {
  scene: Scene;
  columns: Columns;
  marks: Marks;
  /** The paint of each colour class, and the pale one of each. */
  paints: readonly Paint[];
  pale: readonly Paint[];
}

/** The part of a scene that a camera sees. */
export function boundsOf({ x, y, zoom }: Camera, { width, height }: Size): Bounds {
  return { left: x, top: y, right: x + width / zoom, bottom: y + height / zoom };
}

export const brushOf = (
  ctx: CanvasRenderingContext2D,
  camera: Camera,
  view: Size,
  theme: Theme,
): Brush => ({ ctx, theme, zoom: camera.zoom, ...boundsOf(camera, view) });

/** Makes the context's coordinates those of the scene. */
export function aim(ctx: CanvasRenderingContext2D, { x, y, zoom }: Camera, ratio: number): void {
  const scale = zoom * ratio;
  ctx.setTransform(scale, 0, 0, scale, -x * scale, -y * scale);
}

/** A scene with its marks in the colours of a theme. */
export function sheetOf(scene: Scene, theme: Theme, marks: Marks): Sheet {
  const classes = marks.colours?.classes ?? [UNKNOWN_CLASS];
  const named = (from: Theme) => classes.map(({ paint }) => paintNamed(from, paint));
  const columns = columnsOf(scene);
  return { scene, columns, marks, paints: named(theme), pale: named(theme.pale ?? theme) };
}

export const paleOf = (brush: Brush): Brush => ({
  ...brush,
  theme: brush.theme.pale ?? brush.theme,
});

/** The paint of a box; pale if the box is faint. */
export const paintFor = (sheet: Sheet, box: number): Paint => {
  const paints = isPale(sheet.marks, box) ? sheet.pale : sheet.paints;
  return paints[sheet.marks.colours?.of[box] ?? 0] as Paint;
};

export const boxOf = (sheet: Sheet, index: number): Box => sheet.scene.boxes[index] as Box;

/** True if a rectangle, with the texts below it, is in view. */
export const inView = (
  brush: Bounds,
  { x, y, w, h }: { x: number; y: number; w: number; h: number },
): boolean =>
  x <= brush.right && x + w >= brush.left && y <= brush.bottom && y + h + FRAME.title >= brush.top;
