import type { Size } from './camera';
import type { Shown } from './export';
import type { Overview } from './overview';

/** CSS px: at most, and along each side at least. */
const MOST: Size = { width: 150, height: 110 };
const LEAST = 12;
/** In smaller views it would be in the way. */
const LEAST_VIEW: Size = { width: 420, height: 260 };

/** The size of a scene's minimap, CSS px. A very long scene is shown less long than it is. */
export function mapSize(scene: Size): Size {
  const scale = Math.min(MOST.width / scene.width, MOST.height / scene.height);
  const side = (length: number) => Math.max(LEAST, Math.round(length * scale));
  return { width: side(scene.width), height: side(scene.height) };
}

/** So little beyond what is seen is no reason for a map, px of the scene. */
const SLACK = 1;

/** Whether there is more than what is seen, and room to show it. */
export function wantsMap({ scene, camera, view }: Shown): boolean {
  if (view.width < LEAST_VIEW.width || view.height < LEAST_VIEW.height) return false;
  if (scene.boxes.length === 0) return false;
  const right = camera.x + view.width / camera.zoom;
  const bottom = camera.y + view.height / camera.zoom;
  const beyond = Math.max(camera.x, camera.y, scene.width - right, scene.height - bottom);
  return beyond > SLACK;
}

/** The whole scene, small, and the part of it that is in view. */
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
