/** Links from a view to lines of the user's code. */
import { type ComponentChildren, createContext, Fragment, type RefObject } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { Code } from '../../facts/linked/linked';
import type { WrittenLine } from '../../facts/linked/source-lines';
import { type Expression, expressionOf, type Source } from '../../facts/source';
import { placeOf } from '../../facts/text/describe';
import { __ } from '../../language';
import type { Frame, Listing } from '../../schema';
import {
  FILE,
  type FileEvent,
  LINES,
  type LinesEvent,
  SOURCE,
  type SourceEvent,
} from './host-events';

/** Reports to the host the lines of cells of the selected or pointed-at item. */
export function announceLines(
  from: EventTarget | null,
  of: LinesEvent['of'],
  { lines, frames }: Code,
  listings: readonly Listing[],
): void {
  const ofCells = lines.flatMap(({ cell, line }) => (cell === null ? [] : [{ cell, line }]));
  const detail: LinesEvent = { of, lines: ofCells, frames, listings };
  from?.dispatchEvent(new CustomEvent(LINES, { bubbles: true, detail }));
}

/** The code of the programs in a view. */
export const Listings = createContext<readonly Listing[]>([]);

interface SourceProps {
  source: Pick<Source, 'inherited'> & { frame: WrittenLine | Frame };
}

/** A line of the user's code: its place and its text. */
export function SourceLine({ source: { frame, inherited } }: SourceProps) {
  const { code, file } = frame;
  const listings = useContext(Listings);
  const expression = 'end_line' in frame ? expressionOf(frame, listings) : null;
  return (
    <span class="jxv-source">
      <Place frame={frame} text={placeOf(frame)} title={file} />{' '}
      {code !== '' && (
        <code title={expression?.whole ?? code}>
          {expression ? <Marked expression={expression} /> : code}
        </code>
      )}
      {inherited && (
        <span
          class="jxv-words"
          title={__('JAX knows no line for this eqn: this is the line of an eqn around it')}
        >
          {__('(line of the call)')}
        </span>
      )}
    </span>
  );
}

/** A line with its expression marked. */
function Marked({ expression: { before, here, after } }: { expression: Expression }) {
  return (
    <>
      {before}
      <mark class="jxv-expression">{here}</mark>
      {after}
    </>
  );
}

interface StackProps {
  /** The calls, outermost first. */
  stack: Frame[];
  /** The number of shown calls, nearest to the line. */
  most: number;
}

/** The calls that lead to the line. */
export function Stack({ stack, most }: StackProps) {
  const shown = stack.slice(-most);
  return (
    <p class="jxv-stack">
      <span class="jxv-words">
        {shown.length < stack.length ? __('call stack: …') : __('call stack:')}
      </span>{' '}
      {shown.map((frame, index) => (
        <Fragment key={index}>
          {index > 0 && ' '}
          <span class="jxv-call">
            {index > 0 && <span class="jxv-words">› </span>}
            <Place
              frame={frame}
              text={`${frame.function} (${placeOf(frame)})`}
              title={frame.code}
            />
          </span>
        </Fragment>
      ))}
    </p>
  );
}

interface LinkProps {
  frame: WrittenLine;
  text: ComponentChildren;
  title: string;
}

interface PlaceProps extends LinkProps {
  /** The class of text that is no link. */
  look?: string;
}

/** A place in code: a link if it is in a cell or in a file that the host can open, else text. */
export function Place({ frame, text, title, look = '' }: PlaceProps) {
  const element = useRef<HTMLElement>(null);
  const opens = useFile(element, frame);
  if (opens) return <LineLink frame={frame} text={text} title={title} />;
  return (
    <code ref={element} class={look} title={title}>
      {text}
    </code>
  );
}

/** True if the host can open the file of a line. */
function useFile(element: RefObject<HTMLElement>, { cell, count, file }: WrittenLine): boolean {
  const [opens, setOpens] = useState(false);
  useEffect(() => {
    setOpens(false);
    if (cell !== null || count !== null) return;
    let isGone = false;
    const found = () => !isGone && setOpens(true);
    const detail: FileEvent = { file, found };
    element.current?.dispatchEvent(new CustomEvent(FILE, { bubbles: true, detail }));
    return () => {
      isGone = true;
    };
  }, [cell, count, file]);
  return cell !== null || opens;
}

/** A link that asks the host to show a line. */
function LineLink({ frame, text, title }: LinkProps) {
  const listings = useContext(Listings);
  return (
    <button
      type="button"
      class="jxv-link"
      title={title}
      onClick={(event) => requestSource(event.currentTarget, frame, listings)}
    >
      {text}
    </button>
  );
}

/** Asks the host to show a frame's line. */
export function requestSource(
  from: EventTarget | null,
  { cell, file, line, code }: WrittenLine,
  listings: readonly Listing[],
): void {
  const own = listings.filter((one) =>
    cell === null ? one.cell === null && one.file === file : one.cell === cell,
  );
  const detail: SourceEvent = { cell, file, line, code, listings: own };
  from?.dispatchEvent(new CustomEvent(SOURCE, { bubbles: true, detail }));
}
