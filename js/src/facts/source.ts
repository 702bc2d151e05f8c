/** The source line that an eqn or a group comes from, and the calls that led there. */
import type { Frame, Stage } from '../schema';
import { eqnAt, graphAt } from './graph';
import { enclosingEqn, type Id, parse, ROOT } from './ids';

/** A source line with the calls that led to it. */
export interface Source {
  frame: Frame;
  /** The calls in the user's code that lead to it, outermost first; `frame` is the last. */
  stack: Frame[];
  /** JAX gave the eqn no line of its own: this is the line of an eqn around it. */
  inherited: boolean;
}

/** Where an eqn comes from; for a group, the innermost call that all of its eqns share. An eqn
 * without a line of its own takes that of the eqn that holds its body at this place; other
 * instances of a shared body may have another one. */
export function sourceOf(stage: Stage, id: Id): Source | null {
  if (id === ROOT) return null;
  const { path, step } = parse(id);
  if (step.kind === 'group') return sourceOfGroup(stage, path, step.index);
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

function sourceOfGroup(stage: Stage, path: Id, index: number): Source | null {
  const graph = graphAt(stage, path);
  const group = graph?.groups[index];
  if (!graph || !group) return null;
  const frames = new Set<number>();
  for (const { frame, inherited } of graph.eqns.slice(group.start, group.stop)) {
    if (frame !== null && !inherited) frames.add(frame);
  }
  const ways = [...frames].map((frame) => wayTo(stage, frame));
  const [first, ...others] = ways;
  const apart = first?.findIndex((one, depth) =>
    others.some((way) => !isSameLine(stage, one, way[depth])),
  );
  const common = apart === -1 ? first : first?.slice(0, apart);
  const found = stage.frames[common?.at(-1) ?? -1];
  return found ? { frame: found, stack: stackOf(stage, found), inherited: false } : null;
}

/** Whether two frames are on one line: calls at two columns of a line are two frames. */
function isSameLine(stage: Stage, one: number, other: number | undefined): boolean {
  const [a, b] = [stage.frames[one], stage.frames[other ?? -1]];
  return a?.line === b?.line && a?.file === b?.file && a?.function === b?.function;
}

/** The frames that lead to a frame, outermost first, and the frame itself. */
function wayTo(stage: Stage, frame: number): number[] {
  const way = [frame];
  for (let at = stage.frames[frame]?.parent ?? null; at !== null; ) {
    way.push(at);
    at = stage.frames[at]?.parent ?? null;
  }
  return way.reverse();
}

function stackOf(stage: Stage, frame: Frame): Frame[] {
  const stack = [frame];
  for (let at = stage.frames[frame.parent ?? -1]; at && stack.length < stage.frames.length; ) {
    stack.push(at);
    at = stage.frames[at.parent ?? -1];
  }
  return stack.filter((one) => one === frame || !one.library).reverse();
}
