/** The line that says where the selection is, with buttons for what can be done with it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { linkTo } from '../facts/named-paths';
import type { Toward } from '../facts/reach';
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
  /** What to say: that it was copied, or the link itself where it could not be; else empty. */
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
        {toggle('up', __('↑ Only its inputs'), __('Show only its inputs ( [ )'))}
        {toggle('down', __('↓ Only what depends on it'), __('Show only what depends on it ( ] )'))}
        <CopyLink {...{ copy, copied }} />
      </div>
    </div>
  );
}

/** The button that copies a link. Where the browser refuses, the link itself, for the reader to
 * copy. */
function CopyLink({ copy, copied }: Pick<Props, 'copy' | 'copied'>) {
  if (copied.startsWith('jaxviz:')) {
    return (
      <input
        class="jxv-input"
        readOnly
        aria-label={__('Link')}
        value={copied}
        ref={(input) => input?.select()}
      />
    );
  }
  return (
    <button
      type="button"
      class="jxv-button"
      title={__('A link to paste into Find ( l )')}
      onClick={copy}
    >
      {copied || __('Copy link')}
    </button>
  );
}

/** The width of a character in the trail, px. */
const CHARACTER_WIDTH = 7.3;

/** What encloses the selection, from the outside in. If there is not enough room, those in the
 * middle are folded into `…`, which unfolds them. */
function Crumbs({ found, go }: { found: Link[]; go: (id: string) => void }) {
  const element = useRef<HTMLElement>(null);
  const width = useWidth(element);
  const [unfolded, unfold] = useState<string | null>(null);
  const last = found.at(-1)?.id ?? '';
  const room = width === null || unfolded === last ? Infinity : width / CHARACTER_WIDTH;
  const from = afterGap(
    found.map(({ text }) => text),
    room,
  );
  const between = found.slice(1, from);
  const crumb = (link: Link) => <Crumb key={link.id} {...{ link, go }} isLast={link.id === last} />;
  return (
    <nav class="jxv-crumbs" aria-label={__('Enclosing boxes')} ref={element}>
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

interface CrumbProps {
  link: Link;
  /** Whether it is the selection itself. */
  isLast: boolean;
  go: (id: string) => void;
}

function Crumb({ link: { id, text }, isLast, go }: CrumbProps) {
  return (
    <li>
      <button
        type="button"
        class="jxv-link"
        title={text}
        onClick={() => go(id)}
        {...(isLast ? { 'aria-current': 'location' as const } : {})}
      >
        {text}
      </button>
    </li>
  );
}

/** Gives a function that copies a link to the selection, and what to say of it until something else is
 * selected: that it was copied, or the link where the browser refuses. */
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
