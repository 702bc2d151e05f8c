/** The picture on a canvas: what it shows, where its camera is, and when it is drawn. */
import type { Id } from '../facts/ids';
import { EMPTY, type Scene } from '../layout/scene';
import { type Marks, NO_MARKS } from '../picture/looks';
import {
  type Camera,
  filled,
  first,
  follow,
  hold,
  pan,
  reveal,
  type Size,
  toScene,
  whole,
  zoomAbout,
} from './camera';
import { fitCanvas, pixelsOf } from './css-zoom';
import { drawOverview, isFine, type Overview, overviewOf } from './overview';
import { loadOf, paint, paintMarked } from './paint';
import { type Anchor, anchorNear, landed, type Motion, motion, sceneAt } from './scene-change';
import type { Title } from './scene-columns';
import { type Hit, hit } from './scene-columns';
import { aim, brushOf, OUTLINES_ZOOM, sheetOf, TYPES_ZOOM } from './sheet';
import type { Shown } from './shown-picture';
import { type Theme, themeOf } from './theme';

/** With more boxes and edges in view than this, a bitmap is shown while they move. */
const HEAVY = 4000;
/** The camera rests once it has not moved for this long, ms: then the view is painted in full detail,
 * and the bitmap of the whole is made if there is none. */
const REST = 140;

/** How many closed boxes are taken as the beginning of a program. */
const BEGINNING = 9;

/** A scene on a canvas: what is seen of it, drawn anew only when something changed. */
export class Picture {
  camera: Camera = { x: 0, y: 0, zoom: 1 };
  scene: Scene = EMPTY;
  view: Size = { width: 0, height: 0 };
  private begin = -1;
  private marks: Marks = NO_MARKS;
  /** Null until it is read, when the picture is first drawn. */
  private read: Theme | null = null;
  private frame = 0;
  private moving: Motion | null = null;
  /** Whether the reader has moved the camera, or something was opened: then it stays as it is. */
  private touched = false;
  /** Whether something was selected in it: then only another width moves it. */
  private held = false;
  private pointer = { x: 0, y: 0 };
  private titles: readonly Title[] = [];
  /** Whether the camera moved within the last `REST`. */
  private lively = false;
  private rest: ReturnType<typeof setTimeout> | undefined;
  /** Whether nothing may move, whatever the system says. */
  still = false;
  private bitmap: { of: Shown; overview: Overview | null } | null = null;

  /** `drawn` is called after each frame. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly drawn: (shown: Shown) => void = () => {},
  ) {}

  /** Shows another scene of the same program, in which these ids were opened or closed, so that the
   * nearest of them to the pointer stays where it is; or null for another program. Of that a box is
   * to be in view at first, unless `begin` is -1. */
  show(scene: Scene, changed: readonly Id[] | null, begin = -1): void {
    const before = this.scene;
    this.scene = scene;
    this.begin = begin;
    this.moving = null;
    this.titles = [];
    const anchor = changed && this.anchorIn(before, scene, changed);
    if (anchor) {
      const { from, to } = anchor;
      this.touched = true;
      const kept = follow(this.camera, from, to);
      this.camera = landed(this.camera, anchor, scene, this.view);
      const still = this.still || matchMedia('(prefers-reduced-motion: reduce)').matches;
      if (!still && this.camera.zoom === kept.zoom && !this.isHeavy()) {
        const [x, y] = [this.camera.x - kept.x, this.camera.y - kept.y];
        this.moving = motion(before, scene, { x: to.x - from.x + x, y: to.y - from.y + y });
      }
    } else {
      this.touched = false;
      this.held = false;
      this.first();
    }
    this.draw();
  }

  private anchorIn(before: Scene, after: Scene, changed: readonly Id[]): Anchor | null {
    const { width, height } = this.view;
    const pointed = toScene(this.camera, this.pointer.x, this.pointer.y);
    const own = anchorNear(before, after, changed, pointed);
    if (own || !this.touched) return own;
    return anchorNear(
      before,
      after,
      before.index.keys(),
      toScene(this.camera, width / 2, height / 2),
    );
  }

  mark(marks: Marks): void {
    this.marks = marks;
    this.draw();
  }

  resize(width: number, height: number): void {
    const wider = width - this.view.width;
    const isOther = wider !== 0 || height !== this.view.height;
    const steady = this.touched || (this.held && wider === 0);
    const selected = this.scene.boxes[this.sought()];
    const seen = selected && this.camera === reveal(this.camera, this.scene, this.view, selected);
    this.view = { width, height };
    if (steady) this.camera = filled(pan(this.camera, wider / 2, 0), this.scene, this.view);
    else this.first();
    if (selected && (seen || !steady))
      this.camera = reveal(this.camera, this.scene, this.view, selected);
    this.draw();
    // Until it is drawn the canvas would be stretched to its new size.
    if (isOther && this.scene !== EMPTY) this.drawNow(performance.now());
  }

  /** The selected box, or where that is elsewhere, the first that it is linked to. */
  private sought(): number {
    const { selected, linked } = this.marks;
    const [first = -1] = linked;
    return selected < 0 ? first : selected;
  }

  readTheme(): void {
    this.read = null;
    this.draw();
  }

  private get theme(): Theme {
    this.read ??= themeOf(this.canvas);
    return this.read;
  }

  /** Shows all of the scene, or as much as can be read: its beginning, or what is selected. */
  fit(): void {
    const selected = this.scene.boxes[this.sought()];
    const begin = this.beginning();
    this.look(selected ? reveal(begin, this.scene, this.view, selected) : begin);
  }

  /** Makes the picture larger, or smaller until all of it is in view. */
  zoom(factor: number, x = this.view.width / 2, y = this.view.height / 2): void {
    this.look(zoomAbout(this.camera, factor, x, y, whole(this.scene, this.view)));
  }

  pan(dx: number, dy: number): void {
    this.look(pan(this.camera, dx, dy));
  }

  /** Brings a point of the scene to the middle. */
  centre(x: number, y: number): void {
    const { zoom } = this.camera;
    const { width, height } = this.view;
    this.look({ x: x - width / zoom / 2, y: y - height / zoom / 2, zoom });
  }

  /** Moves the camera only where the box is not in view, or where not all of it is. */
  reveal(box: number, whole = false): void {
    const rect = this.scene.boxes[box];
    if (!rect || this.view.width === 0 || this.view.height === 0) return;
    this.held = true;
    this.camera = whole
      ? reveal(this.camera, this.scene, this.view, rect, Infinity)
      : reveal(this.camera, this.scene, this.view, rect);
    this.draw();
  }

  /** What is at (x, y), CSS px, where the pointer is now. */
  at(x: number, y: number): Hit | null {
    this.pointer = { x, y };
    const point = toScene(this.camera, x, y);
    const found = hit(this.scene, point.x, point.y, this.camera.x, this.titles);
    return found && { ...found, fold: found.fold && this.camera.zoom >= TYPES_ZOOM };
  }

  /** What is on the screen, for an export. */
  shown(): Shown {
    const { scene, camera, view, theme, marks } = this;
    return { scene, camera, view, theme, marks };
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.rest);
  }

  private look(camera: Camera): void {
    if (this.view.width === 0 || this.view.height === 0) return;
    this.touched = true;
    this.lively = true;
    this.camera = hold(camera, this.scene, this.view);
    this.draw();
  }

  private first(): void {
    const box = this.scene.boxes[this.begin];
    if (this.view.width === 0 || this.view.height === 0) return;
    this.camera = this.beginning();
    if (box) this.camera = reveal(this.camera, this.scene, this.view, box);
  }

  private beginning(): Camera {
    const begin = this.scene.boxes.filter(({ open }) => !open).slice(0, BEGINNING);
    const middles = begin.map(({ x, w }) => x + w / 2).sort((a, b) => a - b);
    return first(this.scene, this.view, middles[begin.length >> 1] ?? 0);
  }

  private draw(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame((now) => this.drawNow(now));
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.settle(), REST);
  }

  /** The camera rests: the bitmap is made where there is none, and what is seen painted as fine as
   * can be. */
  private settle(): void {
    const had = this.overview(false);
    const has = this.overview(true);
    if (!this.lively && had === has) return;
    this.lively = false;
    if (this.frame === 0) this.frame = requestAnimationFrame((now) => this.drawNow(now));
  }

  private drawNow(now: number): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const { width, height } = this.view;
    const ctx = this.canvas.getContext('2d', { alpha: false });
    if (!ctx || width <= 0 || height <= 0) return;
    const ratio = fitCanvas(this.canvas, width, height);
    const scene = (this.moving && sceneAt(this.moving, now)) ?? this.scene;
    if (scene === this.scene) this.moving = null;
    this.titles =
      this.drawBitmap(ctx, ratio) ??
      paint(ctx, scene, this.camera, this.view, ratio, this.theme, this.marks);
    this.drawn(this.shown());
    if (this.moving) this.draw();
  }

  /** Draws the scene from its bitmap, where it is heavy and moves or the bitmap is fine enough: else null. */
  private drawBitmap(ctx: CanvasRenderingContext2D, ratio: number): readonly Title[] | null {
    if (!this.isHeavy()) return null;
    const bitmap = this.overview(this.lively);
    if (!bitmap || !(this.lively || isFine(bitmap, this.camera.zoom * ratio))) return null;
    const { scene, camera, view, theme, marks } = this;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.fillStyle = theme.ground;
    ctx.fillRect(0, 0, view.width * ratio, view.height * ratio);
    drawOverview(ctx, bitmap, scene, camera, ratio);
    aim(ctx, camera, ratio);
    return paintMarked(brushOf(ctx, camera, view, theme), sheetOf(scene, theme, marks));
  }

  private isHeavy(): boolean {
    const { scene, camera, view } = this;
    if (scene.boxes.length + scene.edges.length < HEAVY || camera.zoom >= OUTLINES_ZOOM)
      return false;
    return loadOf(scene, camera, view) > HEAVY;
  }

  /** The bitmap of what is shown; where there is none, a new one if it is to be made. */
  private overview(make: boolean): Overview | null {
    const shown = this.shown();
    if (this.bitmap && isSame(this.bitmap.of, shown)) return this.bitmap.overview;
    const { scene, theme, marks } = this;
    if (!make || scene.boxes.length + scene.edges.length <= HEAVY) return null;
    const scale = OUTLINES_ZOOM * pixelsOf(this.canvas);
    this.bitmap = { of: shown, overview: overviewOf(scene, theme, marks, scale) };
    return this.bitmap.overview;
  }
}

/** Whether two pictures have the same bitmap. */
function isSame(one: Shown, other: Shown): boolean {
  const [a, b] = [one.marks, other.marks];
  return (
    one.scene === other.scene &&
    one.theme === other.theme &&
    a.colours === b.colours &&
    a.near === b.near &&
    a.only === b.only
  );
}
