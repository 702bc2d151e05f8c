/** The rows of lists of eqns and values: of casts, of what is alive at the peak, of the largest
 * values. Each leads to its place. */

import type { Cast } from '../facts/casts';
import { joined, labelOf, placeOf, sizeText } from '../facts/describe';
import { avalOf, type EqnPlace } from '../facts/graph';
import { binderId, eqnId, type Id } from '../facts/ids';
import type { Alive, Made } from '../facts/numbers/alive';
import { typeText } from '../facts/types';
import { __, _n } from '../language';
import type { Graph, Stage, Stray } from '../schema';
import { nameOf } from './names';
import { frameOf, idOfEqn, layerOf, whereOf } from './where';

/** A row: what it is and how large, and below that why and where. */
export interface ValueRow {
  /** What it leads to; null for what is no item. */
  id: Id | null;
  name: string;
  /** A type, or two with an arrow. */
  type: string;
  size: string;
  /** What makes it special; empty where nothing does. */
  badge: string;
  /** Why it is in the list, its line and what encloses it. */
  about: string;
  /** The text of its line. */
  code: string;
}

export function castRow(stage: Stage, { from, to, bytes, stray, ...place }: Cast): ValueRow {
  const graph = stage.graphs[place.graph] as Graph;
  const [result = -1] = graph.eqns[place.eqn]!.outvars;
  return {
    id: idOfEqn(stage, place),
    name: `${from} → ${to}`,
    type: typeText(avalOf(stage, graph, result)),
    size: sizeText(bytes),
    badge: stray ? __('≠ %1, not in %2 siblings', stray.layer, stray.siblings) : '',
    ...standing(stage, place),
  };
}

/** How a layer differs from those like it: `layers[7] has 2 casts that its 11 siblings do not have`. */
export const strayText = ([{ layer, siblings }, ...others]: readonly [Stray, ...Stray[]]): string =>
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
    ...standing(stage, place),
  };
}

/** A value that is alive while an eqn of the graph at a path runs. */
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
  const held = constvars.indexOf(variable);
  return held < 0 ? null : binderId(path, 'const', held);
}

function reasonText(stage: Stage, graph: number, { reason, user }: Alive): string {
  const by = user < 0 ? '' : userText(stage, { graph, eqn: user });
  switch (reason) {
    case 'input':
      return __('input, there throughout');
    case 'made':
      return __('made here');
    case 'used':
      return __('used here');
    case 'result':
      return __('result, handed back');
    case 'residual':
      return __('residual, kept for %1', by);
    case 'later':
      return __('used later by %1', by);
    case 'within':
      return __('what its body needs while it runs');
  }
}

/** The eqn that uses a value, and what encloses it: `mul in layers[0].up ⟵`. */
function userText(stage: Stage, place: EqnPlace): string {
  const id = idOfEqn(stage, place);
  const around = id === null ? '' : layerOf(stage, id).split(' › ').at(-1);
  const label = id === null ? '' : nameOf(stage, id);
  return around ? __('%1 in %2', label, around) : label;
}

const standing = (stage: Stage, place: EqnPlace): Pick<ValueRow, 'about' | 'code'> => ({
  about: whereOf(stage, place),
  code: frameOf(stage, place)?.code ?? '',
});
