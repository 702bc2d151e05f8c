import { placeOf } from '../model/describe';
import type { Line } from '../model/linked/lines';
import type { Source } from '../model/source';
import type { Frame, Listing } from '../schema';

/** The DOM event with which a view asks its host to show a line of a notebook's cell. */
export const SOURCE = 'jaxviz:source';

export interface SourceEvent {
  cell: string;
  /** From 1, in the cell. */
  line: number;
}

/** The DOM event with which a view tells its host the lines of cells that a selection stands for. */
export const LINES = 'jaxviz:lines';

export interface LinesEvent {
  /** From 1, in the cell. */
  lines: { cell: string; line: number }[];
  /** The cells as they were when the program was captured, which may have been edited since. */
  listings: readonly Listing[];
  /** Whether the first of them is to be brought into view. */
  reveal: boolean;
}

export function tellLines(
  from: EventTarget | null,
  lines: readonly Line[],
  listings: readonly Listing[],
  reveal: boolean,
): void {
  const ofCells = lines.flatMap(({ cell, line }) => (cell === null ? [] : [{ cell, line }]));
  const detail: LinesEvent = { lines: ofCells, listings, reveal };
  from?.dispatchEvent(new CustomEvent(LINES, { bubbles: true, detail }));
}

/** The user's line: where it stands, and its text. */
export function SourceLine({ source: { frame, inherited } }: { source: Source }) {
  const { code, file } = frame;
  return (
    <span class="jxv-source">
      <Place frame={frame} text={placeOf(frame)} title={file} />
      {code !== '' && <code title={code}>{code}</code>}
      {inherited && (
        <span
          class="jxv-words"
          title="JAX knows no line of this eqn: it is that of an eqn around it"
        >
          (line of the call)
        </span>
      )}
    </span>
  );
}

/** The calls that lead to the line, the nearest few. */
export function Stack({ stack }: { stack: Frame[] }) {
  const shown = stack.slice(-5);
  return (
    <p class="jxv-stack">
      <span class="jxv-words">{shown.length < stack.length ? 'called by … ' : 'called by '}</span>
      {shown.map((frame, index) => (
        <span key={index}>
          {index > 0 && <span class="jxv-words"> › </span>}
          <Place frame={frame} text={`${frame.function} (${placeOf(frame)})`} title={frame.code} />
        </span>
      ))}
    </p>
  );
}

/** A line of a cell is a link; one of a file, which no host can be sure to find, is text. */
function Place({ frame, text, title }: { frame: Frame; text: string; title: string }) {
  if (frame.cell === null) return <code title={title}>{text}</code>;
  return <LineLink frame={frame} text={text} title={title} />;
}

/** Asks the host for a frame's line. */
export function LineLink({ frame, text, title }: { frame: Frame; text: string; title: string }) {
  return (
    <button
      type="button"
      class="jxv-link"
      title={title}
      onClick={(event) => askForSource(event.currentTarget, frame)}
    >
      {text}
    </button>
  );
}

/** Asks the host to show a frame's line, where that is in a notebook's cell. */
export function askForSource(from: EventTarget | null, { cell, line }: Frame): void {
  if (cell === null) return;
  const detail: SourceEvent = { cell, line };
  from?.dispatchEvent(new CustomEvent(SOURCE, { bubbles: true, detail }));
}
