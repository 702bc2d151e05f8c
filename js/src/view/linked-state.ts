import { useCallback, useEffect, useReducer, useRef } from 'preact/hooks';
import type { Found } from '../model/linked';
import { type Action, update, type ViewState } from '../model/state';
import type { Linking } from './linking';

const NOTHING: readonly Found[] = [];

/** The state of a stage, whose selection is one with that of the whole program. */
export function useLinkedState(
  before: ViewState,
  { focus, links, choose }: Linking,
): [ViewState, (action: Action) => void] {
  const { kind } = before.stage;
  const [state, act] = useReducer(update, before);
  const { selected } = state;
  const own = focus && 'id' in focus && focus.stage === kind ? focus.id : null;
  const found = focus && own === null ? (links?.stages.get(kind)?.found ?? NOTHING) : null;
  const known = useRef(own);
  useEffect(() => {
    known.current = own;
    if (own === null) act({ type: 'light', found });
    else if (own !== selected) act({ type: 'select', id: own });
  }, [own, found]);
  useEffect(() => {
    if (selected === known.current) return;
    known.current = selected;
    choose(selected === null ? null : { stage: kind, id: selected });
  }, [selected]);
  const dispatch = useCallback((action: Action) => {
    if (action.type === 'select' && action.id === null) choose(null);
    act(action);
  }, []);
  return [state, dispatch];
}
