/** Keeps a whole scene as bitmaps, for one too large to be painted while it moves. */
import type { Scene } from '../layout/scene';
import { type Marks, NO_MARKS } from '../picture/looks';
import type { Camera, Size } from './camera';
import { paintScene } from './paint';
import { aim, brushOf, sheetOf } from './sheet';
import type { Theme } from './theme';

/** The largest bitmap, pixels: along a side, and in all. */
const LONGEST_BITMAP = 8192;
const MOST_PIXELS = 6_000_000;
/** The smallest bitmap that is kept, pixels along its longer side. */
const LEAST_HALF = 256;

/** A scene painted once, with smaller copies of the bitmap, each half as large, so that it is shown
 * at once at any zoom. */
export interface Overview {
  /** The smallest first. */
  levels: readonly Level[];
}

/** One of the bitmaps. */
interface Level {
  canvas: HTMLCanvasElement;
  /** How many pixels a px of the scene has. */
  scale: number;
}

/** The bitmap of a scene, at most this large; null where the browser makes none. */
export function overviewOf(
  scene: Scene,
  theme: Theme,
  marks: Marks,
  largest: number,
): Overview | null {
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
  return { levels: halves(scene, { canvas: first.canvas, scale }) };
}

/** Halves a bitmap step by step. Made much smaller in one step it would lose what is thin. */
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

/** Whether the bitmap has as many pixels as a screen shows at this zoom. */
export const isFine = ({ levels }: Overview, pixels: number): boolean =>
  (levels[levels.length - 1]?.scale ?? 0) >= pixels;

/** Draws the part of a scene that is in view from its bitmaps. */
export function drawOverview(
  ctx: CanvasRenderingContext2D,
  { levels }: Overview,
  scene: Size,
  camera: Camera,
  ratio: number,
): void {
  const pixels = camera.zoom * ratio;
  const enough = levels.find(({ scale }) => scale >= pixels);
  const { canvas } = (enough ?? levels[levels.length - 1]) as Level;
  const [x, y] = [-camera.x * pixels, -camera.y * pixels];
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.drawImage(canvas, x, y, scene.width * pixels, scene.height * pixels);
}
