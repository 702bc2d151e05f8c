import type { ColourClass } from '../facts/colours/colour-classes';
import { FRAME } from '../layout/measure';
import type { Box, Scene } from '../layout/scene';
import { isPale, type Marks } from '../picture/marks';
import type { Camera, Size } from './camera';
import { type Bounds, type Columns, columnsOf } from './scene-columns';
import { type Paint, paintNamed, type Theme } from './theme';

/** From these zooms on: boxes with their outline, and the smaller types and notes. */
export const OUTLINES = 0.4;
export const TYPES = 0.62;

/** What is being painted, and the part of the scene that is seen. */
export interface Brush extends Bounds {
  ctx: CanvasRenderingContext2D;
  theme: Theme;
  zoom: number;
}

/** A scene with what is shown of it: what painting a box needs to know. */
export interface Sheet {
  scene: Scene;
  columns: Columns;
  marks: Marks;
  /** The paint of each class of colours, and its pale one. */
  paints: readonly Paint[];
  pale: readonly Paint[];
}

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

export function sheetOf(scene: Scene, theme: Theme, marks: Marks): Sheet {
  const classes = marks.colours?.classes ?? NO_CLASSES;
  const named = (from: Theme) => classes.map(({ paint }) => paintNamed(from, paint));
  const columns = columnsOf(scene);
  return { scene, columns, marks, paints: named(theme), pale: named(theme.pale ?? theme) };
}

const NO_CLASSES: readonly ColourClass[] = [{ paint: 'group', label: '', about: '' }];

export const paleOf = (brush: Brush): Brush => ({
  ...brush,
  theme: brush.theme.pale ?? brush.theme,
});

export const paintFor = (sheet: Sheet, box: number): Paint => {
  const paints = isPale(sheet.marks, box) ? sheet.pale : sheet.paints;
  return paints[sheet.marks.colours?.of[box] ?? 0] as Paint;
};

export const classFor = ({ marks: { colours } }: Sheet, box: number): ColourClass | undefined =>
  colours?.classes[colours.of[box] ?? 0];

export const boxOf = (sheet: Sheet, index: number): Box => sheet.scene.boxes[index] as Box;

export const inView = (
  brush: Bounds,
  { x, y, w, h }: { x: number; y: number; w: number; h: number },
): boolean =>
  x <= brush.right && x + w >= brush.left && y <= brush.bottom && y + h + FRAME.title >= brush.top;
