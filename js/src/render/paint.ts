import { FRAME } from '../layout/measure';
import type { Box, Scene } from '../layout/scene';
import { paintBlock, paintBox, paintType } from './boxes';
import type { Camera, Size } from './camera';
import { paintLit, paintMentions, paintQuiet } from './edges';
import type { Theme } from './theme';

/** What is shown of a scene beside the scene itself. Boxes and edges by their index. */
export interface Marks {
  selected: number;
  hovered: number;
  matches: ReadonlySet<number>;
  /** The current match, -1 where none is. */
  match: number;
  /** Edges of the selected box, and of the hovered one. */
  lit: ReadonlySet<number>;
  /** Boxes that lead to the selection or come from it, itself too: where not null, all others are
   * faint. */
  near: ReadonlySet<number> | null;
}

export const NO_MARKS: Marks = {
  selected: -1,
  hovered: -1,
  matches: new Set(),
  match: -1,
  lit: new Set(),
  near: null,
};

/** From these zooms on: labels, and the smaller types and notes. */
const LABELS = 0.4;
export const TYPES = 0.62;
/** How much shows of a box that is beside the matter. */
const FAINT = 0.25;

/** What is being painted, and the part of the scene that is seen. */
export interface Brush {
  ctx: CanvasRenderingContext2D;
  theme: Theme;
  zoom: number;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export function paint(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  camera: Camera,
  view: Size,
  ratio: number,
  theme: Theme,
  marks: Marks,
): void {
  const brush: Brush = {
    ctx,
    theme,
    zoom: camera.zoom,
    left: camera.x,
    top: camera.y,
    right: camera.x + view.width / camera.zoom,
    bottom: camera.y + view.height / camera.zoom,
  };
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.fillStyle = theme.ground;
  ctx.fillRect(0, 0, view.width * ratio, view.height * ratio);
  const scale = camera.zoom * ratio;
  ctx.setTransform(scale, 0, 0, scale, -camera.x * scale, -camera.y * scale);
  const seen = scene.boxes.flatMap((box, index) => (inView(brush, box) ? [index] : []));
  const boxes = (open: boolean) => {
    for (const index of seen) {
      const box = scene.boxes[index] as Box;
      if (box.open !== open) continue;
      ctx.globalAlpha = open || !marks.near || marks.near.has(index) ? 1 : FAINT;
      if (camera.zoom < LABELS) paintBlock(brush, box, index, marks);
      else paintBox(brush, box, index, marks);
    }
    ctx.globalAlpha = 1;
  };
  boxes(true);
  paintQuiet(brush, scene.edges, marks.lit);
  paintLit(brush, scene.edges, marks.lit);
  boxes(false);
  if (camera.zoom < TYPES) return;
  for (const index of seen) paintType(brush, scene.boxes[index] as Box);
  paintMentions(brush, scene.mentions);
}

export const inView = (
  brush: Brush,
  { x, y, w, h }: { x: number; y: number; w: number; h: number },
): boolean =>
  x <= brush.right && x + w >= brush.left && y <= brush.bottom && y + h + FRAME.title >= brush.top;
