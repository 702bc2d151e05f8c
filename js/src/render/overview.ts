/** Keeps a whole scene as bitmaps: for one too large to be painted while it moves, and for the
 * minimap. */
import type { Scene } from '../layout/scene';
import { type Marks, NO_MARKS } from '../picture/looks';
import type { Camera, Size } from './camera';
import { paintScene } from './paint';
import { aim, brushOf, sheetOf } from './sheet';
import type { Shown } from './shown-picture';
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

/** The largest minimap, and the least length of its sides, CSS px. */
const LARGEST_MAP: Size = { width: 150, height: 110 };
const LEAST_MAP_SIDE = 12;
/** The smallest view with a minimap, CSS px; in smaller ones it would be in the way. */
const LEAST_VIEW: Size = { width: 420, height: 260 };

/** The size of a scene's minimap, CSS px. A very long scene is shown less long than it is. */
export function mapSize(scene: Size): Size {
  const scale = Math.min(LARGEST_MAP.width / scene.width, LARGEST_MAP.height / scene.height);
  const side = (length: number) => Math.max(LEAST_MAP_SIDE, Math.round(length * scale));
  return { width: side(scene.width), height: side(scene.height) };
}

/** With no more than this out of view there is no minimap, px of the scene. */
const MAP_SLACK = 1;

/** Whether a minimap is shown: there is more than what is seen, and room for it. */
export function wantsMap({ scene, camera, view }: Shown): boolean {
  if (view.width < LEAST_VIEW.width || view.height < LEAST_VIEW.height) return false;
  if (scene.boxes.length === 0) return false;
  const right = camera.x + view.width / camera.zoom;
  const bottom = camera.y + view.height / camera.zoom;
  const beyond = Math.max(camera.x, camera.y, scene.width - right, scene.height - bottom);
  return beyond > MAP_SLACK;
}

/** Draws the minimap: the whole scene, small, and the part of it that is in view. */
export function drawMap(
  canvas: HTMLCanvasElement,
  { scene, camera, view, theme }: Shown,
  bitmap: Overview | null,
  ratio: number,
): void {
  const ctx = canvas.getContext('2d');
  if (!ctx) return;
  const size = mapSize(scene);
  const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  ctx.fillStyle = theme.ground;
  ctx.fillRect(0, 0, width, height);
  if (bitmap) {
    const { levels } = bitmap;
    const enough = levels.find((level) => level.canvas.width >= width);
    const { canvas: whole } = (enough ?? levels[levels.length - 1]) as {
      canvas: HTMLCanvasElement;
    };
    ctx.drawImage(whole, 0, 0, width, height);
  }
  const line = 1.5 * ratio;
  const across = (x: number) => clamp((x / scene.width) * width, line, width - line);
  const down = (y: number) => clamp((y / scene.height) * height, line, height - line);
  const [left, top] = [across(camera.x), down(camera.y)];
  const right = across(camera.x + view.width / camera.zoom);
  const bottom = down(camera.y + view.height / camera.zoom);
  ctx.strokeStyle = theme.selected.line;
  ctx.lineWidth = line;
  ctx.strokeRect(left, top, Math.max(line, right - left), Math.max(line, bottom - top));
}

const clamp = (value: number, least: number, most: number) =>
  Math.max(least, Math.min(most, value));
