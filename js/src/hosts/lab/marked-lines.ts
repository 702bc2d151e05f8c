/** Marks the lines of cells that a selection in a view stands for. */
import { RangeSet, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import { presentLine } from '../../facts/linked/edited-lines';
import type { LinesEvent } from '../../view';
import type { OpenDocument } from './documents';
import { type Cell, editorOf, linesOf } from './editors';

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
