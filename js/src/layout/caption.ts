/** Chooses the texts on a box (label, note, count), cut to fit, and the size of the box around them. Used before a
 * region is laid out. */
import { eqnsHeld, nestingOf } from '../facts/graph';
import { parse } from '../facts/ids';
import { plainName } from '../facts/kinds';
import type { Item } from '../facts/outline';
import { valuesOf } from '../facts/reports';
import { isLoopOrChoice, openDetailOf } from '../facts/text/detail';
import { literalsOf, shortNumber } from '../facts/text/literals';
import { typeLabel } from '../facts/text/types';
import { __, thousands } from '../language';
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
  type Shape,
  SMALL,
  tail,
  textWidth,
} from './measure';

/** The texts on a box, already cut to the length that is drawn. */
export interface Caption {
  label: string;
  /** Drawn fainter: literal operands, and the params that distinguish it from others of its kind. */
  note: string;
  /** The number of eqns inside (of a run, in each member; in a pytree, of leaves) as text; empty if there are none. */
  count: string;
}

/** The most columns (widths of one character) of the label and of the note on a box. */
export const BOX_COLUMNS = { label: 36, note: 30 };
/** The same for a box in a lane, which has boxes beside it. `keepsNote` has the exceptions. */
export const LANE_COLUMNS = { label: 22, note: 8 };
/** The most columns in the boxes of a layout of this shape. */
export const columnsOf = ({ tight }: Shape): typeof BOX_COLUMNS =>
  tight ? LANE_COLUMNS : BOX_COLUMNS;
/** The most columns of a literal, of an argument's path on a chip, and of a type. */
const LITERAL_COLUMNS = 10;
const LITERAL_NAME_COLUMNS = 12;
const ELEMENT_COLUMNS = 20;
const TYPE_COLUMNS = 30;
/** Columns that a chip leaves free for what follows its name. */
const CHIP_ROOM = 10;

/** True if an item is drawn as a pill: a value that enters or leaves a graph. */
export const isPill = ({ kind }: Item): boolean =>
  kind === 'input' ||
  kind === 'output' ||
  kind === 'const' ||
  kind === 'gathered' ||
  kind === 'fixed';

/** The texts on the box of an item, of at most `room` columns. */
export function captionOf(stage: Stage, graph: Graph, item: Item, room = BOX_COLUMNS): Caption {
  const byRoom = captions.get(item) ?? new Map<typeof room, Caption>();
  const caption = byRoom.get(room) ?? write(stage, graph, item, room);
  captions.set(item, byRoom.set(room, caption));
  return caption;
}

const captions = new WeakMap<Item, Map<typeof BOX_COLUMNS, Caption>>();

function write(stage: Stage, graph: Graph, item: Item, room: typeof BOX_COLUMNS): Caption {
  if (item.free) return { label: chip(item, room.label), note: '', count: '' };
  const infix = item.kind === 'eqn' ? infixOf(stage, graph, item.start, room.label) : '';
  const label =
    isPill(item) && item.kind !== 'fixed'
      ? tail(oneLine(item.label), room.label)
      : infix || named(item, room.label);
  const operands =
    item.kind === 'eqn' ? operandsOf(stage, graph, item.start) : literalsIn(graph, item.vars);
  const literals = infix === '' ? operands : [];
  const all = [...literals, item.detail].filter((text) => text !== '').join(' ');
  const note = whole(oneLine(all), (keepsNote(item) ? BOX_COLUMNS : room).note);
  const isNumber = /\d$/.test(note) || (item.detail === '' && / /.test(literals.at(-1) ?? ''));
  const count = countOf(stage, graph, item, isNumber);
  return { label: label === '' ? '·' : label, note, count };
}

/** True if a box in a lane keeps its longer note: the devices of a collective, or how a layer differs. */
const keepsNote = ({ family, unlike }: Item): boolean => family === 'collective' || unlike !== '';

/** The number of eqns in an item as text. A dot separates it from a note that ends in a number or its name. */
function countOf(stage: Stage, graph: Graph, item: Item, isNumber: boolean): string {
  if (item.count === 0) return '';
  const each = item.members > 0 ? eqnsOfMember(stage, graph, item) : 0;
  const text = each > 0 ? __('%1 each', thousands(each)) : thousands(item.count);
  return `${isNumber ? '· ' : ''}${text}`;
}

/** The number of eqns in each member of a run; 0 if its members are in sections. */
function eqnsOfMember(stage: Stage, graph: Graph, { id, start }: Item): number {
  const { step } = parse(id);
  const inside = step.kind === 'group' ? nestingOf(graph).inside.get(step.index) : undefined;
  const member = graph.groups[inside?.get(start) ?? -1];
  return member && member.kind !== 'section'
    ? eqnsHeld(stage, graph, member.start, member.stop)
    : 0;
}

/** The most columns of the note in the title of an open box. */
const TITLE_COLUMNS = 60;

/** The texts on the title of an open box. That of a loop or choice has room for more words. */
export function titleOf(stage: Stage, graph: Graph, item: Item, room = BOX_COLUMNS): Caption {
  const caption = captionOf(stage, graph, item, room);
  const eqn = item.kind === 'eqn' ? graph.eqns[item.start] : undefined;
  const note = eqn ? openDetailOf(stage, graph, eqn) : '';
  return note === '' ? caption : { ...caption, note: head(note, TITLE_COLUMNS), count: '' };
}

/** The least columns of a part of a word that can be understood. */
const LEAST_PART = 12;

/** The text cut to at most `most` columns; if there is little room, after a whole word and without an open bracket. */
function whole(text: string, most: number): string {
  if (most >= LEAST_PART || columns(text) <= most) return head(text, most);
  const end = text.slice(0, most + 1).lastIndexOf(' ');
  const words = end > 0 ? text.slice(0, end).replace(/,$/, '') : '';
  return words.replace(/ ?[^ (]*\([^)]*$/, '');
}

/** The label of an op that does nothing when it runs: the element that it takes, and its argument, `#2 …['w']`; or
 * its name, `reduce_sum unused`. */
function chip({ detail, label }: Item, room: number): string {
  const [first = '', ...argument] = oneLine(detail || label).split(' ');
  return `${head(first, room - CHIP_ROOM)} ${tail(argument.join(' '), ELEMENT_COLUMNS)}`.trim();
}

/** The label cut to `room` columns. A mark at its end always stays: it says that the item runs backward (⟵) or again
 * (↻). */
function named({ label }: Item, room: number): string {
  const [, name, mark] = /^(.*?)( [⟵↻])?$/su.exec(label) ?? ['', label, ''];
  return head(oneLine(name ?? ''), room - (mark?.length ?? 0)) + (mark ?? '');
}

/** The symbols of ops with two operands, if Python's mean the same: `rem` is not `%`, and `div` of integers not `/`. */
const SYMBOLS = new Map(
  Object.entries({
    ...{ add: '+', sub: '-', mul: '*', div: '/', pow: '**' },
    ...{ subtract: '-', multiply: '*', divide: '/' },
    ...{ gt: '>', ge: '>=', lt: '<', le: '<=', eq: '==', ne: '!=' },
  }),
);
/** The most columns of an operand's name beside a symbol. */
const OPERAND_COLUMNS = 8;

/** An eqn of a value and a literal as the user writes it: `v * 2.0`; `> 0.0` and `1.0 - …` if the value has no name;
 * `v * 2.0 scale` if the literal has one and there is `room`. Empty for any other eqn. */
function infixOf(stage: Stage, graph: Graph, index: number, room: number): string {
  const { op = '', invars: operands = [] } = graph.eqns[index] ?? {};
  const symbol = SYMBOLS.get(plainName(op));
  if (symbol === undefined || operands.length !== 2) return '';
  const [left, right] = operands.map((one) => literalOf(stage, graph, one)) as [string, string];
  if ((left === '') === (right === '')) return '';
  if (symbol === '/' && !/[.e]/.test(left + right)) return '';
  const value = operands[left === '' ? 0 : 1] as number;
  const literal = operands[left === '' ? 1 : 0] as number;
  const name = oneLine(graph.args[graph.invars.indexOf(value)] ?? '');
  const shown = columns(name) <= OPERAND_COLUMNS ? name : '';
  const isTurned = left !== '' && shown === '' && (symbol === '+' || symbol === '*');
  const written = (text: string): string =>
    left === '' || isTurned
      ? `${shown} ${symbol} ${text}`.trim()
      : `${text} ${symbol} ${shown || '…'}`;
  const named = written(withName(left || right, graph, literal));
  return columns(named) <= room ? named : written(left || right);
}

/** The text of a literal; empty for any other value. */
const literalOf = (stage: Stage, graph: Graph, variable: number): string =>
  head(
    literalsOf(stage, graph).get(variable) ?? literalsIn(graph, [variable])[0] ?? '',
    LITERAL_COLUMNS,
  );

/** The text of a literal with the user's name of it: `2.0 scale`. */
function withName(text: string, { vars }: Graph, variable: number): string {
  const name = oneLine(vars[variable]?.named ?? '');
  return name === '' || text === '' ? text : `${text} ${tail(name, LITERAL_NAME_COLUMNS)}`;
}

/** The literal operands of an eqn without their types: `2.0` of `2.0:f32[]`. Those of a loop or choice are not written
 * on its box: when it is open, each stands above the value that begins with it. */
export function operandsOf(stage: Stage, graph: Graph, index: number): string[] {
  const { op = '', invars: operands = [] } = graph.eqns[index] ?? {};
  if (isLoopOrChoice(op)) return [];
  return operands
    .map((one) => withName(literalOf(stage, graph, one), graph, one))
    .filter((text) => text !== '');
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

/** The text below a box about its results: their types, `f32[8,64]`, `f32[8] ×3`, `f32[8], …`, and their
 * measurements: `f32[8] max|x| 61,800`, or `f32[8] -3.2…4.1` if the distribution was measured. */
export function typesOf(stage: Stage, graph: Graph, vars: readonly number[]): string {
  return `${plainTypes(stage, graph, vars)} ${measuredText(stage, graph, vars)}`.trim();
}

/** The measurements of some values: `max|x| 61,800`; empty if there are none. */
export function measuredText(stage: Stage, graph: Graph, vars: readonly number[]): string {
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
  if (texts.length === 1) return head(first, TYPE_COLUMNS);
  const alike = texts.every((text) => text === first);
  return alike
    ? `${head(first, TYPE_COLUMNS)} ×${texts.length}`
    : `${head(first, TYPE_COLUMNS)}, …`;
}

/** The name of a value that is written far from the eqn that makes it. */
export function nameOf(graph: Graph, producer: number, variable: number): string {
  const name = graph.vars[variable]?.name ?? '_';
  const op = graph.eqns[producer]?.op;
  if (op !== undefined) return head(`${name} = ${op}`, 24);
  const input = graph.invars.indexOf(variable);
  return tail(oneLine(graph.args[input] || name), 24);
}
