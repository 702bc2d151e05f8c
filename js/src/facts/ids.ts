/**
 * Ids name the items of a program. A shared body can be open in two places, so an id is a path from the root:
 *
 *     3          eqn 3 of the root graph          in4, out0, const1   inputs, outputs, consts (fixed0: static)
 *     3.0        body 0 of that eqn               in:params           all inputs below `params`
 *     3.0/5      eqn 5 in that body               g2                  group 2 of the graph
 *
 * The path of the root graph is the empty string, that of a body is the body's own id.
 */
export type Id = string;

export const ROOT: Id = '';

/** A kind of value at the border of a graph: `fixed` is an argument whose value is fixed in the program, so that it
 * is no input. */
export type Binder = 'in' | 'out' | 'const' | 'fixed';

/** The meaning of the last step of an id. */
export type Step =
  | { kind: 'eqn'; index: number }
  | { kind: 'body'; eqn: number; index: number }
  | { kind: 'group'; index: number }
  | { kind: 'binder'; binder: Binder; index: number }
  | { kind: 'gathered'; binder: Binder; prefix: string };

/** The index of the eqn that a step names, or whose body it names; -1 for any other step. */
export const eqnOfStep = (step: Step): number =>
  step.kind === 'eqn' ? step.index : step.kind === 'body' ? step.eqn : -1;

const join = (path: Id, step: string): Id => (path === ROOT ? step : `${path}/${step}`);

export const eqnId = (path: Id, index: number): Id => join(path, String(index));
export const bodyId = (path: Id, eqn: number, index: number): Id => join(path, `${eqn}.${index}`);
export const groupId = (path: Id, index: number): Id => join(path, `g${index}`);
export const binderId = (path: Id, binder: Binder, index: number): Id =>
  join(path, `${binder}${index}`);
export const gatheredId = (path: Id, binder: Binder, prefix: string): Id =>
  join(path, `${binder}:${encodeURIComponent(prefix.replace(/\p{Surrogate}/gu, '\ufffd'))}`);

const STEP = /^(?:(\d+)|(\d+)\.(\d+)|g(\d+)|(in|out|const|fixed)(\d+)|(in|out|const):(.*))$/;

/** True if a text names a step in some graph. */
export const isId = (text: string): boolean => STEP.test(text.slice(text.lastIndexOf('/') + 1));

/** The path of the graph that contains an id's last step. */
export const pathOf = (id: Id): Id => id.slice(0, Math.max(0, id.lastIndexOf('/')));

/** Splits an id into the path of its graph and its last step. */
export function parse(id: Id): { path: Id; step: Step } {
  const match = STEP.exec(id.slice(id.lastIndexOf('/') + 1));
  if (!match) {
    throw new Error(`not an id: ${id}`);
  }
  return { path: pathOf(id), step: stepOf(match) };
}

function stepOf(match: RegExpExecArray): Step {
  const [, eqn, bodyEqn, body, group, binder, index, gathered, prefix] = match;
  if (eqn !== undefined) return { kind: 'eqn', index: Number(eqn) };
  if (bodyEqn !== undefined) return { kind: 'body', eqn: Number(bodyEqn), index: Number(body) };
  if (group !== undefined) return { kind: 'group', index: Number(group) };
  if (binder !== undefined) {
    return { kind: 'binder', binder: binder as Binder, index: Number(index) };
  }
  const decoded = decodeURIComponent(prefix as string);
  return { kind: 'gathered', binder: gathered as Binder, prefix: decoded };
}

/** The eqn whose body is the graph at this path; null for the root. */
export function enclosingEqn(path: Id): Id | null {
  if (path === ROOT) return null;
  const { path: outer, step } = parse(path);
  return step.kind === 'body' ? eqnId(outer, step.eqn) : null;
}

/** The eqns that enclose an id, outermost first. */
export function enclosingEqns(id: Id): Id[] {
  const found: Id[] = [];
  for (let at = graphPath(id); at !== ROOT; ) {
    const eqn = enclosingEqn(at);
    if (eqn === null) break;
    found.push(eqn);
    at = parse(eqn).path;
  }
  return found.reverse();
}

/** The path of the graph that contains an id; a body's id is the path of its own graph. */
export function graphPath(id: Id): Id {
  if (id === ROOT) return ROOT;
  const { path, step } = parse(id);
  return step.kind === 'body' ? id : path;
}
