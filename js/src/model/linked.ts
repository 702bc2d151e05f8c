/** One selection in all stages: what a selected item stands for, and where that is elsewhere. */
import type { Eqn, Graph, Stage } from '../schema';
import { eqnAt, graphAt } from './graph';
import { enclosingEqns, graphPath, type Id, parse, ROOT, type Step } from './ids';
import { chainsOf, frameOf, keyOf, type Line } from './lines';
import { agree, type Chain, eqnOf, idOf, madeIn, numbersOf } from './origins';
import { bindersOf } from './outline';

/** What the reader selected: something in a stage, or a line of the source. */
export type Focus = { stage: string; id: Id } | { stage: 'source'; line: Line };

/** An eqn of the jaxpr that a selection stands for. */
interface Meant {
  chain: Chain;
  /** With all that the eqn holds. */
  whole: boolean;
  guess: boolean;
}

/** Something in a stage that a selection is linked to. */
export interface Found {
  id: Id;
  /** Not written by JAX or XLA. */
  guess: boolean;
  /** It holds others that are found: it was fused from them. */
  holds: boolean;
}

export interface Links {
  /** `gone`: what is meant is known, and nothing in the stage comes from it. `unknown`: what was
   * selected does not say where it comes from, or the stage does not. */
  status: 'here' | 'gone' | 'unknown';
  found: readonly Found[];
}

export interface Linked {
  /** Links by the kind of the stage, without that of the selection. */
  stages: ReadonlyMap<string, Links>;
  lines: readonly Line[];
}

/** Those that lie in no other one. */
export function outermost(found: readonly Found[]): Found[] {
  const ids = new Set(found.map(({ id }) => id));
  return found.filter(({ id }) => !enclosingEqns(id).some((one) => ids.has(one)));
}

const NOWHERE: Chain = [];
const UNKNOWN: Links = { status: 'unknown', found: [] };

export function linked(stages: readonly Stage[], focus: Focus): Linked {
  const jaxpr = stages.find(({ kind, error }) => kind === 'jaxpr' && error === null);
  const others = stages.filter(({ kind, error }) => kind !== focus.stage && error === null);
  if (!jaxpr) return { stages: new Map(others.map(({ kind }) => [kind, UNKNOWN])), lines: [] };
  const binder = 'id' in focus ? binderOf(stages, focus) : null;
  if (binder) {
    return { stages: new Map(others.map((one) => [one.kind, sameBinder(one, binder)])), lines: [] };
  }
  const meant =
    'id' in focus
      ? meantBy(jaxpr, stages.find(({ kind }) => kind === focus.stage) ?? jaxpr, focus.id)
      : chainsOf(jaxpr, focus.line).map((chain) => ({ chain, whole: false, guess: false }));
  return {
    stages: new Map(others.map((one) => [one.kind, linksIn(jaxpr, one, meant)])),
    lines: 'id' in focus ? linesOf(jaxpr, meant) : [focus.line],
  };
}

/** What an item stands for, each eqn of the jaxpr once. */
function meantBy(jaxpr: Stage, stage: Stage, id: Id): Meant[] {
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  if (!graph) return [];
  const { eqns, around } = covered(stage, graph, path, step);
  if (stage === jaxpr) {
    const outer = enclosingEqns(around).map((one) => numberAt(stage, one));
    return eqns.map((number) => ({ chain: [...outer, number], whole: true, guess: false }));
  }
  const context = enclosingEqns(around).reduce(
    (chain: Chain, one) => within(jaxpr, chain, eqnAt(stage, one)?.eqn),
    NOWHERE,
  );
  const found = new Map<string, Meant>();
  for (const { eqn, chain } of withHeld(
    stage,
    eqns,
    (outer, one) => within(jaxpr, outer, one),
    context,
  )) {
    if (eqn.origin.length === 0) continue;
    const key = chain.join();
    if (!eqn.guess || !found.has(key)) found.set(key, { chain, whole: false, guess: eqn.guess });
  }
  return [...found.values()];
}

/** The chain of an eqn of a later stage: a function that is shared does not say who calls it. */
function within(jaxpr: Stage, outer: Chain, eqn: Eqn | undefined): Chain {
  const origin = eqn?.origin ?? [];
  if (origin.length === 0) return outer;
  const isWhole = numbersOf(jaxpr).graphs[origin[0]!] === 0;
  return isWhole ? origin : [...outer, ...origin];
}

/** The eqns that an item is or holds, by number, and an id beside them. */
function covered(stage: Stage, graph: Graph, path: Id, step: Step) {
  const start = numbersOf(stage).starts[stage.graphs.indexOf(graph)] ?? 0;
  const run = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => start + from + index);
  if (step.kind === 'eqn') return { eqns: run(step.index, step.index + 1), around: path };
  if (step.kind === 'group') {
    const { start: from, stop } = graph.groups[step.index] ?? { start: 0, stop: 0 };
    return { eqns: run(from, stop), around: path };
  }
  if (step.kind !== 'body') return { eqns: [], around: path };
  const body = graph.eqns[step.eqn]?.bodies[step.index]?.graph ?? -1;
  const first = numbersOf(stage).starts[body] ?? 0;
  const eqns = (stage.graphs[body]?.eqns ?? []).map((_, index) => first + index);
  const inner = path === ROOT ? '' : `${path}/`;
  return { eqns, around: `${inner}${step.eqn}.${step.index}` };
}

function numberAt(stage: Stage, eqn: Id): number {
  const { path, step } = parse(eqn);
  const graph = stage.graphs.indexOf(graphAt(stage, path) as Graph);
  return (numbersOf(stage).starts[graph] ?? 0) + (step.kind === 'eqn' ? step.index : 0);
}

interface Held {
  number: number;
  eqn: Eqn;
  chain: Chain;
}

/** Some eqns and all that their bodies hold, with their chains; what is shared once for each eqn that
 * holds it. */
function withHeld(
  stage: Stage,
  eqns: readonly number[],
  chainOf: (outer: Chain, eqn: Eqn, number: number) => Chain,
  around: Chain,
): Held[] {
  const held = (number: number, outer: Chain): Held => {
    const eqn = eqnOf(stage, number) as Eqn;
    return { number, eqn, chain: chainOf(outer, eqn, number) };
  };
  const found = eqns.map((number) => held(number, around));
  const seen = new Set<number>();
  for (let at = 0; at < found.length; at++) {
    const { number, eqn, chain } = found[at] as Held;
    if (seen.has(number)) continue;
    seen.add(number);
    for (const { graph } of eqn.bodies) {
      const start = numbersOf(stage).starts[graph] ?? 0;
      stage.graphs[graph]?.eqns.forEach((_, index) => {
        found.push(held(start + index, chain));
      });
    }
  }
  return found;
}

function linksIn(jaxpr: Stage, stage: Stage, meant: readonly Meant[]): Links {
  if (meant.length === 0) return UNKNOWN;
  const made = stage === jaxpr ? itself(meant) : madeFor(jaxpr, stage, meant);
  if (made === null) return UNKNOWN;
  made.sort((one, other) => one.number - other.number);
  return here(
    made.flatMap(({ number, chain, guess }) =>
      withFusion(stage, idOf(stage, number, chain), guess),
    ),
  );
}

/** An eqn of a stage, by its number there, and the instance that is meant. */
interface Hit {
  number: number;
  chain: Chain;
  guess: boolean;
}

const itself = (meant: readonly Meant[]): Hit[] =>
  meant.map(({ chain, guess }) => ({ number: chain.at(-1) ?? -1, chain, guess }));

/** Null where no eqn of the stage says what it was made for. */
function madeFor(jaxpr: Stage, stage: Stage, meant: readonly Meant[]): Hit[] | null {
  const { own, within } = madeIn(stage);
  if (within.size === 0) return null;
  return meant.flatMap(({ chain, whole, guess }) =>
    ((whole ? within : own).get(chain.at(-1) ?? -1) ?? []).flatMap((number) => {
      const eqn = eqnOf(stage, number) as Eqn;
      return agree(jaxpr, chain, eqn.origin) ? [{ number, chain, guess: guess || eqn.guess }] : [];
    }),
  );
}

/** What is found in a fusion, behind the fusion. */
function withFusion(stage: Stage, id: Id | null, guess: boolean): Found[] {
  if (id === null) return [];
  const holder = enclosingEqns(id).at(-1);
  const isFused = holder !== undefined && eqnOf(stage, numberAt(stage, holder))?.op === 'fusion';
  const own = { id, guess, holds: false };
  return isFused ? [{ id: holder, guess, holds: true }, own] : [own];
}

/** Each once; sure where any of the same is. */
function here(all: readonly Found[]): Links {
  const found = new Map<Id, Found>();
  for (const one of all) {
    const known = found.get(one.id);
    found.set(
      one.id,
      known ? { ...one, guess: known.guess && one.guess, holds: known.holds || one.holds } : one,
    );
  }
  return { status: found.size === 0 ? 'gone' : 'here', found: [...found.values()] };
}

/** The lines of eqns of the jaxpr and of all that they hold, each once. */
function linesOf(jaxpr: Stage, meant: readonly Meant[]): Line[] {
  const lines = new Map<string, Line>();
  const add = (chain: Chain) => {
    const frame = frameOf(jaxpr, chain);
    if (frame) lines.set(keyOf(frame), { cell: frame.cell, file: frame.file, line: frame.line });
  };
  for (const { chain, whole } of meant) {
    add(chain);
    if (!whole) continue;
    const inner = withHeld(jaxpr, chain.slice(-1), () => NOWHERE, NOWHERE);
    for (const { eqn, number } of inner) if (!eqn.inherited) add([number]);
  }
  return [...lines.values()];
}

interface SameBinder {
  binder: 'in' | 'out';
  path: string;
}

/** An input or output of the whole program by the user's path. */
function binderOf(stages: readonly Stage[], { stage: kind, id }: { stage: string; id: Id }) {
  if (graphPath(id) !== ROOT) return null;
  const { step } = parse(id);
  const graph = stages.find((one) => one.kind === kind)?.graphs[0];
  if (step.kind !== 'binder' || step.binder === 'const' || !graph) return null;
  const path = bindersOf(graph, step.binder).paths[step.index] ?? '';
  return path === '' ? null : { binder: step.binder, path };
}

/** All of a binder's parts are found by the same path; an argument that is not used is gone. */
function sameBinder(stage: Stage, { binder, path }: SameBinder): Links {
  const graph = stage.graphs[0];
  const paths = graph ? bindersOf(graph, binder).paths : [];
  if (!paths.some((one) => one !== '')) return UNKNOWN;
  const found = paths.flatMap((one, index) =>
    one === path ? [{ id: `${binder}${index}`, guess: false, holds: false }] : [],
  );
  return { status: found.length === 0 ? 'gone' : 'here', found };
}
