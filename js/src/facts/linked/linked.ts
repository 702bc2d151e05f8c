/** Links a selection to the same thing in every other stage, and to its source lines. */
import type { Eqn, Frame, Stage } from '../../schema';
import { bindersNamed, bindersOf } from '../graph';
import { binderId, enclosingEqns, graphPath, type Id, parse, ROOT } from '../ids';
import {
  agree,
  type Chain,
  eqnOf,
  idOf,
  madeIn,
  numberAt,
  type SelectedEqn,
  selectedBy,
  withBodies,
} from './origins';
import { chainsOf, frameOf, keyOf, type LinePlace } from './source-lines';

/** A line of the source. */
export interface LineFocus {
  stage: 'source';
  line: LinePlace;
  /** If present, only these eqns of the jaxpr, by number: those that one step of the trace added. */
  eqns?: readonly number[];
}

/** The reader's selection: something in a stage, or a line of the source. */
export type Focus = { stage: string; id: Id } | LineFocus;

/** An item of a stage that belongs to the selection. */
export interface LinkedItem {
  id: Id;
  /** True if jaxviz guessed the link: neither JAX nor XLA wrote where the item comes from. */
  guess: boolean;
  /** True if it is the fusion around another linked item. */
  holds: boolean;
}

export interface Links {
  /** `here`: something was found. `gone`: the selection is known, and nothing in the stage comes from it. `lost`:
   * nothing was found, but not all eqns of the stage have an origin. `unknown`: the selection has no origin, or
   * nothing in the stage has one. */
  status: 'here' | 'gone' | 'lost' | 'unknown';
  found: readonly LinkedItem[];
}

/** The user's code of a selection. */
export interface Code {
  lines: readonly LinePlace[];
  /** The frames whose expressions it includes, if these are few. */
  frames: readonly Frame[];
}

export const NO_CODE: Code = { lines: [], frames: [] };

/** The most expressions that are distinguished; with more, only lines are shown. */
const MOST_EXPRESSIONS = 8;

export interface Linked extends Code {
  /** Links by the kind of stage, all stages but that of the selection. */
  stages: ReadonlyMap<string, Links>;
}

/** The items that are inside no other of them. */
export function outermost(found: readonly LinkedItem[]): LinkedItem[] {
  const ids = new Set(found.map(({ id }) => id));
  return found.filter(({ id }) => !enclosingEqns(id).some((one) => ids.has(one)));
}

const UNKNOWN_LINKS: Links = { status: 'unknown', found: [] };

export function linked(stages: readonly Stage[], focus: Focus): Linked {
  const first = firstStage(stages);
  const others = stages.filter(({ kind, error }) => kind !== focus.stage && error === null);
  if (!first)
    return { stages: new Map(others.map(({ kind }) => [kind, UNKNOWN_LINKS])), ...NO_CODE };
  const binders = 'id' in focus ? bindersAt(stages, focus.stage, focus.id) : null;
  const selected = selectedIn(stages, first, focus);
  const links = (stage: Stage): Links => {
    if (!binders) return linksIn(first, stage, selected);
    const ids = sameBinders(stage, binders);
    return ids ? here(ids.map((id) => ({ id, guess: false, holds: false }))) : UNKNOWN_LINKS;
  };
  return {
    stages: new Map(others.map((one) => [one.kind, links(one)])),
    ...codeIn(first, focus, selected),
  };
}

/** The numbers of the jaxpr's eqns that a selection stands for. */
export function selectedEqns(stages: readonly Stage[], focus: Focus): number[] {
  const first = firstStage(stages);
  return first ? selectedIn(stages, first, focus).map(({ chain }) => chain.at(-1) ?? -1) : [];
}

/** The code of a selection, without its links. */
export function codeOf(stages: readonly Stage[], focus: Focus): Code {
  const first = firstStage(stages);
  return first ? codeIn(first, focus, selectedIn(stages, first, focus)) : NO_CODE;
}

/** The stage that all links lead to: the jaxpr, or the first stage that could be made. */
const firstStage = (stages: readonly Stage[]) => stages.find(({ error }) => error === null);

function codeIn(first: Stage, focus: Focus, selected: readonly SelectedEqn[]): Code {
  if ('line' in focus) return { lines: [focus.line], frames: [] };
  const frames = new Set(selected.flatMap(({ chain }) => frameOf(first, chain) ?? []));
  return {
    lines: linesOf(first, selected),
    frames: frames.size > MOST_EXPRESSIONS ? [] : [...frames],
  };
}

function selectedIn(stages: readonly Stage[], first: Stage, focus: Focus): SelectedEqn[] {
  if ('line' in focus) {
    const chains = focus.eqns?.map((eqn) => [eqn]) ?? chainsOf(first, focus.line);
    return chains.map((chain) => ({ chain, whole: false, guess: false }));
  }
  const stage = stages.find(({ kind }) => kind === focus.stage);
  return stage ? selectedBy(first, stage, focus.id) : [];
}

function linksIn(first: Stage, stage: Stage, selected: readonly SelectedEqn[]): Links {
  const made: Hit[] | null =
    stage === first
      ? selected.map(({ chain, guess }) => ({ number: chain.at(-1) ?? -1, chain, guess }))
      : madeFor(first, stage, selected);
  if (made === null || selected.length === 0) return UNKNOWN_LINKS;
  made.sort((one, other) => one.number - other.number);
  const links = here(
    made.flatMap(({ number, chain, guess }) =>
      withFusion(stage, idOf(stage, number, chain, stage === first), guess),
    ),
  );
  const lost = links.status === 'gone' && stage !== first && !madeIn(stage).complete;
  return lost ? { ...links, status: 'lost' } : links;
}

/** A linked eqn of a stage, by its number there, and the instance of the jaxpr's eqn that it was made for. */
interface Hit {
  number: number;
  chain: Chain;
  guess: boolean;
}

/** The eqns of a stage that were made for some of the jaxpr; null if no eqn of the stage has an origin. */
function madeFor(first: Stage, stage: Stage, selected: readonly SelectedEqn[]): Hit[] | null {
  const { own, within } = madeIn(stage);
  if (within.size === 0) return null;
  return selected.flatMap(({ chain, whole, guess }) =>
    ((whole ? within : own).get(chain.at(-1) ?? -1) ?? []).flatMap((number) => {
      const eqn = eqnOf(stage, number) as Eqn;
      return agree(first, chain, eqn.origin) ? [{ number, chain, guess: guess || eqn.guess }] : [];
    }),
  );
}

/** An eqn as a linked item, after the fusion around it, if there is one. */
function withFusion(stage: Stage, id: Id | null, guess: boolean): LinkedItem[] {
  if (id === null) return [];
  const holder = enclosingEqns(id).at(-1);
  const isFused = holder !== undefined && eqnOf(stage, numberAt(stage, holder))?.op === 'fusion';
  const own = { id, guess, holds: false };
  return isFused ? [{ id: holder, guess, holds: true }, own] : [own];
}

/** One empty list for all items without links, so that equal lists are identical. */
export const NO_LINKS: readonly LinkedItem[] = [];

/** The links to some items, each listed once. It is a guess only if all mentions of the item are. */
function here(all: readonly LinkedItem[]): Links {
  const found = new Map<Id, LinkedItem>();
  for (const one of all) {
    const before = found.get(one.id);
    found.set(
      one.id,
      before ? { ...one, guess: before.guess && one.guess, holds: before.holds || one.holds } : one,
    );
  }
  return { status: found.size === 0 ? 'gone' : 'here', found: [...found.values()] };
}

/** The source lines of eqns of the jaxpr, each once; of whole eqns also those of their contents. */
function linesOf(first: Stage, selected: readonly SelectedEqn[]): LinePlace[] {
  const frames = new Set<Frame | null>();
  for (const { chain, whole } of selected) {
    frames.add(frameOf(first, chain));
    if (!whole) continue;
    const inner = withBodies(first, chain.slice(-1), () => [], []);
    for (const { eqn, number } of inner) if (!eqn.inherited) frames.add(frameOf(first, [number]));
  }
  const lines = new Map<string, LinePlace>();
  for (const frame of frames) {
    if (frame) lines.set(keyOf(frame), { cell: frame.cell, file: frame.file, line: frame.line });
  }
  return [...lines.values()];
}

/** Inputs or outputs of the whole program, by the user's paths, which are the same in every stage. */
export interface Binders {
  binder: 'in' | 'out';
  paths: ReadonlySet<string>;
}

/** The inputs or outputs that an id names; null if it names something else, or one without a path. */
function bindersAt(stages: readonly Stage[], kind: string, id: Id): Binders | null {
  const graph = stages.find((one) => one.kind === kind)?.graphs[0];
  const { step } = parse(id);
  if (
    graphPath(id) !== ROOT ||
    !graph ||
    !('binder' in step) ||
    step.binder === 'const' ||
    step.binder === 'fixed'
  ) {
    return null;
  }
  const named = new Set(bindersNamed(graph, step).paths.filter((path) => path !== ''));
  return named.size === 0 ? null : { binder: step.binder, paths: named };
}

/** The ids of these inputs or outputs in a stage: none if an argument is not used there, null if the stage has no
 * paths. */
function sameBinders(stage: Stage, { binder, paths }: Binders): Id[] | null {
  const graph = stage.graphs[0];
  const all = graph ? bindersOf(graph, binder).paths : [];
  if (all.every((one) => one === '')) return null;
  return all.flatMap((one, index) => (paths.has(one) ? [binderId(ROOT, binder, index)] : []));
}
