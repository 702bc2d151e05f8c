import type { Frame, Stage } from '../schema';
import { eqnAt } from './graph';
import { enclosingEqn, type Id } from './ids';

/** The user's line that an eqn comes from, where it stands. */
export interface Source {
  frame: Frame;
  /** The user's calls that lead to it, callers first, `frame` the last. */
  stack: Frame[];
  /** JAX knows no line of the eqn's own: it is that of an eqn around it. */
  inherited: boolean;
}

/**
 * Where an eqn comes from. A shared body's eqn without a line of its own takes that of the eqn that
 * holds the body here, which the other instances of the body may not have.
 */
export function sourceOf(stage: Stage, id: Id): Source | null {
  const here = eqnAt(stage, id);
  if (!here) return null;
  const { frame, inherited } = inherit(stage, id);
  const found = stage.frames[frame ?? here.eqn.frame ?? -1];
  return found ? { frame: found, stack: stackOf(stage, found), inherited } : null;
}

function inherit(stage: Stage, id: Id): { frame: number | null; inherited: boolean } {
  for (let at: Id | null = id; at !== null; ) {
    const place = eqnAt(stage, at);
    if (!place) break;
    if (!place.eqn.inherited && place.eqn.frame !== null) {
      return { frame: place.eqn.frame, inherited: at !== id };
    }
    at = enclosingEqn(place.path);
  }
  return { frame: null, inherited: true };
}

function stackOf(stage: Stage, frame: Frame): Frame[] {
  const stack = [frame];
  for (let at = stage.frames[frame.parent ?? -1]; at && stack.length < stage.frames.length; ) {
    stack.push(at);
    at = stage.frames[at.parent ?? -1];
  }
  return stack.filter((one) => one === frame || !one.library).reverse();
}
