/** The user's code, line by line, in the colours of Python. Selecting a line selects everything that was made from it. */
import { highlightCode, tagHighlighter, tags } from '@lezer/highlight';
import { parser } from '@lezer/python';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Measure } from '../../facts/colours/heat';
import type { Id } from '../../facts/ids';
import { codeOf, linked } from '../../facts/linked/linked';
import {
  keyOf,
  type LinePlace,
  leadsToEqns,
  type Tint,
  tintsOf,
} from '../../facts/linked/source-lines';
import { __ } from '../../language';
import { cssZoom } from '../../render/css-zoom';
import type { Listing as Code, Stage } from '../../schema';
import { type Heat, LineHeat } from '../numbers/cost-summaries';
import type { Linking } from './linking';

interface Props {
  linking: Linking;
  /** The lines of the pointed-at eqns, here or in a stage. */
  hovered: readonly LinePlace[];
  hover: (line: LinePlace | null) => void;
  /** The stage whose costs are shown beside the lines; null for none. */
  heat?: Heat | null;
}

/** The code that a program was made from. */
export function Listing({ linking, hovered, hover, heat = null }: Props) {
  const { program, focus, links } = linking;
  const element = useRef<HTMLDivElement>(null);
  const own = focus !== null && 'line' in focus;
  useEffect(() => {
    if (!own) reveal(element.current);
  }, [links]);
  const rows = useMemo(() => program.listings.map(linesOf), [program.listings]);
  const entry = entryOf(rows.flat(), linking);
  if (program.listings.length === 0) return <Unread />;
  const marked = markingOf(linking, [...hovered, ...pointedAt(linking)]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the lines within
    <div
      class="jxv-listings"
      ref={element}
      onMouseLeave={() => hover(null)}
      onKeyDown={(event) => walk(event, element.current)}
    >
      {program.listings.map((listing, index) => (
        <section key={index} aria-label={titleOf(listing)}>
          <Heading listing={listing} before={program.listings[index - 1]} />
          <ol class="jxv-code">
            {rows[index]?.map((line, at) => (
              <Row
                key={at}
                {...{ line, linking, hover, heat }}
                marked={marked(line)}
                entry={line === entry}
              />
            ))}
          </ol>
        </section>
      ))}
    </div>
  );
}

/** The line that Tab leads to: the first one linked to the selection, else the first with eqns. */
function entryOf(lines: readonly CodeLine[], { jaxpr, links }: Linking): CodeLine | undefined {
  const lit = new Set(links?.lines.map(keyOf));
  const leading = lines.filter((line) => jaxpr && leadsToEqns(jaxpr, line));
  return leading.find((line) => lit.has(keyOf(line))) ?? leading[0];
}

/** The classes of a line: selected, linked to the selection, or pointed at. */
function markingOf(
  { focus, links }: Linking,
  hovered: readonly LinePlace[],
): (line: LinePlace) => string {
  const lit = new Set(links?.lines.map(keyOf));
  const pointed = new Set(hovered.map(keyOf));
  const lineClass = focus !== null && 'line' in focus ? ' jxv-selected' : ' jxv-linked';
  return (line) =>
    `${lit.has(keyOf(line)) ? lineClass : ''}${pointed.has(keyOf(line)) ? ' jxv-pointed' : ''}`;
}

const Unread = () => (
  <p class="jxv-alone">{__('The source code of this program could not be read.')}</p>
);

/** The pointed-at line in the notebook, if any. */
const pointedAt = ({ pointed }: Linking): readonly LinePlace[] =>
  pointed && 'focus' in pointed ? [pointed.focus.line] : [];

/** The name of a file or a cell; a gap if the same one continues. */
const Heading = ({ listing, before }: { listing: Code; before: Code | undefined }) =>
  isSameFile(listing, before) ? (
    <p class="jxv-gap">⋯</p>
  ) : (
    <h4 class="jxv-file">
      <span>{titleOf(listing)}</span>
    </h4>
  );

interface StageProps {
  linking: Linking;
  stage: Stage;
  hovered: Id | null;
  hover: (id: Id | null) => void;
  by: Measure;
}

const NO_LINES: readonly LinePlace[] = [];

/** The code beside one stage. What is pointed at in either is marked in the other. */
export function StageListing({ linking, stage, hovered, hover, by }: StageProps) {
  const { kind } = stage;
  const { stages } = linking.program;
  const lines = useMemo(
    () => (hovered === null ? NO_LINES : codeOf(stages, { stage: kind, id: hovered }).lines),
    [stages, kind, hovered],
  );
  const pointAt = (line: LinePlace | null) => {
    const found = line && linked(stages, { stage: 'source', line }).stages.get(kind)?.found;
    hover(found?.[0]?.id ?? null);
  };
  return <Listing linking={linking} hovered={lines} hover={pointAt} heat={{ stage, by }} />;
}

interface RowProps {
  line: CodeLine;
  linking: Linking;
  marked: string;
  /** True if Tab leads to this line. */
  entry: boolean;
  hover: (line: LinePlace | null) => void;
  heat: Heat | null;
}

function Row({ line, linking, marked, entry, hover, heat }: RowProps) {
  const { program, jaxpr, choose } = linking;
  const { tokens } = line;
  const tint: Tint = tintsOf(program)?.ofLine.get(keyOf(line)) ?? 0;
  const leads = jaxpr !== null && leadsToEqns(jaxpr, line);
  const lineClass = `jxv-source-line${tint > 0 ? ` jxv-tint${tint}` : ''}${marked}`;
  const text = <LineText {...{ line, heat }} />;
  return (
    <li class={lineClass} onMouseEnter={() => hover(leads ? line : null)}>
      {leads ? (
        <button
          type="button"
          class="jxv-bare"
          tabIndex={entry ? 0 : -1}
          aria-label={__('Line %1: %2', line.line, textOf(tokens).trim())}
          aria-pressed={marked.includes('jxv-selected') || marked.includes('jxv-linked')}
          onClick={() => choose({ stage: 'source', line })}
        >
          {text}
        </button>
      ) : (
        <span>{text}</span>
      )}
    </li>
  );
}

/** A line with its number, its cost if that is shown, and its code in the colours of Python. */
function LineText({ line, heat }: Pick<RowProps, 'line' | 'heat'>) {
  return (
    <>
      {heat && <LineHeat line={line} {...heat} />}
      <span class="jxv-number" aria-hidden="true">
        {line.line}
      </span>
      <code>
        {line.tokens.map(({ text, className }, index) =>
          className === '' ? (
            text
          ) : (
            <span key={index} class={className}>
              {text}
            </span>
          ),
        )}
      </code>
    </>
  );
}

/** A line of the code with its tokens. */
interface CodeLine extends LinePlace {
  tokens: readonly Token[];
}

function linesOf({ cell, file, start, text }: Code): CodeLine[] {
  return pythonLines(text).map((tokens, index) => ({ cell, file, line: start + index, tokens }));
}

const textOf = (tokens: readonly Token[]): string => tokens.map(({ text }) => text).join('');

/** Moves the focus up or down to the next line with eqns. */
function walk(event: KeyboardEvent, listings: HTMLElement | null): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (by === 0 || !listings) return;
  event.preventDefault();
  event.stopPropagation();
  const lines = [...listings.querySelectorAll<HTMLElement>('.jxv-source-line > button')];
  const next = lines[lines.indexOf(event.target as HTMLElement) + by];
  next?.focus({ preventScroll: true });
  next?.click();
  if (next) scrollTo(listings, next);
}

/** Scrolls to the first marked line, unless one is visible. */
function reveal(listings: HTMLElement | null): void {
  const lit = [...(listings?.querySelectorAll<HTMLElement>('.jxv-linked') ?? [])];
  if (listings && lit[0] && !lit.some((one) => isVisible(listings, one)))
    scrollTo(listings, lit[0]);
}

/** True if a line is visible. */
function isVisible(listings: HTMLElement, line: HTMLElement): boolean {
  const [outer, own] = [listings.getBoundingClientRect(), line.getBoundingClientRect()];
  return own.top >= outer.top && own.bottom <= outer.bottom;
}

/** Scrolls only the listings; the browser's `scrollIntoView` would scroll the notebook too. */
function scrollTo(listings: HTMLElement, line: HTMLElement): void {
  if (isVisible(listings, line)) return;
  const [outer, own] = [listings.getBoundingClientRect(), line.getBoundingClientRect()];
  listings.scrollTop += (own.top - outer.top - outer.height / 3) / cssZoom(listings);
}

const isSameFile = (one: Code, other: Code | undefined): boolean =>
  one.file === other?.file && one.cell === other.cell;

/** `cell [3]` or `train.py`. */
function titleOf({ cell, count, file }: Code): string {
  if (count !== null) return __('cell [%1]', count);
  return cell === null ? file : __('cell');
}

/** A piece of a line of Python, and the class of its colour, which may be empty. */
interface Token {
  text: string;
  className: string;
}

const highlighter = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.self], class: 'jxv-py-keyword' },
  { tag: tags.string, class: 'jxv-py-string' },
  { tag: tags.comment, class: 'jxv-py-comment' },
  { tag: [tags.number, tags.bool, tags.null], class: 'jxv-py-number' },
  { tag: tags.definition(tags.function(tags.variableName)), class: 'jxv-py-name' },
  { tag: [tags.definition(tags.className), tags.meta], class: 'jxv-py-name' },
]);

/** The coloured lines of some Python code, which need not be a whole file. */
function pythonLines(code: string): Token[][] {
  const lines: Token[][] = [[]];
  highlightCode(
    code,
    parser.parse(code),
    highlighter,
    (text, className) => lines.at(-1)?.push({ text, className }),
    () => lines.push([]),
  );
  return lines;
}
