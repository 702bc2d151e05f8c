/** Shows scenes that are too large to be painted while they move, from bitmaps. */
import type { Scene } from '../layout/scene';
import { type Marks, NO_MARKS } from '../picture/appearance';
import type { Camera, Size } from './camera';
import { loadOf, paintMarked, paintScene } from './paint';
import type { Title } from './scene-columns';
import { aim, brushOf, OUTLINES_ZOOM, sheetOf } from './sheet';
import type { Shown } from './shown-picture';
import type { Theme } from './theme';

/** With more boxes and edges in view than this, a bitmap is shown while they move. */
const HEAVY = 4000;
/** The largest bitmap, pixels: along a side, and in all. */
const LONGEST_BITMAP = 8192;
const MOST_PIXELS = 6_000_000;
/** The smallest bitmap, pixels along its longer side. */
const LEAST_HALF = 256;

/** A bitmap of a whole scene. */
interface Level {
  canvas: HTMLCanvasElement;
  /** The pixels per px of the scene. */
  scale: number;
}

const isLarge = ({ boxes, edges }: Scene): boolean => boxes.length + edges.length > HEAVY;

/** True if a picture has too many boxes and edges in view to be painted while it moves. */
export const isHeavy = ({
  scene,
  camera,
  view,
}: Pick<Shown, 'scene' | 'camera' | 'view'>): boolean =>
  isLarge(scene) && camera.zoom < OUTLINES_ZOOM && loadOf(scene, camera, view) > HEAVY;

/** The bitmaps of a picture: one of the whole scene and smaller copies, each half as large, so that it appears at
 * once at any zoom. */
export class Overview {
  private of: Shown | null = null;
  /** The smallest first; null if the browser makes no bitmap. */
  private levels: readonly Level[] | null = null;

  /** Makes the bitmaps of a large scene unless it has them. `ratio` is the screen px per px of the canvas. Returns
   * true if it made some. */
  make(shown: Shown, ratio: number): boolean {
    const { scene, theme, marks } = shown;
    if (this.isOf(shown) || !isLarge(scene)) return false;
    this.of = shown;
    this.levels = levelsOf(scene, theme, marks, OUTLINES_ZOOM * ratio);
    return this.levels !== null;
  }

  /** Draws the picture from the bitmaps if it moves or if they are as fine as the screen. Returns the positions of
   * titles, or null if it did not draw. */
  draw(
    ctx: CanvasRenderingContext2D,
    shown: Shown,
    ratio: number,
    moves: boolean,
  ): readonly Title[] | null {
    const { scene, camera, view, theme, marks } = shown;
    const finest = this.isOf(shown) && this.levels?.at(-1);
    const pixels = camera.zoom * ratio;
    if (!finest || !(moves || finest.scale >= pixels)) return null;
    const { canvas } = this.levels?.find(({ scale }) => scale >= pixels) ?? finest;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = theme.ground;
    ctx.fillRect(0, 0, view.width * ratio, view.height * ratio);
    const [x, y] = [-camera.x * pixels, -camera.y * pixels];
    ctx.drawImage(canvas, x, y, scene.width * pixels, scene.height * pixels);
    aim(ctx, camera, ratio);
    return paintMarked(brushOf(ctx, camera, view, theme), sheetOf(scene, theme, marks));
  }

  /** True if the bitmaps show this scene in these colours. */
  private isOf({ scene, theme, marks }: Shown): boolean {
    const of = this.of;
    return (
      of?.scene === scene &&
      of.theme === theme &&
      of.marks.colours === marks.colours &&
      of.marks.near === marks.near &&
      of.marks.only === marks.only
    );
  }
}

/** The bitmaps of a scene, the largest of at most this scale; null if the browser makes none. */
function levelsOf(scene: Scene, theme: Theme, marks: Marks, largest: number): Level[] | null {
  const { width, height } = scene;
  const scale = Math.min(
    largest,
    LONGEST_BITMAP / Math.max(width, height),
    Math.sqrt(MOST_PIXELS / (width * height)),
  );
  const first = level(scene, scale);
  if (!first) return null;
  const camera: Camera = { x: 0, y: 0, zoom: scale };
  const brush = brushOf(first.ctx, camera, scaled(scene, scale), theme);
  first.ctx.fillStyle = theme.ground;
  first.ctx.fillRect(0, 0, first.canvas.width, first.canvas.height);
  aim(first.ctx, camera, 1);
  const { near, colours, only } = marks;
  paintScene(brush, sheetOf(scene, theme, { ...NO_MARKS, near, colours, only }));
  return halves(scene, { canvas: first.canvas, scale });
}

/** Halves a bitmap step by step. Shrunk in one step, it would lose thin lines. */
function halves(scene: Size, first: Level): Level[] {
  const levels = [first];
  for (let last = first; Math.max(last.canvas.width, last.canvas.height) >= 2 * LEAST_HALF; ) {
    const next = level(scene, last.scale / 2);
    if (!next) break;
    next.ctx.drawImage(last.canvas, 0, 0, next.canvas.width, next.canvas.height);
    last = { canvas: next.canvas, scale: last.scale / 2 };
    levels.unshift(last);
  }
  return levels;
}

const scaled = ({ width, height }: Size, scale: number): Size => ({
  width: Math.max(1, Math.ceil(width * scale)),
  height: Math.max(1, Math.ceil(height * scale)),
});

function level(
  scene: Size,
  scale: number,
): { canvas: HTMLCanvasElement; ctx: CanvasRenderingContext2D } | null {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, scaled(scene, scale));
  const ctx = canvas.getContext('2d', { alpha: false });
  return ctx ? { canvas, ctx } : null;
}
