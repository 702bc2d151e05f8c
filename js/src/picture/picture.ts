/** Makes the static picture of a program, which notebooks save for readers where no script runs. The stage is
 * shortened first, so that few boxes stand in one place. */
import type { ColourBy } from '../facts/colours/colour-schemes';
import { colour } from '../facts/colours/colouring';
import { differencesOf } from '../facts/differences';
import { LEFT_OUT, pairOf } from '../facts/graph';
import type { Id } from '../facts/ids';
import { gather } from '../facts/maps';
import { MOST_BINDERS } from '../facts/outline';
import { type Branch, branches, keys } from '../facts/text/pytree';
import { BOX_COLUMNS } from '../layout/caption';
import { PILL, type Shape, tail, textWidth } from '../layout/measure';
import { OPTIONS } from '../layout/region';
import { type Scene, sceneOf, sizeOfScene } from '../layout/scene';
import {
  FIRST_BOXES,
  type Graph,
  type Group,
  type Opening,
  PICTURE_ITEMS,
  type Program,
  type Stage,
  SVG_BYTES,
} from '../schema';
import { firstView } from '../state/first-view';
import { isOpenTo } from '../state/open-items';
import { type Marks, NO_MARKS } from './appearance';
import { DARK, LIGHT } from './colours';
import { drawn, wholeOf } from './drawing';
import { type Heading, headingOf } from './heading';

/** The most px of width; a wider picture is scaled down. */
const MOST_WIDTH = 1000;

/** The limits of what is open at first. The engine in the kernel is slow: a layout takes about 10 ms. */
const LIMITS = { boxes: FIRST_BOXES, rejected: 2 };

/** The room, px, for what is open at first. */
export const ROOM = { width: MOST_WIDTH, height: 820 };

/** The size, px, above which less is opened. */
const MOST_SIZE = { width: 1600, height: 2800 };

/** A picture that is too large with nothing open may be this much larger. */
const MOST_GROWTH = 1.1;

/** The greatest width, px, of a row of inputs or results. The rest is gathered as `…`. */
const MOST_ROW = 1400;

/** The px of an input's or result's box besides its name. */
const PILL_ROOM = 2 * PILL.side + OPTIONS.gapX;

/** The marks and colours that the report of a tool adds to a picture. */
export interface ReportMarks {
  /** The colours of a stage, if no programs are compared. */
  colourBy?: (stage: Stage) => ColourBy;
  /** The marks in a scene of the jaxpr. */
  marks?: (jaxpr: Stage, scene: Scene) => Partial<Marks>;
}

/**
 * The static picture of a program: an SVG of the stage shown first, or of the first that has a graph, at most 1000 px
 * wide. Throws if no stage has a graph.
 *
 * At most `most` boxes stand in one place. It opens what the page opens at first, or less if the SVG exceeds 40 kB;
 * the heading then says that the chosen depth is not reached. If it is too large with nothing open, the kernel asks
 * for fewer boxes (`jaxviz/picture/draw.py`). The colours are by family, or by difference in a comparison, if the
 * report does not change them, since there is no legend.
 */
export function picture(
  program: Program,
  opening: Opening = {},
  most = PICTURE_ITEMS[0]!,
  report: ReportMarks = {},
): string {
  const stage = shortened(drawableStage(program, opening.stage ?? 'jaxpr'), most);
  const differences = differencesOf({ ...program, stages: [stage] });
  const heading = headingOf(program, stage, differences);
  const { open: first, shape } = firstView(stage, differences, ROOM, opening, LIMITS);
  let open = [...first];
  for (;;) {
    const shown = new Set(open);
    const scene = sceneOf(stage, shown, shape);
    const by = differences ? 'change' : (report.colourBy?.(stage) ?? 'family');
    const colours = colour(stage, scene.boxes, by, differences);
    const reported = stage.kind === 'jaxpr' ? report.marks?.(stage, scene) : {};
    const { svg } = drawn({
      scene,
      heading: isOpenTo(stage, shown, opening.depth) ? heading : cut(heading, opening),
      marks: { ...NO_MARKS, colours, ...reported },
      part: wholeOf(scene),
      colours: LIGHT,
      dark: DARK,
      widest: MOST_WIDTH,
    });
    const room = largest(stage, scene, shape);
    const isWide = scene.width > room.width;
    const isLarge = isWide || scene.height > room.height || bytesOf(svg) > SVG_BYTES;
    if (open.length === 0 || !isLarge) return svg;
    open = fewer(stage, scene, open, isWide);
  }
}

/** The heading with a note that the chosen depth is not reached. */
const cut = (heading: Heading, { depth }: Opening): Heading => ({
  ...heading,
  count: [heading.count, `not all to depth ${depth}`].filter((one) => one !== '').join(' · '),
});

/** The stage of that kind, or the first that has a graph. Throws if there is none. */
export function drawableStage({ stages }: Program, kind: string): Stage {
  const drawable = stages.filter(({ graphs }) => graphs.length > 0);
  const stage = drawable.find((one) => one.kind === kind) ?? drawable[0];
  if (!stage) throw new Error('there is no graph to draw.');
  return stage;
}

/** The size up to which a scene can be read: that of the largest picture, or slightly more than the scene with
 * nothing open. */
function largest(stage: Stage, scene: Scene, shape: Shape): typeof MOST_SIZE {
  if (scene.width <= MOST_SIZE.width && scene.height <= MOST_SIZE.height) return MOST_SIZE;
  const { width, height } = sizeOfScene(stage, new Set(), shape);
  return {
    width: Math.max(MOST_SIZE.width, width * MOST_GROWTH),
    height: Math.max(MOST_SIZE.height, height * MOST_GROWTH),
  };
}

/** The open ids without those opened last. If the scene is too wide, its widest innermost boxes are closed instead. A
 * forward and its backward group close together. */
function fewer(stage: Stage, { boxes }: Scene, open: readonly Id[], isWide: boolean): Id[] {
  const count = Math.max(1, Math.floor(open.length / 8));
  const outer = new Set(boxes.flatMap(({ open, parent }) => (open ? [parent] : [])));
  const inner = boxes.filter((box, index) => box.open && !outer.has(index));
  const widest = inner.sort((a, b) => b.w - a.w).slice(0, count);
  const closed =
    isWide && widest.length > 0 ? widest.map(({ item }) => item.id) : open.slice(-count);
  const gone = new Set([...closed, ...closed.flatMap((id) => pairOf(stage, id))]);
  return open.filter((id) => !gone.has(id));
}

/** The length of a text in UTF-8. Nearly all of it is ASCII, which is not counted one by one. */
function bytesOf(text: string): number {
  const others = text.replace(/[^\u0080-\uffff]+/g, '');
  let bytes = text.length - others.length;
  for (const char of others) {
    const code = char.codePointAt(0) as number;
    bytes += code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** A stage with at most `most` eqns and groups, inputs, or outputs in one place. The rest is gathered as `…`. */
const shortened = (stage: Stage, most: number): Stage => ({
  ...stage,
  graphs: stage.graphs.map((graph) => ({
    ...graph,
    groups: [...graph.groups, ...restsOf(graph, most)],
    args: shortenedPaths(graph.args, most),
    results: shortenedPaths(graph.results, most),
  })),
});

/** For each place with too many eqns and groups, a group of those after the first. */
function restsOf({ eqns, groups }: Graph, most: number): Group[] {
  const inside = gather(groups, ({ parent }) => parent);
  const whole = { role: '', start: 0, stop: eqns.length } as const;
  return [whole, ...groups].flatMap(({ role, start, stop }, index): Group[] => {
    const parent = index === 0 ? null : index - 1;
    const inner = inside.get(parent) ?? [];
    const boxes = inner.reduce((count, one) => count - (one.stop - one.start - 1), stop - start);
    if (boxes <= most) return [];
    const first = after(start, most - 1, inner);
    const rest = { name: LEFT_OUT, kind: 'section', role, parent, twin: null, alike: -1 } as const;
    return [{ ...rest, start: first, stop, loop: '', loop_line: 0, named_by: '' }];
  });
}

/** The eqn that follows the first `boxes` eqns and groups from `start` on. */
function after(start: number, boxes: number, groups: readonly Group[]): number {
  const stops = new Map(groups.map((one) => [one.start, one.stop]));
  let at = start;
  for (let box = 0; box < boxes; box++) at = stops.get(at) ?? at + 1;
  return at;
}

/** The paths. If there are more branches than `most`, or than fit in a row, the rest get the key `…`, which gathers
 * them. */
function shortenedPaths(paths: string[], most: number): string[] {
  const found = paths.length > MOST_BINDERS ? branches(paths, '') : [];
  const places = Math.min(most, countInRow(found));
  if (found.length <= places) return paths;
  const root = keys(found[0]!.prefix).slice(0, -1).join('');
  const rest = new Set(found.slice(places - 1).flatMap(({ leaves }) => leaves));
  const moved = (path: string) =>
    root === '' ? `${LEFT_OUT}.${path}` : `${root}.${LEFT_OUT}${path.slice(root.length)}`;
  return paths.map((path, index) => (rest.has(index) ? moved(path) : path));
}

/** The number of branches that fit in a row, at least one. */
function countInRow(found: readonly Branch[]): number {
  let right = 0;
  const over = found.findIndex(({ prefix }) => {
    right += textWidth(tail(prefix, BOX_COLUMNS.label)) + PILL_ROOM;
    return right > MOST_ROW;
  });
  return over === -1 ? found.length : Math.max(1, over);
}
