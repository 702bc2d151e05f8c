import type { Ref } from 'preact';
import { MOST_FOUND } from '../model/find';
import type { Action, ViewState } from '../model/state';

interface Props {
  state: ViewState;
  dispatch: (action: Action) => void;
  input: Ref<HTMLInputElement>;
}

/** The search box: Enter goes to the next match, Shift+Enter to the one before, Escape clears. */
export function Find({ state, dispatch, input }: Props) {
  const { query, matches, match } = state;
  const none = matches.length === 0;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') dispatch({ type: 'step', by: event.shiftKey ? -1 : 1 });
    else if (event.key === 'Escape') dispatch({ type: 'find', query: '' });
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search class="jxv-find">
      <input
        ref={input}
        type="search"
        class="jxv-input"
        aria-label="Find"
        placeholder="op, var, path, f32[8,64]"
        spellcheck={false}
        autocomplete="off"
        value={query}
        onInput={(event) => dispatch({ type: 'find', query: event.currentTarget.value })}
        onKeyDown={onKeyDown}
      />
      <span class={`jxv-found${none ? ' jxv-none' : ''}`}>
        {tally(query, match, matches.length)}
      </span>
      <button
        type="button"
        class="jxv-button jxv-small"
        aria-label="Previous match"
        disabled={none}
        onClick={() => dispatch({ type: 'step', by: -1 })}
      >
        ↑
      </button>
      <button
        type="button"
        class="jxv-button jxv-small"
        aria-label="Next match"
        disabled={none}
        onClick={() => dispatch({ type: 'step', by: 1 })}
      >
        ↓
      </button>
    </search>
  );
}

function tally(query: string, match: number, length: number): string {
  if (query.trim() === '') return '';
  if (length === 0) return 'none';
  const all = `${length.toLocaleString('en')}${length < MOST_FOUND ? '' : '+'}`;
  return match < 0 ? all : `${(match + 1).toLocaleString('en')}/${all}`;
}
