/** The search box of a view, with the list of matches. */
import type { Ref } from 'preact';
import { useState } from 'preact/hooks';
import { __, thousands } from '../language';
import type { Action, ViewState } from '../state/view-state';
import { optionId, useUniqueId } from './parts/controls';
import { later } from './parts/deferred';

const Matches = later(async () => (await import('./matches')).Matches);
const Hint = later(async () => (await import('./matches')).Hint);

interface Props {
  state: ViewState;
  dispatch: (action: Action) => void;
  input: Ref<HTMLInputElement>;
}

/** The search box, and below it the list of matches. The arrow keys move along the list. Enter goes
 * to the current match, then to the next one, with Shift to the previous one. Escape clears the
 * box. */
export function Find({ state, dispatch, input }: Props) {
  const { query, matches, match } = state;
  const list = useUniqueId();
  const [listed, show] = useState(false);
  const hasQuery = query.trim() !== '';
  const onKeyDown = findKeys({ state, dispatch, listed, show });
  const open = listed && hasQuery && matches.length > 0;
  const go = (to: number) => {
    dispatch({ type: 'match', match: to });
    show(false);
  };
  const write = (text: string) => {
    dispatch({ type: 'find', query: text });
    show(true);
  };
  return (
    <search
      class="jxv-find"
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) show(false);
      }}
    >
      <input
        {...inputProps()}
        ref={input}
        value={query}
        {...(open ? { 'aria-controls': list } : {})}
        {...(open && match >= 0 ? { 'aria-activedescendant': optionId(list, match) } : {})}
        onFocus={() => show(true)}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {open && <Matches state={state} id={list} go={go} onKeyDown={onKeyDown} />}
      {listed && !open && <Hint none={hasQuery} />}
      <Steps state={state} dispatch={dispatch} />
    </search>
  );
}

/** The number of matches, and the buttons to the previous and the next one. */
function Steps({ state, dispatch }: Pick<Props, 'state' | 'dispatch'>) {
  const none = state.matches.length === 0;
  if (state.query.trim() === '') return null;
  return (
    <>
      <span class={`jxv-found${none ? ' jxv-none' : ''}`}>{tally(state)}</span>
      <Step by={-1} text="↑" name={__('Previous match')} {...{ none, dispatch }} />
      <Step by={1} text="↓" name={__('Next match')} {...{ none, dispatch }} />
    </>
  );
}

/** The attributes of the search box that never change. */
const inputProps = () => ({
  type: 'search',
  class: 'jxv-input',
  'aria-label': __('Find'),
  placeholder: __('op, path, f32[8,64], :12'),
  spellcheck: false,
  autocomplete: 'off' as const,
});

interface StepProps {
  by: 1 | -1;
  text: string;
  name: string;
  /** True if nothing was found. */
  none: boolean;
  dispatch: (action: Action) => void;
}

/** The button to the next or previous match. */
const Step = ({ by, text, name, none, dispatch }: StepProps) => (
  <button
    type="button"
    class="jxv-button jxv-small"
    aria-label={name}
    disabled={none}
    onClick={() => dispatch({ type: 'step', by })}
  >
    {text}
  </button>
);

interface ListControls extends Pick<Props, 'state' | 'dispatch'> {
  /** True if the list is open. */
  listed: boolean;
  show: (listed: boolean) => void;
}

/** The key handler of the search box. */
function findKeys({ state, dispatch, listed, show }: ListControls): (event: KeyboardEvent) => void {
  const { matches, match, selected } = state;
  const isSelected = match >= 0 && matches[match] === selected;
  const enter = (by: 1 | -1) => {
    if (match >= 0 && !isSelected) dispatch({ type: 'match', match });
    else dispatch({ type: 'step', by });
    show(false);
  };
  const walk = (by: 1 | -1) => {
    if (listed) dispatch({ type: 'mark', match: match < 0 && by < 0 ? -1 : match + by });
    show(true);
  };
  const keys = new Map<string, (event: KeyboardEvent) => void>([
    ['Enter', (event) => enter(event.shiftKey ? -1 : 1)],
    ['ArrowDown', () => walk(1)],
    ['ArrowUp', () => walk(-1)],
    ['Escape', () => dispatch({ type: 'find', query: '' })],
  ]);
  return (event) => {
    const run = event.altKey ? undefined : keys.get(event.key);
    if (!run) return;
    run(event);
    event.preventDefault();
    event.stopPropagation();
  };
}

function tally({ match, matches, total }: ViewState): string {
  if (matches.length === 0) return __('none');
  const all = thousands(total);
  return match < 0 ? all : `${thousands(match + 1)}/${all}`;
}
