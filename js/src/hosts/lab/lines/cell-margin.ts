/** The margin of cells: the cost, casts and retraces of each line, if the settings say so. */
import { Compartment, type Extension, RangeSet, StateEffect, StateField } from '@codemirror/state';
import { EditorView, GutterMarker, gutter } from '@codemirror/view';
import type { ISessionContext } from '@jupyterlab/apputils';
import { presentLine } from '../../../facts/linked/edited-lines';
import { notesOf, retracedIn, workIn } from '../../../facts/linked/line-notes';
import { __ } from '../../../language';
import type { Listing, Log, Program } from '../../../schema';
import { marginSentence, marginText } from '../../../words/margin-words';
import { Connection } from '../connection';
import { type Cell, editorOf, linesOf, type OpenDocument } from '../documents';

/** Facts about lines of cells, from an output or the panel. */
export type LineFacts = { program: Program } | { log: Pick<Log, 'functions'> };

/** Says if margins are wanted now, and reports changes. */
export interface MarginWanted {
  readonly showsMargin: boolean;
  follow(changed: () => void, signal: AbortSignal): void;
}

/** The margins of one document's cells. */
export class CellMargins {
  static readonly #all = new Set<CellMargins>();

  /** Sets the facts from one source for all cells of a kernel; null removes them. */
  static setFacts(session: ISessionContext, source: object, facts: LineFacts | null): void {
    for (const one of CellMargins.#all) {
      if (one.#document.panel.sessionContext === session) one.setFacts(source, facts);
    }
  }

  readonly #document: OpenDocument;
  readonly #wanted: MarginWanted;
  /** By source; the latest is last. */
  readonly #facts = new Map<object, LineFacts>();
  /** The margin drawn in each editor. */
  readonly #drawn = new WeakMap<EditorView, { compartment: Compartment; key: string }>();
  readonly #followed = new WeakSet<Cell>();
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
    this.#forgetAtRestart(ending.signal);
    wanted.follow(() => this.#draw(), ending.signal);
  }

  /** The next process of the kernel has traced nothing yet. */
  #forgetAtRestart(signal: AbortSignal): void {
    const { ended } = Connection.of(this.#document.panel.sessionContext);
    const forget = () => {
      this.#facts.clear();
      this.#draw();
    };
    ended.connect(forget);
    signal.addEventListener('abort', () => ended.disconnect(forget), { once: true });
  }

  /** Sets the facts from one source; null removes them. */
  setFacts(source: object, facts: LineFacts | null): void {
    this.#facts.delete(source);
    if (facts) this.#facts.set(source, facts);
    this.#draw();
  }

  /** Redraws all margins in the next frame, once for all changes until then. */
  #draw(): void {
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      for (const cell of this.#document.cells()) void this.#drawCell(cell);
    });
  }

  async #drawCell(cell: Cell): Promise<void> {
    const notes = this.#wanted.showsMargin ? this.#notesOf(cell) : NOTHING;
    if (notes.lines.length > 0) {
      this.#follow(cell);
      await cell.ready;
    }
    const view = cell.isDisposed ? null : editorOf(cell);
    if (!view) return;
    const placed = presentNotes(view, notes);
    const key = JSON.stringify(placed);
    const drawn = this.#drawn.get(view);
    if (key === (drawn?.key ?? NONE)) return;
    const compartment = drawn?.compartment ?? new Compartment();
    this.#drawn.set(view, { compartment, key });
    const margin = placed.length > 0 ? marginOf(view, placed) : [];
    const effect = drawn
      ? compartment.reconfigure(margin)
      : StateEffect.appendConfig.of(compartment.of(margin));
    view.dispatch({ effects: effect });
  }

  /** Redraws the margin after the cell was run again or edited. */
  #follow(cell: Cell): void {
    if (this.#followed.has(cell)) return;
    this.#followed.add(cell);
    cell.model.stateChanged.connect((_, { name }) => {
      if (name === 'executionCount' || name === 'isDirty') this.#draw();
    });
  }

  /** The notes of a cell. Costs come from the latest program that contains it; retraces are those of the functions
   * that its last run defined, unless it was edited since. */
  #notesOf({ model }: Cell): Notes {
    const { id: cell, executionCount = null, isDirty }: CellState = model;
    const facts = [...this.#facts.values()];
    const programs = facts.flatMap((one) => ('program' in one ? [one.program] : []));
    const isOf = ({ listings }: Program) => listings.some((one) => one.cell === cell);
    const program = programs.filter(isOf).at(-1);
    const retraces = new Map<number, number>();
    for (const one of facts) {
      if (!('log' in one) || isDirty) continue;
      for (const [line, times] of retracedIn(one.log, cell, executionCount)) {
        retraces.set(line, Math.max(times, retraces.get(line) ?? 0));
      }
    }
    const lines = notesOf(program ? workIn(program, cell) : [], retraces).map((note) => ({
      line: note.line,
      text: marginText(note),
      sentence: marginSentence(note, program?.name ?? ''),
    }));
    return { lines, listings: program?.listings.filter((one) => one.cell === cell) ?? [] };
  }
}

/** A cell's model. Only cells with code have the last two. */
interface CellState {
  id: string;
  executionCount?: number | null;
  /** True if the cell was edited since its last run. */
  isDirty?: boolean;
}

/** The note of a line, counted from 1. */
interface LineNote {
  line: number;
  text: string;
  sentence: string;
}

interface Notes {
  /** Lines as captured. */
  lines: readonly LineNote[];
  listings: readonly Listing[];
}

const NOTHING: Notes = { lines: [], listings: [] };
/** The key of an absent margin. */
const NONE = '[]';

/** The notes whose lines still exist, each at its present line. */
function presentNotes(view: EditorView, { lines, listings }: Notes): LineNote[] {
  const present = linesOf(view);
  return lines.flatMap((note) => {
    const line = listings.length > 0 ? presentLine(listings, present, note.line) : note.line;
    return line !== null && line <= present.length ? [{ ...note, line }] : [];
  });
}

function marginOf(view: EditorView, notes: readonly LineNote[]): Extension {
  const markers = notes.map(({ line, text, sentence }) =>
    new Note(text, sentence).range(view.state.doc.line(line).from),
  );
  // Notes move with the text. A note goes away when its line is edited.
  const field = StateField.define<RangeSet<GutterMarker>>({
    create: () => RangeSet.of(markers, true),
    update(set, { changes, docChanged, startState: { doc } }) {
      if (!docChanged) return set;
      const isUntouched = (from: number) => !changes.touchesRange(from, doc.lineAt(from).to);
      return set.update({ filter: isUntouched }).map(changes);
    },
  });
  const description = notes
    .map(({ line, sentence }) => __('Line %1: %2', line, sentence))
    .join('. ');
  return [
    field,
    gutter({ class: 'jxv-margin', markers: ({ state }) => state.field(field) }),
    EditorView.editorAttributes.of({ class: 'jxv-with-margin' }),
    EditorView.contentAttributes.of({ 'aria-description': description }),
  ];
}

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
