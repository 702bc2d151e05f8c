/** Paints the visible part of a scene from back to front, and the shapes of a timeline. */
import { SMALL } from '../layout/measure';
import type { Edge, Scene } from '../layout/scene';
import { isPale, type Marks } from '../picture/appearance';
import { straight } from '../picture/pen';
import { type Drawn, inksOf, type Shape } from '../picture/shapes';
import type { Camera, Size } from './camera';
import { paintBlocks, paintTitles } from './paint-far';
import {
  paintBadge,
  paintBox,
  paintLabels,
  paintLink,
  paintLit,
  paintMentions,
  paintQuiet,
  paintRing,
  paintType,
} from './paint-near';
import { boxesIn, columnsOf, each, edgesIn, Indices, isEdgeIn, type Title } from './scene-columns';
import {
  aim,
  type Brush,
  boundsOf,
  brushOf,
  OUTLINES_ZOOM,
  paleOf,
  type Sheet,
  sheetOf,
  TYPES_ZOOM,
} from './sheet';
import { paintNamed, type Theme } from './theme';

/** Memory for the boxes and edges in view, reused for each frame. */
const boxes = new Indices();
const edges = new Indices();

/** Paints the whole view. Returns the positions of the titles of an overview. */
export function paint(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  camera: Camera,
  view: Size,
  ratio: number,
  theme: Theme,
  marks: Marks,
): readonly Title[] {
  const brush = brushOf(ctx, camera, view, theme);
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.fillStyle = theme.ground;
  ctx.fillRect(0, 0, view.width * ratio, view.height * ratio);
  aim(ctx, camera, ratio);
  const sheet = sheetOf(scene, theme, marks);
  paintScene(brush, sheet);
  return camera.zoom < TYPES_ZOOM ? paintTitles(brush, sheet, boxes) : [];
}

/** Paints the boxes and edges in view, without the titles of an overview. */
export function paintScene(brush: Brush, sheet: Sheet): void {
  const { scene, columns, marks } = sheet;
  boxesIn(columns, brush, boxes);
  if (brush.zoom < OUTLINES_ZOOM) {
    paintBlocks(brush, sheet, boxes, () => paintEdges(brush, sheet));
    each(boxes, (index) => paintBadge(brush, sheet, index));
    for (const index of marks.linked) paintLink(brush, sheet, index);
    return;
  }
  each(boxes, (index) => columns.open[index] === 1 && paintBox(brush, sheet, index));
  paintEdges(brush, sheet);
  each(boxes, (index) => columns.open[index] === 0 && paintBox(brush, sheet, index));
  each(boxes, (index) => paintBadge(brush, sheet, index));
  for (const index of marks.linked) paintLink(brush, sheet, index);
  if (brush.zoom < TYPES_ZOOM) return;
  each(boxes, (index) => paintType(isPale(marks, index) ? paleOf(brush) : brush, sheet, index));
  paintMentions(brush, scene.mentions);
  paintLabels(brush, columns.labelled);
}

/** The number of boxes and edges in view. */
export function loadOf(scene: Scene, camera: Camera, view: Size): number {
  const columns = columnsOf(scene);
  const bounds = boundsOf(camera, view);
  boxesIn(columns, bounds, boxes);
  edgesIn(columns, bounds, edges);
  return boxes.length + edges.length;
}

/** Paints marks and titles over a bitmap of the scene. Returns the positions of the titles. */
export function paintMarked(brush: Brush, sheet: Sheet): readonly Title[] {
  const { columns, marks } = sheet;
  paintLit(brush, litIn(brush, sheet));
  boxesIn(columns, brush, boxes);
  const marked = new Set([marks.hovered, marks.selected, ...marks.matches]);
  for (const index of marked) if (index >= 0) paintRing(brush, sheet, index);
  for (const index of marks.linked) paintLink(brush, sheet, index);
  return paintTitles(brush, sheet, boxes);
}

/** Paints the edges in view: first those of faint boxes, then the others, then those that are lit. Cut edges are
 * painted only if they are lit; otherwise their names replace them. */
function paintEdges(brush: Brush, sheet: Sheet): void {
  const { scene, columns, marks } = sheet;
  const pale: Edge[] = [];
  const quiet: Edge[] = [];
  edgesIn(columns, brush, edges);
  each(edges, (index) => {
    const edge = scene.edges[index] as Edge;
    if (edge.cut || marks.lit.has(index)) return;
    const isFaint = isPale(marks, edge.source) || isPale(marks, edge.target);
    (isFaint ? pale : quiet).push(edge);
  });
  paintQuiet(paleOf(brush), pale);
  paintQuiet(brush, quiet);
  paintLit(brush, litIn(brush, sheet));
}

/** The lit edges in view. */
const litIn = (brush: Brush, { scene, columns, marks }: Sheet): Edge[] =>
  [...marks.lit]
    .filter((index) => isEdgeIn(columns, brush, index))
    .map((index) => scene.edges[index] as Edge);

/** Paints shapes in the colours of the page. */
export function paintShapes(
  ctx: CanvasRenderingContext2D,
  shapes: readonly Shape[],
  theme: Theme,
): void {
  const inks = inksOf(theme, (name) =>
    name === 'selected' ? theme.selected : paintNamed(theme, name),
  );
  ctx.font = `${SMALL}px ${theme.font}`;
  for (const shape of shapes) {
    ctx.globalAlpha = shape.alpha;
    ctx.fillStyle = inks[shape.ink];
    ctx.strokeStyle = inks[shape.ink];
    if ('text' in shape) ctx.fillText(shape.text, shape.x, shape.y);
    else paintLines(ctx, shape);
  }
  ctx.globalAlpha = 1;
}

function paintLines(ctx: CanvasRenderingContext2D, { lines, pen }: Drawn): void {
  ctx.beginPath();
  straight(ctx, lines);
  if (pen === null) {
    ctx.fill();
  } else {
    ctx.lineWidth = pen;
    ctx.stroke();
  }
}
