/** Decides the texts on a box (label, note, count), cut to fit, and the size of the box that holds
 * them. Used before a region is laid out. */
import { deciding } from '../facts/graph';
import { plainName } from '../facts/kinds';
import type { Item } from '../facts/outline';
import { valuesOf } from '../facts/reports';
import { type Literals, literalsOf, shortNumber } from '../facts/text/literals';
import { typeLabel } from '../facts/text/types';
import { thousands } from '../language';
import type { Graph, Stage } from '../schema';
import {
  APART,
  BOX,
  CHIP,
  columns,
  FOLD,
  FONT,
  head,
  oneLine,
  PILL,
  SMALL,
  tail,
  textWidth,
} from './measure';

/** The texts on a box, already cut to the length that is drawn. */
export interface Caption {
  label: string;
  /** Drawn fainter: the literal operands, and the parameters that tell it from others of its
   * kind. */
  note: string;
  /** How many eqns (in a pytree, leaves) are inside, as text; empty where there are none. */
  count: string;
}

/** The most columns (widths of one character) of the label and of the note on a box. */
export const BOX_COLUMNS = { label: 36, note: 30 };
/** The same for a box in a lane, beside which others stand, but for collectives: of these the devices and
 * bytes are to be seen. */
export const LANE_COLUMNS = { label: 22, note: 8 };
/** The most columns of a literal, of an argument's path on a chip, and of a type. */
const LITERAL_COLUMNS = 10;
const ELEMENT_COLUMNS = 20;
const TYPE_COLUMNS = 30;

/** Whether an item is drawn as a pill: a value that comes into a graph or goes out of it. */
export const isPill = ({ kind }: Item): boolean =>
  kind === 'input' ||
  kind === 'output' ||
  kind === 'const' ||
  kind === 'gathered' ||
  kind === 'fixed';

/** The texts on the box of an item, of at most `room` columns. */
export function captionOf(stage: Stage, graph: Graph, item: Item, room = BOX_COLUMNS): Caption {
  const known = captions.get(item) ?? new Map<typeof room, Caption>();
  const caption = known.get(room) ?? write(stage, graph, item, room);
  captions.set(item, known.set(room, caption));
  return caption;
}

const captions = new WeakMap<Item, Map<typeof BOX_COLUMNS, Caption>>();

function write(stage: Stage, graph: Graph, item: Item, room: typeof BOX_COLUMNS): Caption {
  if (item.free) return { label: chip(item), note: '', count: '' };
  const label =
    isPill(item) && item.kind !== 'fixed'
      ? tail(oneLine(item.label), room.label)
      : named(item, room.label);
  const literals =
    item.kind === 'eqn' ? operandsOf(stage, graph, item.start) : literalsIn(graph, item.vars);
  const all = [...literals, item.detail].filter((text) => text !== '').join(' ');
  const note = whole(oneLine(all), (item.family === 'collective' ? BOX_COLUMNS : room).note);
  return { label: label === '' ? '·' : label, note, count: countOf(item, note) };
}

/** How many eqns an item holds, as text. A dot parts it from a note that ends in a number. */
function countOf({ count }: Item, note: string): string {
  if (count === 0) return '';
  return `${/\d$/.test(note) ? '· ' : ''}${thousands(count)}`;
}

/** The least columns in which a part of a word says something. */
const LEAST_PART = 12;

/** The text cut to at most `most` columns; in little room at the end of a word that closes what it
 * opens. */
function whole(text: string, most: number): string {
  if (most >= LEAST_PART || columns(text) <= most) return head(text, most);
  const end = text.slice(0, most + 1).lastIndexOf(' ');
  const words = end > 0 ? text.slice(0, end).replace(/,$/, '') : '';
  return words.replace(/ ?[^ (]*\([^)]*$/, '');
}

/** The label of an op that does nothing when it runs, such as `#2 …['w']`: which element it takes,
 * and which argument that is. */
function chip({ detail, label }: Item): string {
  const [first = '', ...argument] = oneLine(detail || label).split(' ');
  return `${first} ${tail(argument.join(' '), ELEMENT_COLUMNS)}`.trim();
}

/** The label cut to `room` columns, but never the mark at its end: it says that the item runs
 * backward (⟵) or again (↻). */
function named({ label }: Item, room: number): string {
  const [, name, mark] = /^(.*?)( [⟵↻])?$/su.exec(label) ?? ['', label, ''];
  return head(oneLine(name ?? ''), room - (mark?.length ?? 0)) + (mark ?? '');
}

/** Whether an op is a loop. The constants that it begins with are not written on its box, as they
 * are many and change from turn to turn; its body shows them. */
const isLoop = (op: string): boolean => plainName(op) === 'while';

/** The literal operands of an eqn without their types: `2.0` of `2.0:f32[]`. */
export function operandsOf(stage: Stage, graph: Graph, index: number): string[] {
  const { op = '', invars: operands = [] } = graph.eqns[index] ?? {};
  if (isLoop(op)) return [];
  const written: Literals = literalsOf(stage, graph);
  return operands.flatMap((operand) => {
    const text = written.get(operand);
    return text === undefined ? literalsIn(graph, [operand]) : [head(text, LITERAL_COLUMNS)];
  });
}

/** The literals among some vars of a jaxpr, without their types. */
const literalsIn = ({ vars }: Graph, some: readonly number[]): string[] =>
  some.flatMap((one) => {
    const { literal = false, name = '' } = vars[one] ?? {};
    return literal ? [head(shortNumber(name, LITERAL_COLUMNS), LITERAL_COLUMNS)] : [];
  });

/** The size of a closed box, or of the title of an open one, px. */
export function sizeOf(item: Item, caption: Caption): { width: number; height: number } {
  const { height, least, side } = item.free ? CHIP : isPill(item) ? PILL : BOX;
  const texts = [caption.label, caption.note, caption.count].filter((text) => text !== '');
  const wide = texts.reduce(
    (sum, text) => sum + textWidth(text, item.free ? SMALL : FONT) + APART,
    -APART,
  );
  const fold = item.foldable ? FOLD : 0;
  return { width: Math.ceil(Math.max(least, wide + fold + 2 * side)), height };
}

/** What flows out of a box, for the text under it: its types, `f32[8,64]`, `f32[8] ×3`, `f32[8], …`, and what
 * a run told of it, `f32[8] max|x| 61,800`, or `f32[8] -3.2…4.1` where the distribution was told. */
export function typesOf(stage: Stage, graph: Graph, vars: readonly number[]): string {
  return `${plainTypes(stage, graph, vars)} ${toldText(stage, graph, vars)}`.trim();
}

/** What a run told of some values: `max|x| 61,800`. Empty where it told nothing. */
export function toldText(stage: Stage, graph: Graph, vars: readonly number[]): string {
  const { largest, flaws, spread } = valuesOf(stage, graph, vars);
  return flaws.join(', ') || spread || (largest && `max|x| ${largest}`);
}

export function plainTypes(stage: Stage, graph: Graph, vars: readonly number[]): string {
  const texts = vars.map((one) => {
    const aval = stage.avals[graph.vars[one]?.aval ?? -1];
    return aval ? typeLabel(stage, aval) : '';
  });
  const [first] = texts;
  if (first === undefined) return '';
  if (texts.length === 1) {
    const decides = deciding(graph).has(vars[0] as number) ? ' decides' : '';
    return head(first, TYPE_COLUMNS) + decides;
  }
  const alike = texts.every((text) => text === first);
  return alike
    ? `${head(first, TYPE_COLUMNS)} ×${texts.length}`
    : `${head(first, TYPE_COLUMNS)}, …`;
}

/** What a value is called where it is used far from where it is made. */
export function nameOf(graph: Graph, producer: number, variable: number): string {
  const name = graph.vars[variable]?.name ?? '_';
  const op = graph.eqns[producer]?.op;
  if (op !== undefined) return head(`${name} = ${op}`, 24);
  const input = graph.invars.indexOf(variable);
  return tail(oneLine(graph.args[input] || name), 24);
}
