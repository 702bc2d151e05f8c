import type { Scene } from '../layout/scene';
import { between } from '../layout/trace';
import {
  type Camera,
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
import type { Shown } from './export';
import { type Hit, hit } from './hit';
import { type Marks, NO_MARKS, paint } from './paint';
import { type Theme, themeOf } from './theme';

/** How long boxes move when one is opened, ms. */
const MOTION = 150;
/** Larger pictures change at once. */
const MOST_MOVING = 2000;

const EMPTY: Scene = {
  width: 0,
  height: 0,
  boxes: [],
  edges: [],
  mentions: [],
  index: new Map(),
};

/** A scene on a canvas: what is seen of it, drawn anew only when something changed. */
export class Picture {
  camera: Camera = { x: 0, y: 0, zoom: 1 };
  scene: Scene = EMPTY;
  view: Size = { width: 0, height: 0 };
  private marks: Marks = NO_MARKS;
  private theme: Theme;
  private frame = 0;
  private moving: { from: Scene; since: number | null } | null = null;
  /** Whether the reader has moved the camera, or something was opened: then it stays as it is. */
  private touched = false;
  /** Whether something was selected in it: then only another width moves it. */
  private held = false;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.theme = themeOf(canvas);
  }

  /** Shows another scene. The box with the id `anchor` stays where it is on the screen. */
  show(scene: Scene, anchor: string | null): void {
    const before = this.scene;
    this.scene = scene;
    const from = before.boxes[before.index.get(anchor ?? '') ?? -1];
    const to = scene.boxes[scene.index.get(anchor ?? '') ?? -1];
    if (from && to) {
      this.touched = true;
      this.camera = follow(this.camera, from, to);
      this.move(before, { x: to.x - from.x, y: to.y - from.y });
    } else {
      this.touched = false;
      this.held = false;
      this.first();
    }
    this.draw();
  }

  mark(marks: Marks): void {
    this.marks = marks;
    this.draw();
  }

  resize(width: number, height: number): void {
    const wider = width - this.view.width;
    const steady = this.touched || (this.held && wider === 0);
    const selected = this.scene.boxes[this.marks.selected];
    const seen = selected && this.camera === reveal(this.camera, this.scene, this.view, selected);
    this.view = { width, height };
    if (steady) this.camera = pan(this.camera, wider / 2, 0);
    else this.first();
    if (selected && (seen || !steady))
      this.camera = reveal(this.camera, this.scene, this.view, selected);
    this.draw();
  }

  readTheme(): void {
    this.theme = themeOf(this.canvas);
    this.draw();
  }

  fit(): void {
    this.look(whole(this.scene, this.view));
  }

  zoom(factor: number, x = this.view.width / 2, y = this.view.height / 2): void {
    this.look(zoomAbout(this.camera, factor, x, y));
  }

  pan(dx: number, dy: number): void {
    this.look(pan(this.camera, dx, dy));
  }

  /** Moves the camera only where the box is not in view. */
  reveal(box: number): void {
    const rect = this.scene.boxes[box];
    if (!rect || this.view.width === 0 || this.view.height === 0) return;
    this.held = true;
    this.camera = reveal(this.camera, this.scene, this.view, rect);
    this.draw();
  }

  /** What is at (x, y), CSS px. */
  at(x: number, y: number): Hit | null {
    const point = toScene(this.camera, x, y);
    return hit(this.scene, point.x, point.y, this.camera.x);
  }

  /** What is on the screen, for an export. */
  shown(): Shown {
    const { scene, camera, view, theme, marks } = this;
    return { scene, camera, view, theme, marks };
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
  }

  private look(camera: Camera): void {
    if (this.view.width === 0 || this.view.height === 0) return;
    this.touched = true;
    this.camera = hold(camera, this.scene, this.view);
    this.draw();
  }

  private first(): void {
    if (this.view.width === 0 || this.view.height === 0) return;
    const top = this.scene.boxes.filter((box) => !box.open && box.y < this.view.height);
    const middles = top.map((box) => box.x + box.w / 2).sort((a, b) => a - b);
    this.camera = first(this.scene, this.view, middles[middles.length >> 1] ?? 0);
  }

  private move(before: Scene, by: { x: number; y: number }): void {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (still || Math.max(before.boxes.length, this.scene.boxes.length) > MOST_MOVING) return;
    const boxes = before.boxes.map((box) => ({ ...box, x: box.x + by.x, y: box.y + by.y }));
    this.moving = { from: { ...before, boxes }, since: null };
  }

  private draw(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame((now) => this.drawNow(now));
  }

  private drawNow(now: number): void {
    this.frame = 0;
    const { width, height } = this.view;
    const ctx = this.canvas.getContext('2d');
    if (!ctx || width <= 0 || height <= 0) return;
    const ratio = devicePixelRatio;
    const pixels = { width: Math.round(width * ratio), height: Math.round(height * ratio) };
    if (this.canvas.width !== pixels.width) this.canvas.width = pixels.width;
    if (this.canvas.height !== pixels.height) this.canvas.height = pixels.height;
    const scene = this.sceneAt(now);
    paint(ctx, scene, this.camera, this.view, ratio, this.theme, this.marksOn(scene));
    if (this.moving) this.draw();
  }

  /** While boxes move they have other indices, and only the selection is marked. */
  private marksOn(scene: Scene): Marks {
    if (scene === this.scene) return this.marks;
    const id = this.scene.boxes[this.marks.selected]?.item.id ?? '';
    return { ...NO_MARKS, selected: scene.index.get(id) ?? -1 };
  }

  private sceneAt(now: number): Scene {
    if (!this.moving) return this.scene;
    this.moving.since ??= now;
    const part = Math.min(1, (now - this.moving.since) / MOTION);
    if (part === 1) {
      this.moving = null;
      return this.scene;
    }
    return between(this.moving.from, this.scene, part * (2 - part));
  }
}
