import { __ } from '../language';
import type { Scene } from '../layout/scene';
import type { Camera, Size } from './camera';
import { SvgInk } from './export-svg';
import { type Marks, NO_MARKS, paint } from './paint';
import type { Theme } from './theme';

/** A picture as it is on the screen. */
export interface Shown {
  scene: Scene;
  camera: Camera;
  /** CSS px. */
  view: Size;
  theme: Theme;
  marks: Marks;
}

/** Pixels of a CSS px, so that a bitmap is crisp on a dense screen. */
const DENSE = 2;
/** What all browsers make of a canvas: pixels along a side, and in all. */
const LONGEST = 16_384;
const MOST_PIXELS = 64_000_000;

/** All of the scene at zoom 1, nothing marked but by its colours. */
export const whole = ({ scene, theme, marks }: Shown): Shown => ({
  scene,
  theme,
  camera: { x: 0, y: 0, zoom: 1 },
  view: { width: scene.width, height: scene.height },
  marks: { ...NO_MARKS, colours: marks.colours },
});

/** What is seen of the scene, without the empty ground beside it. */
export function seen(shown: Shown): Shown {
  const { scene, camera, view } = shown;
  const { zoom } = camera;
  const x = Math.max(camera.x, 0);
  const y = Math.max(camera.y, 0);
  const right = Math.min(camera.x + view.width / zoom, scene.width);
  const bottom = Math.min(camera.y + view.height / zoom, scene.height);
  const size = { width: Math.ceil((right - x) * zoom), height: Math.ceil((bottom - y) * zoom) };
  return { ...shown, camera: { x, y, zoom }, view: size };
}

/** The picture as an SVG whose text is text. */
export function svgOf({ scene, camera, view, theme, marks }: Shown, title: string, about: string) {
  const ink = new SvgInk(theme.font);
  paint(ink as unknown as CanvasRenderingContext2D, scene, camera, view, 1, theme, marks);
  return ink.finished(view.width, view.height, title, about);
}

/** The pixels of a CSS px at which a picture of this size is a bitmap that any browser makes. */
export const densityFor = ({ width, height }: Size): number =>
  Math.min(DENSE, LONGEST / width, LONGEST / height, Math.sqrt(MOST_PIXELS / (width * height)));

/** The picture as a bitmap, in the colours of the screen. */
export async function pngOf({ scene, camera, view, theme, marks }: Shown): Promise<Blob> {
  const density = densityFor(view);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.floor(view.width * density));
  canvas.height = Math.max(1, Math.floor(view.height * density));
  const ctx = canvas.getContext('2d');
  if (ctx) paint(ctx, scene, camera, view, density, theme, marks);
  const blob = await new Promise<Blob | null>((made) => canvas.toBlob(made, 'image/png'));
  if (!ctx || !blob) {
    throw new Error(
      __(
        'This browser makes no bitmap of %1 × %2 pixels: save an SVG.',
        canvas.width,
        canvas.height,
      ),
    );
  }
  return blob;
}
