/** Makes the static picture of a program, which notebooks save for where no script runs. */
import { colour } from '../facts/colours/colouring';
import { differencesOf } from '../facts/differences';
import { pairOf } from '../facts/graph';
import type { Id } from '../facts/ids';
import { type Scene, sceneOf } from '../layout/scene';
import type { Opening, Program, Stage } from '../schema';
import { CELL, firstView, isOpenTo } from '../state/budget';
import { DARK, LIGHT } from './colours';
import { drawn, wholeOf } from './drawing';
import { type Heading, headingOf } from './heading';
import { NO_MARKS } from './marks';
import { shortened } from './shorten';

/** How many boxes are shown in one place. Each number is tried in turn, until the picture is small
 * enough. */
const MOST_ITEMS = [40, 20, 10];
/** The most boxes in all, as `FULL` of `jaxviz/openable.py`. Beyond it not even a body that holds
 * only another one is opened. */
const MOST_BOXES = 100;
/** The most px of width; a wider picture is scaled down. */
const MOST_WIDTH = 1000;
/** The size, px, above which less is opened. */
const MOST_SIZE = { width: 1600, height: 2800 };
/** The most bytes of the SVG. */
const MOST_BYTES = 40_000;

/**
 * The static picture of a program, for where no script runs: an SVG of the stage that is seen first,
 * or of the first that is there, at most 1000 px wide and 40 kB. What is open is what the page opens
 * at first, less where that is too large: the heading says where a depth was chosen that is not
 * reached. Its colours are always the same, as it has no legend. The kernel passes one number of
 * `tried` at a time (`jaxviz/picture.py`), since it sends less for the smaller ones. Throws where
 * there is no graph to draw.
 */
export function picture(program: Program, opening: Opening = {}, tried = MOST_ITEMS): string {
  const stage = drawableStage(program, opening.stage ?? 'jaxpr');
  let svg = '';
  for (const most of tried) {
    const short = shortened(stage, most);
    const differences = differencesOf({ ...program, stages: [short] });
    const whole = headingOf(program, short, differences);
    let open = [...firstView(short, differences, CELL, opening, MOST_BOXES)];
    for (;;) {
      const shown = new Set(open);
      const scene = sceneOf(short, shown);
      const heading = isOpenTo(short, shown, opening.depth) ? whole : cut(whole, opening);
      const by = differences ? 'change' : 'family';
      const marks = { ...NO_MARKS, colours: colour(short, scene.boxes, by, differences) };
      const part = wholeOf(scene);
      svg = drawn({
        scene,
        heading,
        marks,
        part,
        colours: LIGHT,
        dark: DARK,
        widest: MOST_WIDTH,
      }).svg;
      const isSmall = bytesOf(svg) <= MOST_BYTES;
      if (isSmall && (open.length === 0 || fits(scene))) return svg;
      if (open.length === 0) break;
      open = fewer(short, open);
    }
  }
  return svg;
}

/** The heading, which also says that the chosen depth is not reached. */
const cut = (heading: Heading, { depth }: Opening): Heading => ({
  ...heading,
  count: [heading.count, `not all to depth ${depth}`].filter((one) => one !== '').join(' · '),
});

/** The stage of that kind, or the first that has a graph. Throws where there is none. */
export function drawableStage({ stages }: Program, kind: string): Stage {
  const drawable = stages.filter(({ graphs }) => graphs.length > 0);
  const stage = drawable.find((one) => one.kind === kind) ?? drawable[0];
  if (!stage) throw new Error('there is no graph to draw.');
  return stage;
}

/** Whether a scene is small enough to be read. */
const fits = ({ width, height }: Scene): boolean =>
  width <= MOST_SIZE.width && height <= MOST_SIZE.height;

/** The ids without those that were opened last. A forward and its backward group go together. */
function fewer(stage: Stage, open: readonly Id[]): Id[] {
  const kept = open.slice(0, -Math.max(1, Math.floor(open.length / 8)));
  const gone = new Set(open.slice(kept.length).flatMap((id) => pairOf(stage, id)));
  return kept.filter((id) => !gone.has(id));
}

/** The length of a text in UTF-8. */
function bytesOf(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const code = char.codePointAt(0) as number;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
