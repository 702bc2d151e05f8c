/** The list of matches, and the hint on what can be searched for. */
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Id } from '../facts/ids';
import { __, thousands } from '../language';
import type { Stage } from '../schema';
import { sections } from '../state/find';
import type { ViewState } from '../state/view-state';
import { crumbs, nameOf } from '../words/fact-parts';
import { lineOf, typesOf } from '../words/value-rows';
import { optionId } from './parts/controls';

/** The number of matches in a chunk. Only the chunk of the current match and its two neighbours are
 * drawn. */
const CHUNK_OF_MATCHES = 40;

interface Props {
  state: ViewState;
  /** The id of the list's element; the ids of its options begin with it. */
  id: string;
  /** Goes to a match. */
  go: (match: number) => void;
  /** The key handler of the search box. */
  onKeyDown: (event: KeyboardEvent) => void;
}

/** The list of matches, in sections by what encloses them. */
export function Matches({ state: { stage, matches, match, total }, id, go, onKeyDown }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const grouped = useMemo(() => numbered(stage, matches), [stage, matches]);
  const first = Math.max(
    0,
    (Math.floor(Math.max(0, match) / CHUNK_OF_MATCHES) - 1) * CHUNK_OF_MATCHES,
  );
  const stop = Math.min(matches.length, first + 3 * CHUNK_OF_MATCHES);
  useLayoutEffect(() => scrollToCurrent(list.current), [match]);
  return (
    <div class="jxv-matches">
      <div
        role="listbox"
        class="jxv-match-list"
        aria-label={__('Matches')}
        id={id}
        ref={list}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        {grouped
          .filter(({ from, ids }) => from < stop && from + ids.length > first)
          .map((section) => (
            <Section key={section.from} list={id} {...{ section, stage, first, stop, match, go }} />
          ))}
      </div>
      <p class="jxv-match-foot">{tally(first, stop, matches.length, total)}</p>
    </div>
  );
}

interface SectionProps {
  section: NumberedSection;
  stage: Stage;
  /** The id of the list. */
  list: string;
  /** The matches that are drawn, `[first, stop)`. */
  first: number;
  stop: number;
  match: number;
  go: (match: number) => void;
}

/** The matches within one item, below its title. */
function Section({ section, stage, list, first, stop, match, go }: SectionProps) {
  const { id: around, ids, from } = section;
  const title = titleOf(stage, around);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds inputs
    <div role="group" aria-label={title}>
      <div class="jxv-match-section" aria-hidden="true">
        <span>{title}</span>
        <span>{thousands(ids.length)}</span>
      </div>
      {ids.map((id, index) => {
        const at = from + index;
        return at < first || at >= stop ? null : (
          <Option key={at} {...{ stage, id, list, at, go }} current={at === match} />
        );
      })}
    </div>
  );
}

interface OptionProps {
  stage: Stage;
  id: Id;
  list: string;
  at: number;
  current: boolean;
  go: (match: number) => void;
}

function Option({ stage, id, list, at, current, go }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the search box handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the search box
    <div
      role="option"
      class="jxv-match"
      id={optionId(list, at)}
      aria-selected={current}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => go(at)}
    >
      <span class="jxv-match-name">{nameOf(stage, id)}</span>
      <span class="jxv-match-type" title={typesOf(stage, id)}>
        {typesOf(stage, id)}
      </span>
      <span class="jxv-match-line">{lineOf(stage, id)}</span>
    </div>
  );
}

/** The kinds of queries, each with an example. */
const queryKinds = (): [string, string][] => [
  [__('an operation'), 'dot_general'],
  [__('an argument'), "params['w1']"],
  [__('a variable'), 'bq'],
  [__('a type, a shape'), 'f32[8,64]  [*,64]'],
  [__('a dtype'), 'f64'],
  [__('a line'), ':12  train.py:12'],
  [__('a group, a name scope'), 'attention'],
  [__('several at once'), 'dot_general f32[8,64]'],
  [__('a copied link'), 'jaxviz:…'],
];

/** Says what can be searched for, if the box is empty or nothing was found. */
export function Hint({ none }: { none: boolean }) {
  return (
    <div class="jxv-matches jxv-query-kinds">
      <p>{none ? __('Nothing found. You can search for:') : __('You can search for:')}</p>
      <dl>
        {queryKinds().map(([what, example]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              <code>{example}</code>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** A section with the number of its first match. */
type NumberedSection = ReturnType<typeof numbered>[number];

function numbered(stage: Stage, matches: ViewState['matches']) {
  let from = 0;
  return sections(stage, matches).map((section) => {
    const numberedSection = { ...section, from };
    from += section.ids.length;
    return numberedSection;
  });
}

const titleOf = (stage: Stage, id: Id): string =>
  crumbs(stage, id)
    .slice(id === '' ? 0 : 1)
    .map(({ text }) => text)
    .join(' › ');

function tally(first: number, stop: number, length: number, total: number): string {
  const range = `${thousands(first + 1)}–${thousands(stop)}`;
  const found =
    stop - first < length
      ? __('%1 of %2 found', range, thousands(total))
      : __('%1 found', thousands(total));
  return total > length
    ? __('%1, only the first %2 can be visited', found, thousands(length))
    : found;
}

/** Scrolls only the list to the current match. */
function scrollToCurrent(list: HTMLElement | null): void {
  const row = list?.querySelector<HTMLElement>('[aria-selected="true"]');
  if (!list || !row) return;
  const top = row.offsetTop - list.offsetTop;
  const below = top + row.offsetHeight - list.clientHeight;
  if (top - 22 < list.scrollTop) list.scrollTop = top - 22;
  else if (below > list.scrollTop) list.scrollTop = below;
}
