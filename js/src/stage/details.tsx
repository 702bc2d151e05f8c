/** The selection in words: beside the graph, in the trail above it; and the foot below the graph. */
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Differences } from '../facts/differences';
import type { Link } from '../facts/flow';
import type { Toward } from '../facts/reach';
import { linkTo } from '../facts/text/named-paths';
import { sentenceText } from '../facts/text/sentence-text';
import { __ } from '../language';
import type { Listing, Sentence } from '../schema';
import { useWidth } from '../shell/parts/controls';
import { later } from '../shell/parts/deferred';
import { Facts } from '../shell/parts/facts';
import { needsNoHint, saveUnderstood } from '../shell/parts/remembered-views';
import { SourceLine, Stack } from '../shell/parts/source-link';
import { expandedNote } from '../state/expand-all';
import { depthNote } from '../state/open-items';
import type { Action, ViewState } from '../state/view-state';
import { endFacts } from '../words/difference-words';
import { afterGap, crumbs, type Details as ItemDetails } from '../words/fact-parts';
import { detailsOf } from '../words/item-details';
import { CounterpartFacts, type Linking, Lit } from './linked/linking';

interface TrailProps {
  state: ViewState;
  dispatch: (action: Action) => void;
  /** Shows the whole graph. */
  showWhole: () => void;
  /** Copies a link to the selection. */
  copy: () => void;
  /** The result of the copy: a word that it was made, or the link if the browser refused; else
   * empty. */
  copied: string;
}

/** The place of the selection, and its commands. */
export function Trail({ state, dispatch, showWhole, copy, copied }: TrailProps) {
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

/** The button that copies a link. If the browser refuses, the link itself, for the reader to copy. */
function CopyLink({ copy, copied }: Pick<TrailProps, 'copy' | 'copied'>) {
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

/** The boxes around the selection, outermost first. Without enough room, those in the middle are
 * folded into `…`, which unfolds them. */
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
  /** True for the selection itself. */
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

/** The text to show of a copied link until the next selection, and a function that copies a link to
 * the selection. The text is the link itself if the browser refuses. */
export function useCopiedLink({ stage, selected }: ViewState): [string, () => void] {
  const [details, setCopied] = useState('');
  useEffect(() => setCopied(''), [selected]);
  const copy = () => {
    if (selected === null) return;
    const link = linkTo(stage, selected);
    const writing = navigator.clipboard?.writeText(link) ?? Promise.reject(new Error('none'));
    writing.then(
      () => setCopied(__('Link copied')),
      () => setCopied(link),
    );
  };
  return [details, copy];
}

const MeshFacts = later(async () => (await import('./on-mesh')).MeshFacts);
const MeshTable = later(async () => (await import('./on-mesh')).MeshTable);

interface Props {
  linking: Linking;
  state: ViewState;
  dispatch: (action: Action) => void;
  trail: ComponentChildren;
}

/** All facts of the selection; without one, a line on what is marked for a selection elsewhere. */
export function Details({ linking, state, dispatch, trail }: Props) {
  const { stage, differences, selected } = state;
  const { focus, pointed } = linking;
  const details = useMemo(
    () => (selected === null ? null : detailsOf(stage, selected, differences)),
    [stage, selected, differences],
  );
  const isOnMesh = selected !== null && !differences && (stage.call?.mesh ?? []).length > 0;
  const marking = focus && focus.stage !== stage.kind ? linking : linkingOfPointed(linking);
  const edited = pointed && 'edited' in pointed ? pointed.edited : null;
  if (selected === null && !marking && !edited) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds inputs
    <section
      class={`jxv-details${selected === null ? ' jxv-lighter' : ''}`}
      role="group"
      aria-label={__('Details')}
    >
      {selected !== null && trail}
      <div class="jxv-details-text" tabIndex={details ? 0 : -1}>
        {edited && <Edited listing={edited} />}
        {details ? (
          <Item
            {...{ details, dispatch }}
            table={[
              isOnMesh && <MeshTable key="mesh" {...{ stage, id: selected }} />,
              linking.below?.(linking),
            ]}
          >
            {focus?.stage === stage.kind && <CounterpartFacts linking={linking} />}
            {isOnMesh && <MeshFacts {...{ stage, id: selected }} />}
          </Item>
        ) : (
          marking && <Lit linking={marking} kind={stage.kind} />
        )}
      </div>
    </section>
  );
}

/** The linking of the pointed-at line in the notebook; null without one. */
const linkingOfPointed = (linking: Linking): Linking | null =>
  linking.pointed && 'focus' in linking.pointed ? { ...linking, ...linking.pointed } : null;

interface FootProps {
  state: ViewState;
  partial: Sentence | null;
}

/** Notes on which the reader can act: what is left out, the differing ends of two programs, and a
 * hint until the first selection. */
export function Foot({ state, partial }: FootProps) {
  const { stage, differences, selected, first, expanded, open, opening } = state;
  const cut = useMemo(() => {
    if (first) return depthNote(stage, open, opening);
    return open === expanded ? expandedNote(stage, open) : null;
  }, [first, stage, open, expanded, opening]);
  useEffect(() => {
    if (selected !== null) saveUnderstood();
  }, [selected]);
  const notes = [partial && sentenceText(partial), cut].filter((note) => note !== null);
  const ends = selected === null && differences;
  const hint = selected === null && !needsNoHint();
  if (notes.length === 0 && !ends && !hint) return null;
  return (
    <footer class="jxv-foot">
      <Notes notes={notes} />
      {ends && <Ends differences={ends} />}
      {hint && (
        <p class="jxv-hint">
          {__(
            'Select a box or a line to see its operands and its source. Double-click opens and closes, / finds, ? lists the keys.',
          )}
        </p>
      )}
    </footer>
  );
}

/** Says that a cell was edited, so that the pointed-at line is not in the program. */
function Edited({ listing: { count } }: { listing: Listing }) {
  return (
    <p class="jxv-hint">
      {count === null
        ? __('That part of the cell was edited after capture: run the cell again to see its lines.')
        : __(
            'That part of cell [%1] was edited after capture: run the cell again to see its lines.',
            count,
          )}
    </p>
  );
}

const Notes = ({ notes }: { notes: readonly string[] }) => (
  <>
    {notes.map((note) => (
      <p class="jxv-note" key={note}>
        {note}
      </p>
    ))}
  </>
);

interface ItemProps {
  details: ItemDetails;
  dispatch: (action: Action) => void;
  /** More facts. */
  children: ComponentChildren;
  /** The content below the facts. */
  table: ComponentChildren;
}

function Item({ details: { title, facts, source }, dispatch, children, table }: ItemProps) {
  const go = (id: string) => dispatch({ type: 'select', id });
  return (
    <>
      <div class="jxv-headline">
        <code class="jxv-title">{title}</code>
        {source && <SourceLine source={source} />}
      </div>
      <Facts key={title} facts={facts} go={go}>
        {children}
      </Facts>
      {table}
      {source && source.stack.length > 1 && <Stack stack={source.stack} most={5} />}
    </>
  );
}

/** The differences of inputs and results of two programs. */
function Ends({ differences }: { differences: Differences }) {
  const facts = useMemo(() => endFacts(differences), [differences]);
  if (facts.length === 0) return null;
  return (
    <div class="jxv-ends">
      <Facts facts={facts} go={() => {}} />
    </div>
  );
}
