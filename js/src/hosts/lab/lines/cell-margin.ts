/** The margin of cells: beside each line its cost, casts and retraces, while the user wants them. */
import {
  Compartment,
  type EditorState,
  type Extension,
  type Range,
  RangeSet,
  StateEffect,
  StateField,
} from '@codemirror/state';
import { EditorView, GutterMarker, gutter } from '@codemirror/view';
import type { ISessionContext } from '@jupyterlab/apputils';
import { presentLine } from '../../../facts/linked/edited-lines';
import { notesOf, retracedIn, workIn } from '../../../facts/linked/line-notes';
import { __ } from '../../../language';
import type { Listing, Log, Program } from '../../../schema';
import { marginSentence, marginText } from '../../../words/margin-words';
import { type Cell, editorOf, linesOf, type OpenDocument } from '../documents';

/** What an output or the panel knows of lines of cells. */
export type Known = { program: Program } | { log: Pick<Log, 'functions'> };

/** Whether margins are wanted now, and how to hear that this changed. */
export interface MarginWanted {
  readonly showsMargin: boolean;
  follow(changed: () => void, signal: AbortSignal): void;
}

/** The margins of one document's cells. */
export class CellMargins {
  static readonly #all = new Set<CellMargins>();

  /** Takes what is known of all cells of a kernel, or null. */
  static tell(session: ISessionContext, by: object, known: Known | null): void {
    for (const one of CellMargins.#all) {
      if (one.#document.panel.sessionContext === session) one.tell(by, known);
    }
  }

  readonly #document: OpenDocument;
  readonly #wanted: MarginWanted;
  /** By who knows it; the latest last. */
  readonly #known = new Map<object, Known>();
  /** What is drawn in each editor. */
  readonly #drawn = new WeakMap<EditorView, { compartment: Compartment; key: string }>();
  #due = false;

  constructor(document: OpenDocument, wanted: MarginWanted) {
    this.#document = document;
    this.#wanted = wanted;
    const ending = new AbortController();
    CellMargins.#all.add(this);
    document.panel.disposed.connect(() => {
      CellMargins.#all.delete(this);
      ending.abort();
    });
    document.follow(() => this.#draw());
    wanted.follow(() => this.#draw(), ending.signal);
  }

  /** Takes what is known by an output or the panel; null once it is gone. */
  tell(by: object, known: Known | null): void {
    this.#known.delete(by);
    if (known) this.#known.set(by, known);
    this.#draw();
  }

  /** Draws all margins anew, once for all that changes at the same time. */
  #draw(): void {
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      for (const cell of this.#document.cells()) void this.#drawOne(cell);
    });
  }

  async #drawOne(cell: Cell): Promise<void> {
    const notes = this.#wanted.showsMargin ? this.#notesOf(cell.model.id) : NOTHING;
    if (notes.lines.length > 0) await cell.ready;
    const view = cell.isDisposed ? null : editorOf(cell);
    if (!view) return;
    const placed = placedIn(view, notes);
    const key = JSON.stringify(placed);
    const known = this.#drawn.get(view);
    if (key === (known?.key ?? NONE)) return;
    const compartment = known?.compartment ?? new Compartment();
    this.#drawn.set(view, { compartment, key });
    const margin = placed.length > 0 ? marginOf(view, placed) : [];
    const effect = known
      ? compartment.reconfigure(margin)
      : StateEffect.appendConfig.of(compartment.of(margin));
    view.dispatch({ effects: effect });
  }

  /** What is known of a cell: of the work by the latest program that it is in. */
  #notesOf(cell: string): Notes {
    const known = [...this.#known.values()];
    const programs = known.flatMap((one) => ('program' in one ? [one.program] : []));
    const isOf = ({ listings }: Program) => listings.some((one) => one.cell === cell);
    const program = programs.filter(isOf).at(-1);
    const again = new Map<number, number>();
    for (const one of known) {
      if (!('log' in one)) continue;
      for (const [line, times] of retracedIn(one.log, cell)) {
        again.set(line, Math.max(times, again.get(line) ?? 0));
      }
    }
    const lines = notesOf(program ? workIn(program, cell) : [], again).map((note) => ({
      line: note.line,
      text: marginText(note),
      sentence: marginSentence(note, program?.name ?? ''),
    }));
    return { lines, listings: program?.listings.filter((one) => one.cell === cell) ?? [] };
  }
}

/** What is said of a line, counted from 1. */
interface Said {
  line: number;
  text: string;
  sentence: string;
}

interface Notes {
  /** Lines as they were captured. */
  lines: readonly Said[];
  listings: readonly Listing[];
}

const NOTHING: Notes = { lines: [], listings: [] };
/** The key of a margin that is not there. */
const NONE = '[]';

/** The notes of the lines that are still in a cell, each where it is now. */
function placedIn(view: EditorView, { lines, listings }: Notes): Said[] {
  const present = linesOf(view);
  return lines.flatMap((note) => {
    const line = listings.length > 0 ? presentLine(listings, present, note.line) : note.line;
    return line !== null && line <= present.length ? [{ ...note, line }] : [];
  });
}

/** The margin of an editor with these notes. */
function marginOf(view: EditorView, notes: readonly Said[]): Extension {
  const markers = notes.map(({ line, text, sentence }) =>
    new Note(text, sentence).range(view.state.doc.line(line).from),
  );
  const field = fieldOf(markers);
  const told = notes.map(({ line, sentence }) => __('Line %1: %2', line, sentence)).join('. ');
  return [
    field,
    gutter({ class: 'jxv-margin', markers: ({ state }) => state.field(field) }),
    EditorView.editorAttributes.of({ class: 'jxv-with-margin' }),
    EditorView.contentAttributes.of({ 'aria-description': told }),
  ];
}

/** The notes move with the text; one whose line is edited goes away. */
const fieldOf = (markers: readonly Range<GutterMarker>[]) =>
  StateField.define<RangeSet<GutterMarker>>({
    create: () => RangeSet.of([...markers], true),
    update(set, { changes, docChanged, startState }) {
      if (!docChanged) return set;
      const isUntouched = (from: number) =>
        !changes.touchesRange(from, endOfLine(startState, from));
      return set.update({ filter: isUntouched }).map(changes);
    },
  });

const endOfLine = ({ doc }: EditorState, at: number): number => doc.lineAt(at).to;

/** A note beside a line. */
class Note extends GutterMarker {
  constructor(
    readonly text: string,
    readonly sentence: string,
  ) {
    super();
  }

  override eq(other: Note): boolean {
    return other.text === this.text && other.sentence === this.sentence;
  }

  override toDOM(): Node {
    const note = document.createElement('span');
    note.className = 'jxv-margin-note';
    note.textContent = this.text;
    note.title = this.sentence;
    return note;
  }
}
