/** Lists the boxes that a first view leaves closed although there is room for them. */
import { type Id, ROOT } from '../js/src/facts/ids';
import { FLOOR, LEAST_GAP, SQUEEZES, shapeOf, type View } from '../js/src/layout/measure';
import { sizeOfScene } from '../js/src/layout/scene';
import type { Stage } from '../js/src/schema';
import { canOpen, regionOf, workIn } from '../js/src/state/open-items';
import { worthInProgram } from '../js/src/state/worth-opening';

/** The labels of the closed boxes that are worth opening, if the drawing with this one box open too
 * still fits into the room at 85 %. */
export function couldOpen(stage: Stage, open: ReadonlySet<Id>, room: View): string[] {
  const isWorth = worthInProgram(stage);
  const within = (id: Id, level: number): string[] => {
    const region = regionOf(stage, id);
    const alone = workIn(region).length === 1;
    return region.items.filter(canOpen).flatMap((item) => {
      if (open.has(item.id)) return within(item.id, level + 1);
      const candidate = { item, region, level, alone };
      const more = new Set([...open, item.id]);
      return isWorth(candidate, open) && fits(stage, more, room) ? [item.label] : [];
    });
  };
  return within(ROOT, 0);
}

const fits = (stage: Stage, open: ReadonlySet<Id>, room: View): boolean =>
  [true, false].some((beside) =>
    SQUEEZES.some((squeeze) => {
      const shape = shapeOf(room.width, room.height, beside, LEAST_GAP, squeeze);
      const { width, height } = sizeOfScene(stage, open, shape);
      return width <= room.width / FLOOR && height <= room.height / FLOOR;
    }),
  );
