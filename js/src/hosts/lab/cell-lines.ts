/** Lines of cells and views of programs: marks the lines that a selection in a view stands for, and
 * tells views which line the reader points at. */
import { RangeSet, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import { presentLine } from '../../facts/linked/edited-lines';
import { type LinesEvent, POINT, type PointEvent } from '../../view';
import { type Cell, editorOf, linesOf, type OpenDocument } from './documents';

const NO_LINES: LinesEvent = { lines: [], listings: [] };

/** The class of cells with marked lines, and of headings under which such cells are folded. */
const MARKED_CELL = 'jxv-marked-cell';
/** The class of cells in which a line is not marked, because it was edited since. */
const EDITED_CELL = 'jxv-edited-cell';

/** The marked lines of one document: those that a view asked for last. */
export class MarkedLines {
  readonly #document: OpenDocument;
  #told = NO_LINES;
  #from: Element | null = null;
  /** The ids of the cells that have marked lines. */
  #cells = new Set<string>();

  /** `like` is another tab of the same notebook, whose marks are taken over. */
  constructor(document: OpenDocument, like: MarkedLines | undefined) {
    this.#document = document;
    document.follow(() => this.#mark());
    if (like) this.show(like.#told, like.#from);
  }

  show(told: LinesEvent, from: Element | null): void {
    this.#told = told;
    this.#from = from;
    this.#mark();
  }

  /** Removes the marks if the view that asked for them is gone. */
  forget(isGone: (view: Element) => boolean): void {
    if (this.#from && isGone(this.#from)) this.show(NO_LINES, null);
  }

  #mark(): void {
    const told = new Set(this.#told.lines.map(({ cell }) => cell));
    if (told.size === 0 && this.#cells.size === 0) return;
    const before = this.#cells;
    this.#cells = told;
    const standing = new Set<Cell>();
    let seen: Cell | undefined;
    const cells = this.#document.cells();
    for (const cell of cells) {
      const { id } = cell.model;
      if (!cell.isHidden) seen = cell;
      if (told.has(id)) standing.add(cell).add(seen ?? cell);
      if (told.has(id) || before.has(id)) void this.#markLines(cell);
    }
    for (const cell of cells) cell.toggleClass(MARKED_CELL, standing.has(cell));
  }

  /** Marks the lines of a cell once it has an editor, which JupyterLab makes when the cell is scrolled
   * near to what is visible. */
  async #markLines(cell: Cell): Promise<void> {
    await cell.ready;
    const view = cell.isDisposed ? null : editorOf(cell);
    if (!view) return;
    const own = this.#told.lines.filter((one) => one.cell === cell.model.id);
    const lines = this.#linesIn(cell, view, own);
    cell.toggleClass(EDITED_CELL, lines.length < own.length);
    const effects: StateEffect<unknown>[] = [setLines.of(lines)];
    if (!view.state.field(marked, false)) effects.unshift(StateEffect.appendConfig.of(marked));
    view.dispatch({ effects });
  }

  /** Where the lines are now in a cell that may have been edited, without those that are gone. */
  #linesIn({ model }: Cell, view: EditorView, own: LinesEvent['lines']): number[] {
    const listings = this.#told.listings.filter(({ cell }) => cell === model.id);
    if (own.length === 0 || listings.length === 0) return own.map(({ line }) => line);
    const present = linesOf(view);
    return own.flatMap(({ line }) => presentLine(listings, present, line) ?? []);
  }
}

const setLines = StateEffect.define<number[]>();
const line = Decoration.line({ class: 'jxv-marked-line' });

/** The marks in an editor. They move with the text when the cell is edited. */
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lines, { changes, effects, newDoc }) {
    const set = effects.find((effect) => effect.is(setLines));
    if (!set) return lines.map(changes);
    const known = set.value.filter((number) => number >= 1 && number <= newDoc.lines);
    return RangeSet.of(
      [...new Set(known)].map((number) => line.range(newDoc.line(number).from)),
      true,
    );
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** How long the mouse must rest on a line before that counts as pointing, ms. */
const REST_TIME = 150;

interface CellLine {
  cell: Cell;
  view: EditorView;
  /** Counted from 1. */
  line: number;
}

/** The line of a document's cells that is pointed at: the one on which the mouse rests, else the one
 * with the cursor. */
export class PointedLine {
  readonly #document: OpenDocument;
  readonly #views: () => Iterable<Element>;
  readonly #followed = new WeakSet<EditorView>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #under: CellLine | null = null;
  #cursor: CellLine | null = null;
  #told: PointEvent = null;

  constructor(document: OpenDocument, views: () => Iterable<Element>) {
    this.#document = document;
    this.#views = views;
    const { content, panel } = document;
    content.node.addEventListener('mousemove', this.#move, { passive: true });
    content.node.addEventListener('mouseleave', this.#leave);
    content.node.addEventListener('focusin', this.#focus);
    content.node.addEventListener('focusout', this.#blur);
    panel.disposed.connect(() => {
      clearTimeout(this.#timer);
      this.#set({ under: null, cursor: null });
    });
  }

  readonly #move = (event: MouseEvent): void => {
    clearTimeout(this.#timer);
    const found = this.#editorAt(event.target as Element);
    if (!found) {
      this.#set({ under: null });
      return;
    }
    const { clientX: x, clientY: y } = event;
    this.#timer = setTimeout(() => {
      const at = found.view.posAtCoords({ x, y });
      this.#set({ under: at === null ? null : placeAt(found, at) });
    }, REST_TIME);
  };

  readonly #leave = (): void => {
    clearTimeout(this.#timer);
    this.#set({ under: null });
  };

  /** Begins to follow the cursor of an editor when it is first used. */
  readonly #focus = ({ target }: FocusEvent): void => {
    const found = this.#editorAt(target as Element);
    if (!found) return;
    const { cell, view } = found;
    const report = () => {
      const { state, hasFocus } = view;
      if (!hasFocus && this.#cursor?.view !== view) return;
      this.#set({ cursor: placeAt({ cell, view }, state.selection.main.head) });
    };
    if (this.#followed.has(view)) return;
    this.#followed.add(view);
    const listener = EditorView.updateListener.of((update) => {
      if (update.docChanged || update.selectionSet || update.focusChanged) report();
    });
    view.dispatch({ effects: StateEffect.appendConfig.of(listener) });
    report();
  };

  /** The line with the cursor is forgotten only if the focus goes elsewhere in the notebook: who goes on
   * to the panel wants to read there about that line. */
  readonly #blur = ({ relatedTarget }: FocusEvent): void => {
    const { node } = this.#document.content;
    const isWithin = relatedTarget instanceof Element && node.contains(relatedTarget);
    if (isWithin && !this.#editorAt(relatedTarget)) this.#set({ cursor: null });
  };

  #editorAt(target: Element): { cell: Cell; view: EditorView } | null {
    const element = target.closest<HTMLElement>('.cm-editor');
    const cell = element && this.#document.cells().find(({ node }) => node.contains(element));
    const view = cell ? editorOf(cell) : null;
    return cell && view?.dom === element ? { cell, view } : null;
  }

  #set({
    under = this.#under,
    cursor = this.#cursor,
  }: {
    under?: CellLine | null;
    cursor?: CellLine | null;
  }) {
    this.#under = under;
    this.#cursor = cursor;
    const place = under ?? cursor;
    const next: PointEvent = place && {
      cell: place.cell.model.id,
      line: place.line,
      lines: linesOf(place.view),
    };
    if (isSame(next, this.#told)) return;
    this.#told = next;
    for (const view of this.#views()) {
      view.dispatchEvent(new CustomEvent<PointEvent>(POINT, { detail: next }));
    }
  }
}

const placeAt = (found: { cell: Cell; view: EditorView }, at: number): CellLine => ({
  ...found,
  line: found.view.state.doc.lineAt(at).number,
});

function isSame(one: PointEvent, other: PointEvent): boolean {
  return (
    one === other ||
    (one?.cell === other?.cell &&
      one?.line === other?.line &&
      one?.lines.length === other?.lines.length &&
      one!.lines.every((text, index) => text === other?.lines[index]))
  );
}
