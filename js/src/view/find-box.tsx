import type { Ref } from 'preact';
import { useId, useState } from 'preact/hooks';
import { __ } from '../language';
import type { Action, ViewState } from '../state/view-state';
import { Hint, Matches, optionId } from './matches';

interface Props {
  state: ViewState;
  dispatch: (action: Action) => void;
  input: Ref<HTMLInputElement>;
}

/**
 * The search box, and below it the list of what was found: the arrow keys walk it, Enter goes to its
 * current match, from there on to the next and with Shift to the one before; Escape clears.
 */
export function Find({ state, dispatch, input }: Props) {
  const { query, matches, match, selected } = state;
  const list = useId();
  const [listed, show] = useState(false);
  const none = matches.length === 0;
  const asked = query.trim() !== '';
  const there = match >= 0 && matches[match] === selected;
  const go = (to: number) => {
    dispatch({ type: 'match', match: to });
    show(false);
  };
  const step = (by: 1 | -1) => dispatch({ type: 'step', by });
  const enter = (back: boolean) => {
    if (match >= 0 && !there) go(match);
    else step(back ? -1 : 1);
    show(false);
  };
  const walk = (by: 1 | -1) => {
    if (listed) dispatch({ type: 'mark', match: match < 0 && by < 0 ? -1 : match + by });
    show(true);
  };
  const keys = new Map<string, (event: KeyboardEvent) => void>([
    ['Enter', (event) => enter(event.shiftKey)],
    ['ArrowDown', () => walk(1)],
    ['ArrowUp', () => walk(-1)],
    ['Escape', () => dispatch({ type: 'find', query: '' })],
  ]);
  const onKeyDown = (event: KeyboardEvent) => {
    const run = event.altKey ? undefined : keys.get(event.key);
    if (!run) return;
    run(event);
    event.preventDefault();
    event.stopPropagation();
  };
  const open = listed && asked && !none;
  return (
    <search
      class="jxv-find"
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) show(false);
      }}
    >
      <input
        ref={input}
        type="search"
        class="jxv-input"
        aria-label={__('Find')}
        placeholder={__('op, path, f32[8,64], :12')}
        spellcheck={false}
        autocomplete="off"
        value={query}
        {...(open ? { 'aria-controls': list } : {})}
        {...(open && match >= 0 ? { 'aria-activedescendant': optionId(list, match) } : {})}
        onFocus={() => show(true)}
        onInput={(event) => {
          dispatch({ type: 'find', query: event.currentTarget.value });
          show(true);
        }}
        onKeyDown={onKeyDown}
      />
      {open && <Matches state={state} id={list} go={go} onKeyDown={onKeyDown} />}
      {listed && !open && <Hint none={asked} />}
      <span class={`jxv-found${none ? ' jxv-none' : ''}`}>{tally(state)}</span>
      <button
        type="button"
        class="jxv-button jxv-small"
        aria-label={__('Previous match')}
        disabled={none}
        onClick={() => step(-1)}
      >
        ↑
      </button>
      <button
        type="button"
        class="jxv-button jxv-small"
        aria-label={__('Next match')}
        disabled={none}
        onClick={() => step(1)}
      >
        ↓
      </button>
    </search>
  );
}

function tally({ query, match, matches, total }: ViewState): string {
  if (query.trim() === '') return '';
  if (matches.length === 0) return __('none');
  const all = total.toLocaleString('en');
  return match < 0 ? all : `${(match + 1).toLocaleString('en')}/${all}`;
}
