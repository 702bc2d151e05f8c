/** The findings of a program: a count in its bar, which opens a list; and a line about the layer
 * that differs from its siblings. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { findingsIn, placeOfFinding } from '../facts/findings';
import type { Id } from '../facts/ids';
import { placeOf } from '../facts/text/describe';
import { sentenceText } from '../facts/text/sentence-text';
import { __, _n } from '../language';
import type { Finding, Program } from '../schema';
import { pageText } from '../words/kernel-text';
import { MoreAboutThis, withCode } from './parts/help-page';
import { Root, usePreferences } from './parts/root';
import { Place } from './parts/source-link';

/** Selects an item of a stage. */
type Go = (kind: string, id: Id) => void;

/** The button in the bar, and the list that it opens or, until then, the line of the first finding;
 * both are null without findings. */
export function useFindings(program: Program, go: Go) {
  const [isOpen, open] = useState(false);
  const found = findingsIn(program, usePreferences().ignored);
  if (found.length === 0) return { button: null, list: null };
  const button = (
    <button
      type="button"
      class="jxv-link jxv-findings-count"
      aria-expanded={isOpen}
      onClick={() => open(!isOpen)}
    >
      {countOf(found)}
    </button>
  );
  const first = found.find(({ kind }) => kind === UNLIKE);
  if (isOpen) return { button, list: <List key="findings" {...{ program, found, go }} /> };
  return { button, list: first ? <Line key="finding" {...{ program, first, go }} /> : null };
}

/** `2 findings, 1 note`. */
function countOf(found: readonly Finding[]): string {
  const notes = found.filter((one) => one.is_note).length;
  const others = found.length - notes;
  const counts = [
    others > 0 ? _n('%1 finding', '%1 findings', others) : '',
    notes > 0 ? _n('%1 note', '%1 notes', notes) : '',
  ];
  return counts.filter(Boolean).join(', ');
}

/** The kind of the finding that stands in a line of its own: the picture marks this layer. */
const UNLIKE = 'unlike';

interface LineProps {
  program: Program;
  first: Finding;
  go: Go;
}

/** A finding in one line: what, where, its cost, its fix, and the way to it in the picture. */
function Line({ program, first, go }: LineProps) {
  const line = useRef<HTMLParagraphElement>(null);
  useOwnRoom(line);
  const id = placeOfFinding(program, first);
  return (
    <p ref={line} class="jxv-finding-line">
      <span>
        {withCode(sentenceText(first.what))}
        <Where finding={first} />
      </span>
      <span class="jxv-words">{withCode(sentenceText(first.cost))}</span>
      <span class="jxv-finding-fix">{withCode(sentenceText(first.fix))}</span>
      {id !== null && (
        <button
          type="button"
          class="jxv-link"
          title={__('Show it in the program')}
          onClick={() => go('jaxpr', id)}
        >
          {__('Show')}
        </button>
      )}
    </p>
  );
}

/** The place of a finding, after what it says. */
const Where = ({ finding: { at } }: { finding: Finding }) =>
  at && (
    <>
      {'\u00a0· '}
      <Place frame={at} text={placeOf(at)} title={at.code} />
    </>
  );

interface ListProps {
  program: Program;
  go: Go;
  found: readonly Finding[];
}

function List({ program, found, go }: ListProps) {
  const list = useRef<HTMLUListElement>(null);
  useOwnRoom(list);
  return (
    <ul ref={list} class="jxv-findings" aria-label={__('Findings')}>
      {found.map((one, index) => (
        <li key={index}>
          <Title finding={one} id={placeOfFinding(program, one)} go={go} />
          <Explained finding={one} />
        </li>
      ))}
    </ul>
  );
}

/** The sentences of a finding, its line, and its help page on request. */
const Explained = ({ finding: one }: { finding: Finding }) => (
  <div>
    <p>
      {one.is_note && <span class="jxv-words">{__('Note:')} </span>}
      {withCode(sentenceText(one.what))}
      <Where finding={one} />
    </p>
    <p class="jxv-words">{withCode(sentenceText(one.cost))}</p>
    <p class="jxv-finding-fix">{withCode(sentenceText(one.fix))}</p>
    <MoreAboutThis page={one.page} />
  </div>
);

/** The findings of a program that is not shown, each with its line and help page. */
export function FindingsAlone({ program: { findings } }: { program: Program }) {
  return (
    <Root label={__('Findings')}>
      {findings.length === 0 && <p class="jxv-no-findings">{__('No findings')}</p>}
      <ul class="jxv-findings jxv-findings-alone">
        {findings.map((one, index) => (
          <li key={index}>
            <b>{pageText(one.page).title}</b>
            <Explained finding={one} />
          </li>
        ))}
      </ul>
    </Root>
  );
}

/** Findings that belong to no program, each as a line with its help page. */
export const FindingLines = ({ found }: { found: readonly Finding[] }) => (
  <ul class="jxv-finding-lines" aria-label={__('Findings')}>
    {found.map((one, index) => (
      <li key={index} class="jxv-finding-line">
        <span>
          {withCode(sentenceText(one.what))}
          <Where finding={one} />
        </span>
        <span class="jxv-finding-fix">{withCode(sentenceText(one.fix))}</span>
        <MoreAboutThis page={one.page} />
      </li>
    ))}
  </ul>
);

/** Makes the program's frame higher by the list's height, so that the picture keeps its room. */
function useOwnRoom(list: RefObject<HTMLElement>): void {
  useLayoutEffect(() => {
    const shown = list.current as HTMLElement;
    const { style } = shown.closest('.jxv-program') as HTMLElement;
    const observer = new ResizeObserver(() =>
      style.setProperty('--jxv-more', `${shown.offsetHeight}px`),
    );
    observer.observe(shown);
    return () => {
      observer.disconnect();
      style.removeProperty('--jxv-more');
    };
  }, [list]);
}

interface TitleProps {
  go: Go;
  finding: Finding;
  id: string | null;
}

/** The title of a finding's help page, which leads to the eqn of the finding. */
function Title({ finding: { page }, id, go }: TitleProps) {
  const { title } = pageText(page);
  if (id === null) return <b>{title}</b>;
  return (
    <button
      type="button"
      class="jxv-link"
      title={__('Show it in the program')}
      onClick={() => go('jaxpr', id)}
    >
      <b>{title}</b>
    </button>
  );
}

/** The findings about the selection, among its facts. */
export const FindingFacts = ({ found }: { found: readonly Finding[] }) => (
  <>
    {found.map(({ kind, page, what, fix }) => (
      <div class="jxv-fact" key={kind}>
        <dt>{pageText(page).title}</dt>
        <dd>
          {withCode(sentenceText(what))}
          <p class="jxv-finding-fix">{withCode(sentenceText(fix))}</p>
        </dd>
      </div>
    ))}
  </>
);
