/** Places the items of a region: makes boxes of the size that their texts need, ports and names of cut wires, and
 * edges between them. */
import type { Item } from '../facts/outline';
import { __ } from '../language';
import type { Graph, Stage } from '../schema';
import {
  BOX_COLUMNS,
  type Caption,
  captionOf,
  columnsOf,
  isPill,
  sizeOf,
  titleOf,
  typesOf,
} from './caption';
import type { Frame } from './frame';
import { BESIDE_EDGE, head, PILL, PORT, type Shape, SMALL, textWidth } from './measure';
import { MENTION, mentionsOf, mentionText, mentionWidth } from './mentions';
import { layoutRegion } from './region';
import { OPTIONS, PIN, type Placement, spacingOf } from './region/region';
import { BORDER, type End, isOutput, PICK, type Port, type Wiring } from './wires';

/** The input of a frame: a region, and the frames of its open items. */
export interface Plan {
  stage: Stage;
  graph: Graph;
  items: readonly Item[];
  inner: readonly (Frame | null)[];
  wiring: Wiring;
  shape: Shape;
  /** True if a value is shown. */
  carries: (variable: number) => boolean;
  /** True if inputs stay at the top and outputs at the bottom, as in a body. */
  pinned: boolean;
  /** Width of the title, px; 0 for the program, which has none. */
  title: number;
  /** The constant with which an input starts, and that with which the value of a port does. They are drawn above the
   * open box, which needs the room. */
  startOf?: (item: Item) => Item | undefined;
  startAt?: (vars: readonly number[]) => Item | undefined;
}

/** The texts and sizes (px) of the items of a region, in their order. */
export interface Sketch {
  captions: Caption[];
  width: number[];
  height: number[];
  types: string[];
  /** Px left of each box: the room of the edge that enters a choice at its side. */
  aside: number[];
  /** Px above each box: the room of the constants with which the values of an open loop start. */
  above: number[];
}

/** The sketch of a region. It depends on the `cut` wires: an output at the end of one names the eqn that makes its
 * value. */
export function sketchOf(plan: Plan, cut: readonly number[]): Sketch {
  const { stage, graph, items, inner, wiring, shape } = plan;
  const far = mentionsOf(plan, cut, 'output');
  const captions = items.map((item, at) => {
    const caption = (inner[at] ? titleOf : captionOf)(stage, graph, item, columnsOf(shape));
    const from = far.get(at);
    return from ? { ...caption, note: mentionText(plan, from) } : caption;
  });
  const sizes = items.map((item, at) => {
    const frame = inner[at];
    return frame ? { width: frame.w, height: frame.h } : sizeOf(item, captions[at] as Caption);
  });
  const aside = items.map(() => 0);
  for (const { target } of wiring.wires) {
    if (target.port === PICK) aside[target.item] = pickRoom();
  }
  const leaving = items.map(() => new Set<number>());
  for (const { source, vars } of wiring.wires) {
    for (const one of vars) leaving[source.item]?.add(one);
  }
  return {
    captions,
    width: sizes.map(({ width }) => width),
    height: sizes.map(({ height }) => height),
    aside,
    above: inner.map((frame) =>
      frame && startsIn(frame).length > 0 ? PILL.height + START_GAP : 0,
    ),
    types: items.map((item, at) =>
      inner[at] || item.kind === 'gathered'
        ? ''
        : typesOf(stage, graph, [...(leaving[at] as Set<number>)]),
    ),
  };
}

/** A region after layout, and the box number of each port, item and mention. */
export interface Placed extends Numbers {
  placement: Placement;
  /** The edge of each wire; of a cut wire, the edge from its mention to its user. */
  edge: number[];
}

interface Numbers {
  entry: number[];
  exit: number[];
  item: number[];
  mention: number[];
}

/** Px between the constants with which values start and the open box below. */
export const START_GAP = 22;
/** The width of the pill of such a constant, px. */
const startWidth = (start: Item | undefined): number =>
  start ? sizeOf(start, startCaption(start)).width : 0;
/** The ports of an open loop or choice whose values start with a constant that has room above it. Where a row of inputs
 * is wrapped, ports may stand too near to each other. */
export function startsIn({ entries }: Frame): Port[] {
  const half = ({ start }: Port) => startWidth(start) / 2;
  const isApart = (one: Port, other: Port) =>
    one === other || Math.abs(one.x - other.x) > half(one) + half(other);
  return entries.filter((one) => one.start && entries.every((other) => isApart(one, other)));
}

export const startCaption = ({ label }: Item): Caption => ({
  label: head(label, BOX_COLUMNS.label),
  note: '',
  count: '',
});

/** The text above the edge that enters a choice at its side. */
export const pickText = (): string => __('picks the branch');
/** Px between the start of that text and the left end of the edge, and between its end and the choice. */
export const PICK_START = 4;
const PICK_END = 12;
const pickRoom = (): number => PICK_START + textWidth(pickText(), SMALL) + PICK_END;

/** Places all boxes. Wires that are `cut` end at their names. If `more`, other wires that are too long are cut as
 * well. */
export function placeItems(
  plan: Plan,
  sketch: Sketch,
  cut: readonly number[],
  more = true,
): Placed {
  const boxes = new Boxes();
  const numbers = numbered(plan, sketch, cut, boxes);
  const { edge, ...edges } = edgesOf(plan, sketch, numbers);
  const { width, height, pin, reach } = boxes;
  const region = { width, height, pin, reach, ...edges };
  const { shape } = plan;
  const longest = more ? OPTIONS.cut : Number.POSITIVE_INFINITY;
  const options = { ...spacingOf(shape), cut: longest };
  return { placement: layoutRegion(region, options), ...numbers, edge };
}

/** The boxes of a region, in the order of their numbers. */
class Boxes {
  readonly width: number[] = [];
  readonly height: number[] = [];
  readonly pin: number[] = [];
  readonly reach: number[] = [];

  /** Adds a box with a text below it, whose edges leave `lean` px right of the centre. Returns its number. */
  add(width: number, height: number, pin: number, text = '', lean = 0): number {
    this.width.push(width);
    this.height.push(height);
    this.reach.push(text === '' ? 0 : lean + BESIDE_EDGE + textWidth(text, SMALL));
    return this.pin.push(pin) - 1;
  }
}

/** Adds all boxes: ports, and each name of a cut wire just before its user. */
function numbered(plan: Plan, sketch: Sketch, cut: readonly number[], boxes: Boxes): Numbers {
  const { items, wiring, pinned } = plan;
  const { startOf, startAt } = plan;
  const entry = wiring.entries.map((vars) =>
    boxes.add(Math.max(PORT.width, startWidth(startAt?.(vars))), PORT.height, PIN.first),
  );
  const mention: number[] = [];
  const waiting = mentionsOf(plan, cut, 'user');
  const item = items.map((one, at) => {
    for (const index of waiting.get(at) ?? []) {
      mention[index] = boxes.add(mentionWidth(plan, index), MENTION.height, PIN.free);
    }
    const pin = pinOf(one, pinned);
    const aside = sketch.aside[at]!;
    const width = Math.max(sketch.width[at]! + aside, startWidth(startOf?.(one)));
    const height = sketch.height[at]! + sketch.above[at]!;
    return boxes.add(width, height, pin, sketch.types[at]!, aside / 2);
  });
  const leaving = mentionsOf(plan, cut, 'border');
  const exit = wiring.exits.map((_, port) => {
    const [index] = leaving.get(port) ?? [];
    if (index === undefined) return boxes.add(PORT.width, PORT.height, PIN.last);
    mention[index] = boxes.add(mentionWidth(plan, index), MENTION.height, PIN.last);
    return mention[index];
  });
  return { entry, exit, item, mention };
}

/** The edges of all wires. That of a cut wire begins at its mention. */
function edgesOf({ wiring, inner }: Plan, sketch: Sketch, numbers: Numbers) {
  const edges = { source: [] as number[], target: [] as number[] };
  const at = { sourceX: [] as number[], targetX: [] as number[] };
  const node = (end: End, ports: number[]) =>
    end.item === BORDER ? (ports[end.port] as number) : (numbers.item[end.item] as number);
  const offset = (end: End, side: 'entries' | 'exits', otherwise: number) => {
    if (end.item === BORDER) return otherwise;
    const [width, aside] = [sketch.width[end.item]!, sketch.aside[end.item]!];
    if (end.port === PICK) return PICK_START - (width + aside) / 2;
    const port = inner[end.item]?.[side][end.port];
    return port ? port.x + (aside - width) / 2 : aside === 0 ? otherwise : aside / 2;
  };
  const edge = wiring.wires.map(({ source, target }, index) => {
    const from = target.item === BORDER ? undefined : numbers.mention[index];
    edges.source.push(from ?? node(source, numbers.entry));
    edges.target.push(node(target, numbers.exit));
    at.sourceX.push(from === undefined ? offset(source, 'exits', 0) : 0);
    return at.targetX.push(offset(target, 'entries', Number.NaN)) - 1;
  });
  const aside = edge.filter((_, index) => wiring.wires[index]?.target.port === PICK);
  return { ...edges, ...at, edge, aside };
}

function pinOf(item: Item, pinned: boolean): number {
  if (isOutput(item)) return pinned ? PIN.last : PIN.low;
  return pinned && isPill(item) && item.kind !== 'const' ? PIN.first : PIN.free;
}
