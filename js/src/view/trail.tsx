import { useEffect, useRef, useState } from 'preact/hooks';
import type { Toward } from '../facts/closure';
import { linkTo } from '../facts/named-paths';
import type { Link } from '../facts/value-flow';
import { __ } from '../language';
import type { Action, ViewState } from '../state/view-state';
import { afterGap, crumbs } from '../words/names';
import { useWidth } from './element-size';

interface Props {
  state: ViewState;
  dispatch: (action: Action) => void;
  /** Shows the whole graph. */
  showWhole: () => void;
  /** Copies a link to the selection. */
  copy: () => void;
  /** That it was copied, or the link itself where it could not be; else empty. */
  copied: string;
}

/** Where the selection is, and what can be done with it. */
export function Trail({ state, dispatch, showWhole, copy, copied }: Props) {
  const { stage, selected, only } = state;
  const toggle = (toward: Toward, text: string, title: string) => (
    <button
      type="button"
      class="jxv-button"
      title={title}
      aria-pressed={only?.toward === toward}
      onClick={() => dispatch({ type: 'only', toward })}
    >
      {text}
    </button>
  );
  return (
    <div class="jxv-trail">
      <Crumbs
        found={crumbs(stage, selected)}
        go={(id) => {
          dispatch({ type: 'select', id: id === '' ? null : id });
          if (id === '') showWhole();
        }}
      />
      <div class="jxv-trail-tools">
        {toggle('up', __('↑ Leads to it'), __('Show only what leads to it ( [ )'))}
        {toggle('down', __('↓ Comes from it'), __('Show only what comes from it ( ] )'))}
        {copied.startsWith('jaxviz:') ? (
          <input
            class="jxv-input"
            readOnly
            aria-label={__('Link')}
            value={copied}
            ref={(input) => input?.select()}
          />
        ) : (
          <button
            type="button"
            class="jxv-button"
            title={__('A link to paste into Find ( l )')}
            onClick={copy}
          >
            {copied || __('Copy link')}
          </button>
        )}
      </div>
    </div>
  );
}

/** Of the code font at its size, px. */
const CHARACTER = 7.3;

function Crumbs({ found, go }: { found: Link[]; go: (id: string) => void }) {
  const element = useRef<HTMLElement>(null);
  const width = useWidth(element);
  const [unfolded, unfold] = useState<string | null>(null);
  const last = found.at(-1)?.id ?? '';
  const room = width === null || unfolded === last ? Infinity : width / CHARACTER;
  const from = afterGap(
    found.map(({ text }) => text),
    room,
  );
  const between = found.slice(1, from);
  const crumb = ({ id, text }: Link) => (
    <li key={id}>
      <button
        type="button"
        class="jxv-link"
        title={text}
        onClick={() => go(id)}
        {...(id === last ? { 'aria-current': 'location' as const } : {})}
      >
        {text}
      </button>
    </li>
  );
  return (
    <nav class="jxv-crumbs" aria-label={__('What encloses it')} ref={element}>
      <ol>
        {found.slice(0, 1).map(crumb)}
        {between.length > 0 && (
          <li>
            <button
              type="button"
              class="jxv-link"
              title={between.map(({ text }) => text).join(' › ')}
              aria-label={__('%1 more between', between.length)}
              onClick={() => unfold(last)}
            >
              …
            </button>
          </li>
        )}
        {found.slice(from).map(crumb)}
      </ol>
    </nav>
  );
}

/** Copies a link to the selection, and what is to be said of that, until another is selected. */
export function useCopiedLink({ stage, selected }: ViewState): [string, () => void] {
  const [said, say] = useState('');
  useEffect(() => say(''), [selected]);
  const copy = () => {
    if (selected === null) return;
    const link = linkTo(stage, selected);
    const writing = navigator.clipboard?.writeText(link) ?? Promise.reject(new Error('none'));
    writing.then(
      () => say(__('Link copied')),
      () => say(link),
    );
  };
  return [said, copy];
}
