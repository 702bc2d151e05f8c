/** Values in words: the rows of their lists, their places, their parts on devices, and the memory
 * that they need. */
import type { Cast } from '../facts/colours/casts';
import { hiding } from '../facts/enclosing';
import { avalOf, type EqnPlace, eqnAt, firstPaths, graphAt } from '../facts/graph';
import { binderId, eqnId, type Id, parse } from '../facts/ids';
import type { Alive, Made } from '../facts/numbers/alive';
import { type Sharding, shardBytes, shardShape } from '../facts/numbers/sharding';
import { bytesText, joined, labelOf, placeOf, sizeText } from '../facts/text/describe';
import { typeText } from '../facts/text/types';
import { __, _n } from '../language';
import type { Frame, Graph, Memory, Outlier, Stage } from '../schema';
import { code, type Fact, nameOf, typeOf, words } from './fact-parts';

/** A row: a value with its size, and below it the reason and the place. */
export interface ValueRow {
  /** The item that it leads to; null if it is no item. */
  id: Id | null;
  name: string;
  /** A type, or two with an arrow. */
  type: string;
  size: string;
  /** A special property; empty for none. */
  badge: string;
  /** The reason why it is listed, its line and what encloses it. */
  about: string;
  /** The text of its line. */
  code: string;
}

export function castRow(stage: Stage, { from, to, bytes, outlier, ...place }: Cast): ValueRow {
  const graph = stage.graphs[place.graph] as Graph;
  const [result = -1] = graph.eqns[place.eqn]!.outvars;
  return {
    id: idOfEqn(stage, place),
    name: `${from} → ${to}`,
    type: typeText(avalOf(stage, graph, result)),
    size: sizeText(bytes),
    badge: outlier ? __('≠ %1, not in %2 siblings', outlier.layer, outlier.siblings) : '',
    ...placed(stage, place),
  };
}

/** The difference of a layer from similar ones: `layers[7] has 2 casts that its 11 siblings do not
 * have`. */
export const outlierText = ([{ layer, siblings }, ...others]: readonly [
  Outlier,
  ...Outlier[],
]): string =>
  _n(
    '%2 has %1 cast that its %3 siblings do not have',
    '%2 has %1 casts that its %3 siblings do not have',
    others.length + 1,
    layer,
    siblings,
  );

export function madeRow(stage: Stage, { variable, bytes, ...place }: Made): ValueRow {
  const graph = stage.graphs[place.graph] as Graph;
  return {
    id: idOfEqn(stage, place),
    name: labelOf(graph.eqns[place.eqn]!),
    type: typeText(avalOf(stage, graph, variable)),
    size: sizeText(bytes),
    badge: '',
    ...placed(stage, place),
  };
}

/** A value that is alive while an eqn runs; `path` is the path of the eqn's graph. */
export function aliveRow(stage: Stage, number: number, path: Id, value: Alive): ValueRow {
  const { maker, variable, bytes } = value;
  const graph = stage.graphs[number] as Graph;
  const place = { graph: number, eqn: maker };
  const id = maker >= 0 ? eqnId(path, maker) : inputId(graph, path, variable);
  const frame = maker >= 0 ? frameOf(stage, place) : null;
  const layer = id === null ? '' : layerOf(stage, id);
  const why = reasonText(stage, number, value);
  return {
    id,
    name: id === null ? '' : nameOf(stage, id),
    type: variable < 0 ? '' : typeText(avalOf(stage, graph, variable)),
    size: sizeText(bytes),
    badge: '',
    about: joined(' · ', [frame ? placeOf(frame) : '', why, layer]),
    code: '',
  };
}

function inputId({ invars, constvars }: Graph, path: Id, variable: number): Id | null {
  const input = invars.indexOf(variable);
  if (input >= 0) return binderId(path, 'in', input);
  const constant = constvars.indexOf(variable);
  return constant < 0 ? null : binderId(path, 'const', constant);
}

function reasonText(stage: Stage, graph: number, { reason, user }: Alive): string {
  const by = user < 0 ? '' : userText(stage, { graph, eqn: user });
  switch (reason) {
    case 'input':
      return __('input, live throughout');
    case 'made':
      return __('made here');
    case 'used':
      return __('used here');
    case 'result':
      return __('result, returned');
    case 'residual':
      return __('residual, kept for %1', by);
    case 'later':
      return __('used later by %1', by);
    case 'within':
      return __('memory that its body needs while it runs');
  }
}

/** The eqn that uses a value, and what encloses it: `mul in layers[0].up ⟵`. */
function userText(stage: Stage, place: EqnPlace): string {
  const id = idOfEqn(stage, place);
  const around = id === null ? '' : layerOf(stage, id).split(' › ').at(-1);
  const label = id === null ? '' : nameOf(stage, id);
  return around ? __('%1 in %2', label, around) : label;
}

const placed = (stage: Stage, place: EqnPlace): Pick<ValueRow, 'about' | 'code'> => ({
  about: whereOf(stage, place),
  code: frameOf(stage, place)?.code ?? '',
});

/** The first instance of an eqn; null if nothing uses its graph. */
function idOfEqn(stage: Stage, { graph, eqn }: EqnPlace): Id | null {
  const path = firstPaths(stage)[graph];
  return path === null || path === undefined ? null : eqnId(path, eqn);
}

/** The most names of enclosing items. */
const MOST_NAMES = 3;

/** The names of the items around an item, outermost first: `backward › layers[7] › softmax`. Of
 * `layers[7] › layers[7].v`, only the second is used. */
function layerOf(stage: Stage, id: Id): string {
  const all = hiding(stage, id)
    .filter((one) => !isPlainGroup(stage, one))
    .map((one) => nameOf(stage, one));
  const names = all.filter((name, at) => !all[at + 1]?.startsWith(name));
  const shown = names.length > MOST_NAMES ? [...names.slice(0, 1), '…', ...names.slice(-2)] : names;
  return shown.join(' › ');
}

/** True for a group that only gathers or splits others. */
function isPlainGroup(stage: Stage, id: Id): boolean {
  const { path, step } = parse(id);
  const kind = step.kind === 'group' ? graphAt(stage, path)?.groups[step.index]?.kind : '';
  return kind === 'repeat' || kind === 'section';
}

function frameOf(stage: Stage, { graph, eqn }: EqnPlace): Frame | null {
  return stage.frames[stage.graphs[graph]?.eqns[eqn]?.frame ?? -1] ?? null;
}

/** The line of an eqn; empty for other items, and if it is unknown. */
export function lineOf(stage: Stage, id: Id): string {
  const found = eqnAt(stage, id);
  const frame = stage.frames[found?.eqn.frame ?? -1];
  return frame ? placeOf(frame) : '';
}

/** The types of an eqn's operands and results: `bf16[8,64] → f32[8,64]`; only one if all are the
 * same. */
export function typesOf(stage: Stage, id: Id): string {
  const found = eqnAt(stage, id);
  const result = typeOf(stage, id);
  if (!found) return result;
  const operands = found.eqn.invars.map((one) => typeText(avalOf(stage, found.graph, one)));
  const operandTypes = joined(', ', [...new Set(operands)]);
  return operandTypes === result || operandTypes === '' ? result : `${operandTypes} → ${result}`;
}

/** The line of an eqn and the layer around it: `cell 3, line 4 · layers[7]`. */
function whereOf(stage: Stage, place: EqnPlace): string {
  const id = idOfEqn(stage, place);
  const frame = frameOf(stage, place);
  const parts = [frame ? placeOf(frame) : '', id === null ? '' : layerOf(stage, id)];
  return joined(' · ', parts);
}

/** The bytes that XLA reserves for arguments, outputs and temporaries; null if any of these is
 * unknown. */
export function reservedBytes({
  arguments: inputs,
  outputs,
  temporaries,
  aliased,
}: Memory): number | null {
  if (inputs === null || outputs === null || temporaries === null) return null;
  return inputs + outputs + temporaries - (aliased ?? 0);
}

/** Says if a program fits into `limit` bytes, by how much, and what needs the memory. */
export function fitText(memory: Memory, limit: number): string {
  const reserved = reservedBytes(memory);
  if (reserved === null) return __('XLA does not report here how much memory it sets aside.');
  const [whole, limitText] = [sizeText(reserved), sizeText(limit)];
  const parts = partsOf(memory);
  return reserved > limit
    ? __(
        'Does not fit into %1: XLA sets %2 aside on each device (%3), which is %4 too much.',
        limitText,
        whole,
        parts,
        sizeText(reserved - limit),
      )
    : __(
        'Fits into %1: XLA sets %2 aside on each device (%3), and %4 are left.',
        limitText,
        whole,
        parts,
        sizeText(limit - reserved),
      );
}

function partsOf({ arguments: inputs, outputs, temporaries, aliased }: Memory): string {
  const parts = __(
    'arguments %1, outputs %2, temporaries %3',
    sizeText(inputs),
    sizeText(outputs),
    sizeText(temporaries),
  );
  return aliased
    ? __('%1; %2 of the outputs reuse donated arguments', parts, sizeText(aliased))
    : parts;
}

/** The part of a value on each device, the axes that split each dimension or hold copies, and the
 * mesh. */
export function meshFacts(laid: Sharding): Fact[] {
  const type = `${laid.dtype}[${shardShape(laid).join(',')}]`;
  const bytes = bytesText(shardBytes(laid));
  const mesh = laid.mesh.map(({ name, size }) => `${name} ${size}`).join(' × ');
  return [
    { name: __('per device'), value: [code(type), ...(bytes === '' ? [] : [words(bytes)])] },
    { name: __('split'), value: [words(splitTexts(laid).join('; '))] },
    { name: __('mesh'), value: [code(mesh)] },
  ];
}

function splitTexts({ mesh, dimensions }: Sharding): string[] {
  const used = new Set(dimensions.flatMap(({ axes }) => axes));
  const same = mesh.filter((axis) => !used.has(axis)).map(({ name }) => name);
  const split = dimensions.flatMap(({ axes }, at) =>
    axes.length === 0
      ? []
      : [__('dimension %1 along %2', at, axes.map(({ name }) => name).join(', '))],
  );
  return [...split, ...(same.length === 0 ? [] : [__('the same along %1', same.join(', '))])];
}
