/** Where an eqn stands, in words: the layer that it is in, and the line that it comes from. */

import { joined, placeOf } from '../facts/describe';
import { hiding } from '../facts/enclosing';
import { avalOf, type EqnPlace, eqnAt, firstPaths, graphAt } from '../facts/graph';
import { eqnId, type Id, parse } from '../facts/ids';
import { typeText } from '../facts/types';
import type { Frame, Stage } from '../schema';
import { nameOf, typeOf } from './names';

/** The first place of an eqn; null where nothing holds its graph. */
export function idOfEqn(stage: Stage, { graph, eqn }: EqnPlace): Id | null {
  const path = firstPaths(stage)[graph];
  return path === null || path === undefined ? null : eqnId(path, eqn);
}

/** The most names of what encloses an item. */
const MOST_NAMES = 3;

/** What encloses an item, outermost first: `backward › layers[7] › softmax`. Of `layers[7] ›
 * layers[7].v` the second says all. */
export function layerOf(stage: Stage, id: Id): string {
  const all = hiding(stage, id)
    .filter((one) => !isBundle(stage, one))
    .map((one) => nameOf(stage, one));
  const names = all.filter((name, at) => !all[at + 1]?.startsWith(name));
  const shown = names.length > MOST_NAMES ? [...names.slice(0, 1), '…', ...names.slice(-2)] : names;
  return shown.join(' › ');
}

/** Whether an id is of a group that was made only to gather or to cut others. */
function isBundle(stage: Stage, id: Id): boolean {
  const { path, step } = parse(id);
  const kind = step.kind === 'group' ? graphAt(stage, path)?.groups[step.index]?.kind : '';
  return kind === 'repeat' || kind === 'section';
}

export function frameOf(stage: Stage, { graph, eqn }: EqnPlace): Frame | null {
  return stage.frames[stage.graphs[graph]?.eqns[eqn]?.frame ?? -1] ?? null;
}

/** The line of an eqn; empty for what is none, and where JAX knows none. */
export function lineOf(stage: Stage, id: Id): string {
  const found = eqnAt(stage, id);
  const frame = stage.frames[found?.eqn.frame ?? -1];
  return frame ? placeOf(frame) : '';
}

/** What an eqn takes and gives: `bf16[8,64] → f32[8,64]`; the type alone where all are the same. */
export function typesOf(stage: Stage, id: Id): string {
  const found = eqnAt(stage, id);
  const result = typeOf(stage, id);
  if (!found) return result;
  const operands = found.eqn.invars.map((one) => typeText(avalOf(stage, found.graph, one)));
  const taken = joined(', ', [...new Set(operands)]);
  return taken === result || taken === '' ? result : `${taken} → ${result}`;
}

/** The line of an eqn and the layer around it: `cell 3, line 4 · layers[7]`. */
export function whereOf(stage: Stage, place: EqnPlace): string {
  const id = idOfEqn(stage, place);
  const frame = frameOf(stage, place);
  const parts = [frame ? placeOf(frame) : '', id === null ? '' : layerOf(stage, id)];
  return joined(' · ', parts);
}
