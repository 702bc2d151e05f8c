/** The picture on a canvas: the scene that it shows, its camera, and when it is drawn. */
import type { Id } from '../facts/ids';
import { EMPTY, type Scene } from '../layout/scene';
import { type Marks, NO_MARKS } from '../picture/appearance';
import {
  type Anchor,
  anchorNear,
  type Camera,
  filled,
  first,
  follow,
  hold,
  landed,
  pan,
  reveal,
  type Size,
  toScene,
  whole,
  zoomAbout,
} from './camera';
import { fitCanvas, pixelsOf } from './css-zoom';
import { isHeavy, Overview } from './overview';
import { paint } from './paint';
import { type Hit, hit, type Motion, motion, sceneAt, type Title } from './scene-columns';
import { TYPES_ZOOM } from './sheet';
import type { Shown } from './shown-picture';
import { type Theme, themeOf } from './theme';

/** The camera rests once it has not moved for this long, ms. Then the view is painted in full detail, and the bitmaps
 * are made if there are none. */
const REST = 140;

/** The most items that open or close together by a click: a group and its counterparts. */
const MOST_TOGETHER = 4;

/** The number of closed boxes that count as the beginning of a program. */
const BEGINNING = 9;

/** A scene on a canvas. It is drawn again only when something changed. */
export class Picture {
  camera: Camera = { x: 0, y: 0, zoom: 1 };
  scene: Scene = EMPTY;
  view: Size = { width: 0, height: 0 };
  private begin = -1;
  private marks: Marks = NO_MARKS;
  /** Null until the picture is first drawn. */
  private cachedTheme: Theme | null = null;
  private frame = 0;
  private moving: Motion | null = null;
  /** True once the reader has moved the camera or opened something: then it stays where it is. */
  private touched = false;
  /** True once something was selected: then only another width moves the camera. */
  private hasSelected = false;
  private pointer = { x: 0, y: 0 };
  private titles: readonly Title[] = [];
  /** True if the camera moved within the last `REST`. */
  private movedRecently = false;
  private rest: ReturnType<typeof setTimeout> | undefined;
  /** True if nothing may move, whatever the system's setting. */
  still = false;
  private readonly overview = new Overview();

  /** `drawn` is called after each frame. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly drawn: (shown: Shown) => void = () => {},
  ) {}

  /** Shows another scene. If it is of the same program, `changed` lists the ids that were opened or
   * closed, and one box stays where it is. For another program it is null: then box `begin` comes into
   * view, unless that is -1. */
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
      const followed = follow(this.camera, from, to);
      this.camera = landed(this.camera, anchor, scene, this.view);
      const still = this.still || matchMedia('(prefers-reduced-motion: reduce)').matches;
      if (!still && this.camera.zoom === followed.zoom && !isHeavy(this)) {
        const [x, y] = [this.camera.x - followed.x, this.camera.y - followed.y];
        this.moving = motion(before, scene, { x: to.x - from.x + x, y: to.y - from.y + y });
      }
    } else {
      this.touched = false;
      this.hasSelected = false;
      this.first();
    }
    this.draw();
  }

  /** The box that stays in place: of the changed ones that nearest to the pointer. If many changed, by a
   * command, it is the selected box, else the one in the middle. */
  private anchorIn(before: Scene, after: Scene, changed: readonly Id[]): Anchor | null {
    const { width, height } = this.view;
    const middle = toScene(this.camera, width / 2, height / 2);
    if (changed.length > MOST_TOGETHER) {
      const selected = before.boxes[this.marks.selected];
      const own = selected ? anchorNear(before, after, [selected.item.id], middle) : null;
      return own ?? anchorNear(before, after, before.index.keys(), middle);
    }
    const pointed = toScene(this.camera, this.pointer.x, this.pointer.y);
    const own = anchorNear(before, after, changed, pointed);
    return own || !this.touched ? own : anchorNear(before, after, before.index.keys(), middle);
  }

  mark(marks: Marks): void {
    this.marks = marks;
    this.draw();
  }

  resize(width: number, height: number): void {
    const wider = width - this.view.width;
    const isOther = wider !== 0 || height !== this.view.height;
    const steady = this.touched || (this.hasSelected && wider === 0);
    const selected = this.scene.boxes[this.focusBox()];
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

  /** The selected box, or the first linked box if the selection is elsewhere. */
  private focusBox(): number {
    const { selected, linked } = this.marks;
    const [first = -1] = linked;
    return selected < 0 ? first : selected;
  }

  readTheme(): void {
    this.cachedTheme = null;
    this.draw();
  }

  private get theme(): Theme {
    this.cachedTheme ??= themeOf(this.canvas);
    return this.cachedTheme;
  }

  /** Shows all of the scene; if that cannot be read, its beginning or the selected box. */
  fit(): void {
    const selected = this.scene.boxes[this.focusBox()];
    const begin = this.beginning();
    this.moveTo(selected ? reveal(begin, this.scene, this.view, selected) : begin);
  }

  /** Makes the picture larger, or smaller until all of it is in view. */
  zoom(factor: number, x = this.view.width / 2, y = this.view.height / 2): void {
    this.moveTo(zoomAbout(this.camera, factor, x, y, whole(this.scene, this.view)));
  }

  pan(dx: number, dy: number): void {
    this.moveTo(pan(this.camera, dx, dy));
  }

  /** Brings a point of the scene to the middle. */
  centre(x: number, y: number): void {
    const { zoom } = this.camera;
    const { width, height } = this.view;
    this.moveTo({ x: x - width / zoom / 2, y: y - height / zoom / 2, zoom });
  }

  /** Moves the camera only if the box is out of view, or with `whole` if any part of it is. */
  reveal(box: number, whole = false): void {
    const rect = this.scene.boxes[box];
    if (!rect || this.view.width === 0 || this.view.height === 0) return;
    this.hasSelected = true;
    this.camera = whole
      ? reveal(this.camera, this.scene, this.view, rect, Infinity)
      : reveal(this.camera, this.scene, this.view, rect);
    this.draw();
  }

  /** The box at (x, y), CSS px, where the pointer is now. */
  at(x: number, y: number): Hit | null {
    this.pointer = { x, y };
    const point = toScene(this.camera, x, y);
    const found = hit(this.scene, point.x, point.y, this.camera.x, this.titles);
    return found && { ...found, fold: found.fold && this.camera.zoom >= TYPES_ZOOM };
  }

  /** The picture on the screen, for an export. */
  shown(): Shown {
    const { scene, camera, view, theme, marks } = this;
    return { scene, camera, view, theme, marks };
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.rest);
  }

  private moveTo(camera: Camera): void {
    if (this.view.width === 0 || this.view.height === 0) return;
    this.touched = true;
    this.movedRecently = true;
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

  /** Called when the camera rests: makes the bitmaps if there are none, and paints the view in full detail. */
  private settle(): void {
    const isNew = this.overview.make(this.shown(), pixelsOf(this.canvas));
    if (!this.movedRecently && !isNew) return;
    this.movedRecently = false;
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
    const shown = this.shown();
    const heavy = isHeavy(shown);
    if (heavy && this.movedRecently) this.overview.make(shown, ratio);
    this.titles =
      (heavy && this.overview.draw(ctx, shown, ratio, this.movedRecently)) ||
      paint(ctx, scene, this.camera, this.view, ratio, this.theme, this.marks);
    this.drawn(shown);
    if (this.moving) this.draw();
  }
}
