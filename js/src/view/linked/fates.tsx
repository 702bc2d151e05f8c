/** Says what became of a selection in the other stages. */
import { type ComponentChildren, Fragment } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { findingsAbout, toldFindings } from '../../facts/findings';
import { __, thousands } from '../../language';
import { type Fate, fatesOf, linesText, STAGE_NAMES } from '../../words/fate';
import { detailsOf } from '../../words/item-details';
import { FindingFacts } from '../findings';
import { phrase } from '../text-with-elements';
import { usePreferences } from '../view-root';
import type { Linking } from './linking';

type Told = Pick<Linking, 'program' | 'focus' | 'links' | 'go'> &
  Partial<Pick<Linking, 'wentText'>>;

interface Props {
  linking: Told;
  /** What is shown for stages that are not here, which it might have become. */
  toMake?: ComponentChildren;
}

/** What has become of a stage's selection in the other stages, or what it was made for. */
export function Fates({ linking, toMake }: Props) {
  const { program, focus, links, go, wentText } = linking;
  const fates = useMemo(
    () => (focus && links ? fatesOf(program, focus, links, wentText) : []),
    [program, focus, links, wentText],
  );
  const stage = program.stages.find(({ kind }) => kind === focus?.stage);
  const told = toldFindings(program, usePreferences().ignored);
  const found = stage && focus && 'id' in focus ? findingsAbout(told, stage, focus.id) : [];
  const became = __('became');
  const names = new Set([...fates.map(({ name }) => name), ...(toMake ? [became] : [])]);
  return (
    <>
      <FindingFacts found={found} />
      {[...names].map((name) => (
        <div class="jxv-fact" key={name}>
          <dt>{name}</dt>
          <dd class="jxv-fates">
            {fates
              .filter((fate) => fate.name === name)
              .map((fate) => (
                <Value key={fate.stage} fate={fate} go={go} />
              ))}
            {name === became && toMake}
          </dd>
        </div>
      ))}
    </>
  );
}

interface ValueProps {
  fate: Fate;
  go: (kind: string, id: string) => void;
}

/** What became of the selection in one stage. */
function Value({ fate, go }: ValueProps) {
  const { of, stage, words, links, rest, more, lines } = fate;
  const [all, showAll] = useState<Fate | null>(null);
  const isOpen = all === fate;
  return (
    <span class="jxv-value">
      {of !== '' && <span class="jxv-words">{of}: </span>}
      {words !== '' && <span class="jxv-words">{words} </span>}
      {[...links, ...(isOpen ? more() : [])].map(({ id, text }) => (
        <Fragment key={id}>
          <button type="button" class="jxv-link" onClick={() => go(stage, id)}>
            {text}
          </button>{' '}
        </Fragment>
      ))}
      {rest > 0 && !isOpen && (
        <button type="button" class="jxv-link" onClick={() => showAll(fate)}>
          {__('and %1 more', thousands(rest))}
        </button>
      )}
      {lines !== '' && <span class="jxv-words">{__('on %1', lines)}</span>}
    </span>
  );
}

/** What is marked in a stage because of a selection elsewhere, and a link back to that. */
export function Lit({ linking, kind }: { linking: Linking; kind: string }) {
  const { program, focus, links, go } = linking;
  const fate = useMemo(
    () => focus && links && fatesOf(program, focus, links).find(({ stage }) => stage === kind),
    [program, focus, links, kind],
  );
  if (!focus || !fate) return null;
  const from =
    'id' in focus ? (
      <button type="button" class="jxv-link" onClick={() => go(focus.stage, focus.id)}>
        {STAGE_NAMES.get(focus.stage)} {titleOf(linking, focus)}
      </button>
    ) : (
      linesText([focus.line])
    );
  return (
    <div class="jxv-headline">
      <span class="jxv-words">{phrase((place) => __('Highlighted for %1', place), from)} </span>
      <Value fate={{ ...fate, of: '', lines: '' }} go={go} />
    </div>
  );
}

/** The title of the selection. */
function titleOf({ program }: Linking, focus: { stage: string; id: string }): string {
  const stage = program.stages.find(({ kind }) => kind === focus.stage);
  return (stage && detailsOf(stage, focus.id)?.title) ?? '';
}
