/** Turns a frame upside down. In the picture of a training step data flows down in the forward pass
 * and up in the backward pass. */
import type { Frame } from './frame';
import { SMALL } from './measure';

/** The direction of an edge, by what it was before its frame was turned over. */
const FLIPPED_WAY = { down: 'up', up: 'down', right: 'right', left: 'left' } as const;

/** The frame upside down, but for its title, which stays on top. */
export function flipped(frame: Frame): Frame {
  const sum = frame.title + frame.h;
  const turned = (points: readonly number[]) =>
    points.map((value, at) => (at % 2 === 0 ? value : sum - value));
  const over = <T extends { y: number; h: number }>(one: T): T => ({
    ...one,
    y: sum - one.y - one.h,
  });
  return {
    ...frame,
    up: !frame.up,
    cells: frame.cells.map((cell) => ({ ...over(cell), typeY: sum - cell.typeY - SMALL })),
    routes: frame.routes.map((route) => ({ ...route, points: turned(route.points) })),
    mentions: frame.mentions.map((one) => ({ ...over(one), points: turned(one.points) })),
    links: frame.links.map((link) => ({
      ...link,
      points: turned(link.points),
      way: FLIPPED_WAY[link.way],
      labelY: sum - link.labelY,
      mention: link.mention && over(link.mention),
    })),
  };
}
