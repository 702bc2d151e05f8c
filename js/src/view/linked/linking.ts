import { useCallback, useEffect, useReducer, useRef } from 'preact/hooks';
import type { Tints } from '../../facts/colours/tints';
import type { Id } from '../../facts/ids';
import type { Focus, Found, Linked } from '../../facts/linked/linked';
import type { Program, Stage } from '../../schema';
import { type Action, update, type ViewState } from '../../state/view-state';
import type { PointedLine } from '../host-events';

/** One selection in all stages of a program. */
export interface Linking {
  program: Program;
  focus: Focus | null;
  /** What the selection is linked to. */
  links: Linked | null;
  jaxpr: Stage | null;
  /** Null where there is no jaxpr. */
  tints: Tints | null;
  choose: (focus: Focus | null) => void;
  /** A line of a cell that is pointed at in the notebook. */
  pointed: PointedLine | null;
  /** Say what is pointed at. */
  point: (focus: Focus | null) => void;
  /** Select something in a stage, and show it. */
  go: (kind: string, id: Id) => void;
}

const NO_LINKS: readonly Found[] = [];

/** The state of a stage, whose selection is one with that of the whole program. */
export function useLinkedState(
  before: ViewState,
  { focus, links, choose }: Linking,
): [ViewState, (action: Action) => void] {
  const { kind } = before.stage;
  const own = focus && 'id' in focus && focus.stage === kind ? focus.id : null;
  const found = focus && own === null ? (links?.stages.get(kind)?.found ?? NO_LINKS) : null;
  const [state, act] = useReducer(update, before, (state) => follow(state, own, found));
  const { selected } = state;
  const outer = useRef({ own, found });
  const agreed = useRef(own);
  useEffect(() => {
    const isNew = outer.current.own !== own || outer.current.found !== found;
    outer.current = { own, found };
    if (isNew && own === null) act({ type: 'light', found });
    // What comes back of the stage's own selection may be behind it.
    if (isNew && (found !== null || own !== agreed.current)) {
      agreed.current = own;
      if (own !== null && own !== selected) act({ type: 'select', id: own });
      return;
    }
    if (selected === agreed.current) return;
    agreed.current = selected;
    choose(selected === null ? null : { stage: kind, id: selected });
  }, [own, found, selected]);
  const dispatch = useCallback((action: Action) => {
    if (action.type === 'select' && action.id === null) choose(null);
    act(action);
  }, []);
  return [state, dispatch];
}

function follow(state: ViewState, own: Id | null, found: readonly Found[] | null): ViewState {
  if (own !== null) return update(state, { type: 'select', id: own });
  return found === null ? state : update(state, { type: 'light', found });
}
