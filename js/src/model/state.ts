import type { Stage } from '../schema';
import { everything, firstView } from './budget';
import { find } from './find';
import { graphAt } from './graph';
import { bodyId, enclosingEqns, graphPath, groupId, type Id, parse } from './ids';
import { bindersOf, children } from './outline';
import { within } from './pytree';

/** What the reader looks at. A value: `update` gives a new one. */
export interface ViewState {
  stage: Stage;
  /** Eqns, bodies, groups and gathered pytrees that show what they hold. */
  open: ReadonlySet<Id>;
  selected: Id | null;
  hovered: Id | null;
  query: string;
  matches: readonly Id[];
  /** Which of the matches is the current one, -1 where none is. */
  match: number;
}

export type Action =
  | { type: 'toggle'; id: Id }
  | { type: 'expand' }
  | { type: 'collapse' }
  /** Select and open whatever hides it. */
  | { type: 'select'; id: Id | null }
  | { type: 'hover'; id: Id | null }
  | { type: 'find'; query: string }
  /** Go to the next match (1) or the previous one (-1). */
  | { type: 'step'; by: 1 | -1 };

export function start(stage: Stage): ViewState {
  return {
    stage,
    open: firstView(stage),
    selected: null,
    hovered: null,
    query: '',
    matches: [],
    match: -1,
  };
}

export function update(state: ViewState, action: Action): ViewState {
  switch (action.type) {
    case 'toggle':
      return { ...state, open: toggled(state.open, action.id) };
    case 'expand':
      return { ...state, open: everything(state.stage) };
    case 'collapse':
      return { ...state, open: new Set() };
    case 'select':
      return select(state, action.id);
    case 'hover':
      return state.hovered === action.id ? state : { ...state, hovered: action.id };
    case 'find':
      return { ...state, query: action.query, matches: find(state.stage, action.query), match: -1 };
    case 'step':
      return step(state, action.by);
  }
}

function toggled(open: ReadonlySet<Id>, id: Id): ReadonlySet<Id> {
  const next = new Set(open);
  if (!next.delete(id)) next.add(id);
  return next;
}

function select(state: ViewState, id: Id | null): ViewState {
  if (id === null) return { ...state, selected: null };
  const hidden = hiding(state.stage, id).filter((one) => !state.open.has(one));
  const open = hidden.length === 0 ? state.open : new Set([...state.open, ...hidden]);
  return { ...state, selected: id, open };
}

function step(state: ViewState, by: 1 | -1): ViewState {
  const { length } = state.matches;
  if (length === 0) return state;
  const match = state.match < 0 && by < 0 ? length - 1 : (state.match + by + length) % length;
  return { ...select(state, state.matches[match] ?? null), match };
}

/** All that must be open for an id to be seen: its eqns and bodies, groups and gathered pytrees. */
export function hiding(stage: Stage, id: Id): Id[] {
  const outer = enclosingEqns(id).flatMap((eqn) => [...around(stage, eqn), eqn]);
  const bodies = bodiesOf(stage, graphPath(id));
  return [...outer, ...bodies, ...around(stage, id)];
}

/** The bodies on a path that have an item of their own (an eqn's only body has none). */
function bodiesOf(stage: Stage, path: Id): Id[] {
  const found: Id[] = [];
  for (let at = path; at !== ''; ) {
    const { path: outer, step } = parse(at);
    if (step.kind !== 'body') break;
    const eqn = graphAt(stage, outer)?.eqns[step.eqn];
    if ((eqn?.bodies.length ?? 0) > 1) found.push(bodyId(outer, step.eqn, step.index));
    at = outer;
  }
  return found;
}

/** The groups or gathered pytrees around an item, within its own graph. */
function around(stage: Stage, id: Id): Id[] {
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  if (!graph) return [];
  if (step.kind === 'eqn') return groupsAround(graph.groups, path, step.index);
  if (step.kind === 'group') {
    const group = graph.groups[step.index];
    return group ? groupsAround(graph.groups.slice(0, step.index), path, group.start) : [];
  }
  return step.kind === 'binder' ? gatheredAround(stage, path, id) : [];
}

function groupsAround(
  groups: readonly { start: number; stop: number }[],
  path: Id,
  index: number,
): Id[] {
  return groups.flatMap((group, number) =>
    group.start <= index && index < group.stop ? [groupId(path, number)] : [],
  );
}

function gatheredAround(stage: Stage, path: Id, id: Id): Id[] {
  const { step } = parse(id);
  const graph = graphAt(stage, path);
  if (step.kind !== 'binder' || !graph) return [];
  const leaf = bindersOf(graph, step.binder).paths[step.index] ?? '';
  const found: Id[] = [];
  for (let items = children(stage, path); ; ) {
    const next = items.find((item) => {
      if (item.kind !== 'gathered' || !item.foldable) return false;
      const { step: gathered } = parse(item.id);
      return (
        gathered.kind === 'gathered' &&
        gathered.binder === step.binder &&
        within(leaf, gathered.prefix)
      );
    });
    if (!next) return found;
    found.push(next.id);
    items = children(stage, next.id);
  }
}
