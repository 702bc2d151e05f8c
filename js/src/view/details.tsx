/** What is said of the selection, beside the graph, and of the program, below it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { Differences } from '../facts/differences';
import { __ } from '../language';
import type { Listing, Sentence } from '../schema';
import { whatIsCut } from '../state/budget';
import type { Action, ViewState } from '../state/view-state';
import { endFacts } from '../words/difference-words';
import type { Details as Said } from '../words/fact-parts';
import { detailsOf } from '../words/item-details';
import { sentenceText } from '../words/sentence-text';
import { Facts } from './facts';
import { isUnderstood, keepUnderstood } from './kept-views';
import { later } from './later';
import { Fates, Lit } from './linked/fates';
import type { Linking } from './linked/linking';
import { SourceLine, Stack } from './source-link';

const MeshFacts = later(async () => (await import('./on-mesh')).MeshFacts);
const MeshTable = later(async () => (await import('./on-mesh')).MeshTable);

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
  const isOnMesh = selected !== null && !differences && (stage.call?.mesh ?? []).length > 0;
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
          <Item
            {...{ said, dispatch }}
            table={[
              isOnMesh && <MeshTable key="mesh" {...{ stage, id: selected }} />,
              linking.below?.(linking),
            ]}
          >
            {focus?.stage === stage.kind && <Fates linking={linking} />}
            {isOnMesh && <MeshFacts {...{ stage, id: selected }} />}
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
  partial: Sentence | null;
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
  const notes = [partial && sentenceText(partial), cut].filter((note) => note !== null);
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
  said: Said;
  dispatch: (action: Action) => void;
  /** Further facts. */
  children: ComponentChildren;
  /** What stands below the facts. */
  table: ComponentChildren;
}

function Item({ said: { title, facts, source }, dispatch, children, table }: ItemProps) {
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
