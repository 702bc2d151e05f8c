/** What is said of the selection, beside the graph, and of the program, below it. */
import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Differences } from '../facts/differences';
import { __ } from '../language';
import type { Listing } from '../schema';
import { whatIsCut } from '../state/budget';
import type { Action, ViewState } from '../state/view-state';
import { endFacts } from '../words/difference-words';
import type { Details as Said } from '../words/fact-parts';
import { type Fact, link, type Part } from '../words/fact-parts';
import { fromKernel } from '../words/from-kernel';
import { detailsOf } from '../words/item-details';
import { isUnderstood, keepUnderstood } from './kept-views';
import { Fates, Lit } from './linked/fates';
import type { Linking } from './linked/linking';
import { SourceLine, Stack } from './source-link';

interface Props {
  linking: Linking;
  state: ViewState;
  dispatch: (action: Action) => void;
  trail: ComponentChildren;
}

/** All facts of what is selected; else in one line what is marked because of a selection elsewhere. */
export function Details({ linking, state, dispatch, trail }: Props) {
  const { stage, differences, selected } = state;
  const { focus, pointed } = linking;
  const said = useMemo(
    () => (selected === null ? null : detailsOf(stage, selected, differences)),
    [stage, selected, differences],
  );
  const marking = focus && focus.stage !== stage.kind ? linking : markedBy(linking);
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
      <div class="jxv-said" tabIndex={said ? 0 : -1}>
        {edited && <Edited listing={edited} />}
        {said ? (
          <Item said={said} dispatch={dispatch}>
            {focus?.stage === stage.kind && <Fates linking={linking} />}
          </Item>
        ) : (
          marking && <Lit linking={marking} kind={stage.kind} />
        )}
      </div>
    </section>
  );
}

/** The linking of what is pointed at in the notebook; null where nothing is. */
const markedBy = (linking: Linking): Linking | null =>
  linking.pointed && 'focus' in linking.pointed ? { ...linking, ...linking.pointed } : null;

interface FootProps {
  state: ViewState;
  partial: string | null;
}

/** Below the graph, only what the reader can act upon: what is left out, how the ends of two programs
 * differ, and one sentence of help, until something was selected for the first time. */
export function Foot({ state, partial }: FootProps) {
  const { stage, differences, selected, first, open, opening } = state;
  const cut = useMemo(
    () => (first ? whatIsCut(stage, open, opening) : null),
    [first, stage, open, opening],
  );
  useEffect(() => {
    if (selected !== null) keepUnderstood();
  }, [selected]);
  const notes = [partial, cut].filter((note) => note !== null);
  const ends = selected === null && differences;
  const hint = selected === null && !isUnderstood();
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

/** Says that a cell was edited, so that the line that is pointed at is none that the program was
 * made from. */
function Edited({ listing: { count } }: { listing: Listing }) {
  return (
    <p class="jxv-hint">
      {count === null
        ? __('That cell was edited there since it was captured: run it again to see its lines.')
        : __(
            'Cell [%1] was edited there since it was captured: run it again to see its lines.',
            count,
          )}
    </p>
  );
}

const Notes = ({ notes }: { notes: readonly string[] }) => (
  <>
    {notes.map((note) => (
      <p class="jxv-note" key={note}>
        {fromKernel(note)}
      </p>
    ))}
  </>
);

interface ItemProps {
  said: Said;
  dispatch: (action: Action) => void;
  /** Further facts. */
  children: ComponentChildren;
}

function Item({ said: { title, facts, source }, dispatch, children }: ItemProps) {
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
      {source && source.stack.length > 1 && <Stack stack={source.stack} most={5} />}
    </>
  );
}

/** How the inputs and results of two programs differ. */
function Ends({ differences }: { differences: Differences }) {
  const facts = useMemo(() => endFacts(differences), [differences]);
  if (facts.length === 0) return null;
  return (
    <div class="jxv-ends">
      <Facts facts={facts} go={() => {}} />
    </div>
  );
}

interface FactsProps {
  facts: readonly Fact[];
  go: (id: string) => void;
  about?: ReadonlyMap<string, string> | undefined;
  children?: ComponentChildren;
}

/** A list of facts. What is `about` a fact stands below the fact of that name. */
export function Facts({ facts, go, about, children }: FactsProps) {
  return (
    <dl class="jxv-facts">
      {children}
      <Each {...{ facts, go, about }} />
    </dl>
  );
}

function Each({ facts, go, about }: Pick<FactsProps, 'facts' | 'go' | 'about'>) {
  return (
    <>
      {facts.map((fact, index) =>
        fact.more ? (
          <MoreFacts key={index} {...{ fact, go, about }} more={fact.more} />
        ) : (
          <div class="jxv-fact" key={index}>
            <dt title={fact.name}>{fact.name}</dt>
            <dd>
              <Value fact={fact} go={go} />
              {about?.has(fact.name) && <p class="jxv-about">{about.get(fact.name)}</p>}
            </dd>
          </div>
        ),
      )}
    </>
  );
}

interface MoreProps extends Pick<FactsProps, 'go' | 'about'> {
  fact: Fact;
  more: readonly Fact[];
}

/** Facts that are shown when the reader asks for them. */
function MoreFacts({ fact: { name, value }, more, go, about }: MoreProps) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <Each facts={more} {...{ go, about }} />;
  return (
    <div class="jxv-fact">
      <dt aria-hidden="true">{name}</dt>
      <dd>
        <button type="button" class="jxv-link" onClick={() => setOpen(true)}>
          {value.map(({ text }) => text).join(' ')}
        </button>
      </dd>
    </div>
  );
}

function Value({ fact, go }: { fact: Fact; go: (id: string) => void }) {
  return (
    <span class="jxv-value">
      <Pieces parts={fact.value} go={go} />
    </span>
  );
}

function Pieces({ parts, go }: { parts: readonly Part[]; go: (id: string) => void }) {
  return (
    <>
      {parts.map((part, index) => (
        <Fragment key={index}>
          {index > 0 && ' '}
          <Piece part={part} go={go} />
        </Fragment>
      ))}
    </>
  );
}

function Piece({ part, go }: { part: Part; go: (id: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  if (part.kind === 'link' || part.kind === 'more') {
    if (isOpen && part.kind === 'more') return <Pieces parts={part.links.map(link)} go={go} />;
    const press = () => (part.kind === 'link' ? go(part.id) : setOpen(true));
    return (
      <button type="button" class="jxv-link" onClick={press}>
        {part.text}
      </button>
    );
  }
  if (part.kind === 'code') return <code>{part.text}</code>;
  if (part.kind === 'before') return <del class="jxv-was">{part.text}</del>;
  if (part.kind === 'after') return <ins class="jxv-now">{part.text}</ins>;
  return <span class={part.kind === 'badge' ? 'jxv-badge' : 'jxv-words'}>{part.text}</span>;
}
