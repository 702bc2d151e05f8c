/** Paints the shapes of a timeline on a canvas. */
import { SMALL } from '../layout/measure';
import { straight } from '../picture/pen';
import { type Drawn, inksOf, type Shape } from '../picture/shapes';
import { paintNamed, type Theme } from './theme';

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
