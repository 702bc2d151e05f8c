/** Makes the pictures that a reader saves or copies from the screen. */
import { __ } from '../language';
import type { Scene } from '../layout/scene';
import { type Marks, NO_MARKS } from '../picture/appearance';
import type { Colours } from '../picture/colours';
import { drawn, type Part, type Picture, wholeOf } from '../picture/drawing';
import type { Heading } from '../picture/heading';
import type { Camera, Size } from './camera';
import type { Theme } from './theme';

/** A picture on the screen. */
export interface Shown {
  scene: Scene;
  camera: Camera;
  /** CSS px. */
  view: Size;
  theme: Theme;
  marks: Marks;
}

/** The most pixels of a CSS px: a bitmap is then sharp on a dense screen. */
const MOST_DENSITY = 2;
/** The largest canvas that all browsers make, pixels: along a side, and in all. */
const LONGEST_SIDE = 16_384;
const MOST_PIXELS = 64_000_000;

/** All of the scene at zoom 1, in its colours and without marks, except the paths from the origin of a NaN. */
export function whole({ scene, theme, marks }: Shown, heading: Heading): Picture {
  const { colours, selected, lit, near, nanPaths } = marks;
  const shown = { ...NO_MARKS, colours, ...(nanPaths ? { selected, lit, near, nanPaths } : {}) };
  return pictureOf(scene, shown, wholeOf(scene), theme, heading);
}

/** The visible part of the scene, without empty ground beside it. */
export function seen({ scene, camera, view, theme, marks }: Shown, heading: Heading): Picture {
  const { zoom } = camera;
  const x = Math.max(camera.x, 0);
  const y = Math.max(camera.y, 0);
  const width = Math.max(0, Math.min(camera.x + view.width / zoom, scene.width) - x);
  const height = Math.max(0, Math.min(camera.y + view.height / zoom, scene.height) - y);
  return pictureOf(scene, marks, { x, y, width, height, zoom }, theme, heading);
}

/** The picture as a notebook saves it, but in the colours of the screen. */
function pictureOf(scene: Scene, marks: Marks, part: Part, theme: Theme, heading: Heading) {
  const { paints, selected } = theme;
  const colours: Colours = { ...theme, paints: { ...Object.fromEntries(paints), selected } };
  return drawn({ scene, heading, marks, part, colours, dark: null, widest: Infinity });
}

/** The pixels per CSS px at which any browser makes the bitmap of a picture. */
export const densityFor = ({ width, height }: Size): number =>
  Math.min(
    MOST_DENSITY,
    LONGEST_SIDE / width,
    LONGEST_SIDE / height,
    Math.sqrt(MOST_PIXELS / (width * height)),
  );

export async function pngOf({ svg, width, height }: Picture): Promise<Blob> {
  const density = densityFor({ width, height });
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.floor(width * density));
  canvas.height = Math.max(1, Math.floor(height * density));
  const blob = await painted(canvas, svg).catch(() => null);
  if (blob) return blob;
  throw new Error(
    __(
      'This browser cannot make a bitmap of %1 × %2 pixels: save an SVG.',
      canvas.width,
      canvas.height,
    ),
  );
}

async function painted(canvas: HTMLCanvasElement, svg: string): Promise<Blob | null> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((made) => canvas.toBlob(made, 'image/png'));
}
