import { plainName } from '../facts/family';
import { type Literals, literalsOf } from '../facts/literals';
import type { Item } from '../facts/outline';
import { typeLabel } from '../facts/types';
import type { Graph, Stage } from '../schema';
import {
  APART,
  BOX,
  CHIP,
  FOLD,
  FONT,
  head,
  oneLine,
  PILL,
  SMALL,
  tail,
  textWidth,
} from './measure';

/** The texts on a box, cut to what is drawn. */
export interface Caption {
  label: string;
  /** What distinguishes it, fainter: literals and telling parameters. */
  note: string;
  /** Eqns or leaves inside. */
  count: string;
}

/** Columns of the texts on a box. */
export const ROOM = { label: 36, note: 30 };
/** The same in a lane, beside which others stand. */
export const LANE = { label: 24, note: 14 };
const LITERAL = 10;
const ELEMENT = 20;
const TYPE = 30;

export const isPill = ({ kind }: Item): boolean =>
  kind === 'input' || kind === 'output' || kind === 'const' || kind === 'gathered';

export function captionOf(stage: Stage, graph: Graph, item: Item, room = ROOM): Caption {
  if (item.free) return { label: chip(item), note: '', count: '' };
  const label = isPill(item) ? tail(oneLine(item.label), room.label) : named(item, room.label);
  const literals = item.kind === 'eqn' ? operandsOf(stage, graph, item.start) : [];
  const note = [...literals, item.detail].filter((text) => text !== '').join(' ');
  return {
    label: label === '' ? '·' : label,
    note: head(oneLine(note), room.note),
    count: item.count > 0 ? countText(item.count) : '',
  };
}

/** Eqns of a body that holds another twice, which holds another twice: more need no number. */
const ENDLESS = 1e9;

export const countText = (count: number): string =>
  `${count > ENDLESS ? 'over ' : ''}${Math.min(count, ENDLESS).toLocaleString('en')}`;

/** `#2 …['w']`: which element, and the argument that it is. */
function chip({ detail, label }: Item): string {
  const [first = '', ...argument] = oneLine(detail || label).split(' ');
  return `${first} ${tail(argument.join(' '), ELEMENT)}`.trim();
}

/** What runs backward, or again, says so at its end, however long its name is. */
function named({ label }: Item, room: number): string {
  const [, name, mark] = /^(.*?)( [⟵↻])?$/su.exec(label) ?? ['', label, ''];
  return head(oneLine(name ?? ''), room - (mark?.length ?? 0)) + (mark ?? '');
}

/** What a loop begins with is told by what it holds: it is many values, and they change. */
const beginsWith = (op: string): boolean => plainName(op) === 'while';

/** The literal operands of an eqn without their types: `2.0` of `2.0:f32[]`. */
export function operandsOf(stage: Stage, graph: Graph, index: number): string[] {
  const { op = '', invars: operands = [] } = graph.eqns[index] ?? {};
  const written: Literals = beginsWith(op) ? new Map() : literalsOf(stage, graph);
  return operands.flatMap((operand) => {
    const variable = graph.vars[operand];
    const text = variable?.literal ? variable.name.replace(/:[^:]*$/, '') : written.get(operand);
    return text === undefined ? [] : [head(text, LITERAL)];
  });
}

/** The size of a closed box, or of an open one's title. */
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

/** What flows out of a box, for the label under it: `f32[8,64]`, `f32[8] ×3`, `f32[8], …`. */
export function typesOf(stage: Stage, graph: Graph, vars: readonly number[]): string {
  const texts = vars.map((one) => {
    const aval = stage.avals[graph.vars[one]?.aval ?? -1];
    return aval ? typeLabel(stage, aval) : '';
  });
  const [first] = texts;
  if (first === undefined) return '';
  if (texts.length === 1) return head(first, TYPE);
  const alike = texts.every((text) => text === first);
  return alike ? `${head(first, TYPE)} ×${texts.length}` : `${head(first, TYPE)}, …`;
}

/** What a value is called where it is used far from where it is made. */
export function nameOf(graph: Graph, producer: number, variable: number): string {
  const name = graph.vars[variable]?.name ?? '_';
  const op = graph.eqns[producer]?.op;
  if (op !== undefined) return head(`${name} = ${op}`, 24);
  const input = graph.invars.indexOf(variable);
  return tail(oneLine(graph.args[input] || name), 24);
}
