import { SMALL } from '../layout/measure';
import { type Drawn, inksOf, type Shape } from '../picture/shapes';
import { paintNamed, type Theme } from './theme';

/** Paints shapes of the timeline in the colours of the page. */
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
  for (const line of lines) {
    ctx.moveTo(line[0]!, line[1]!);
    for (let at = 2; at < line.length; at += 2) ctx.lineTo(line[at]!, line[at + 1]!);
    if (line.length > 4) ctx.closePath();
  }
  if (pen === null) {
    ctx.fill();
  } else {
    ctx.lineWidth = pen;
    ctx.stroke();
  }
}
