import { RangeSet, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { Notebook, NotebookPanel } from '@jupyterlab/notebook';
import { presentLine } from '../../model/linked/edited';
import { LINES, type LinesEvent } from '../../view';
import { type Cell, editorOf, linesOf } from './editors';

const NONE: LinesEvent = { lines: [], listings: [], reveal: false };

/** Cells that have marked lines, and headings under which such cells are folded. */
const MARKED = 'jxv-marked-cell';
/** Cells of which a line was edited since, so that it is not marked. */
const EDITED = 'jxv-edited-cell';

/** The lines of a notebook's cells that one of its outputs has marked, the latest that did. */
export class Marks {
  readonly #notebook: Notebook;
  readonly #notebooks: () => Iterable<Notebook>;
  #told = NONE;
  #from: Element | null = null;

  /** `notebooks` are those that show the same cells, in other tabs too. */
  constructor({ content, node }: NotebookPanel, notebooks: () => Iterable<Notebook>) {
    this.#notebook = content;
    this.#notebooks = notebooks;
    node.addEventListener(LINES, (event) => {
      const { detail } = event as CustomEvent<LinesEvent>;
      const output = (event.target as Element).closest('.jp-jaxviz');
      if (detail.lines.length > 0) this.#show(detail, output);
      else this.forget(output);
      if (detail.reveal && detail.lines[0]) void this.#reveal(detail.lines[0]);
    });
  }

  /** Takes back what was marked from within an output, or from outside the notebook. */
  forget(output: Element | null): void {
    if (this.#from === output) this.#show(NONE, null);
  }

  #show(told: LinesEvent, from: Element | null): void {
    const cells = new Set([...this.#told.lines, ...told.lines].map(({ cell }) => cell));
    this.#told = told;
    this.#from = from;
    for (const notebook of this.#notebooks()) {
      this.#markCells(notebook);
      for (const cell of notebook.widgets) {
        if (cells.has(cell.model.id)) void this.#mark(cell);
      }
    }
  }

  #markCells({ widgets }: Notebook): void {
    const cells = new Set(this.#told.lines.map(({ cell }) => cell));
    const marked = new Set<Cell>();
    let seen: Cell | undefined;
    for (const cell of widgets) {
      if (!cell.isHidden) seen = cell;
      if (cells.has(cell.model.id)) marked.add(cell).add(seen ?? cell);
    }
    for (const cell of widgets) cell.toggleClass(MARKED, marked.has(cell));
  }

  /** Once the cell has an editor, which it gets when it first comes near to where one looks. */
  async #mark(cell: Cell): Promise<void> {
    await cell.ready;
    const view = cell.isDisposed ? null : editorOf(cell);
    if (!view) return;
    const own = this.#told.lines.filter((one) => one.cell === cell.model.id);
    const lines = this.#linesIn(cell, view, own);
    cell.toggleClass(EDITED, lines.length < own.length);
    const effects: StateEffect<unknown>[] = [setLines.of(lines)];
    if (!view.state.field(marked, false)) effects.unshift(StateEffect.appendConfig.of(marked));
    view.dispatch({ effects });
  }

  /** Where the lines are now in a cell that was edited, without those that are no more. */
  #linesIn({ model }: Cell, view: EditorView, own: LinesEvent['lines']): number[] {
    const listings = this.#told.listings.filter(({ cell }) => cell === model.id);
    if (own.length === 0 || listings.length === 0) return own.map(({ line }) => line);
    const present = linesOf(view);
    return own.flatMap(({ line }) => presentLine(listings, present, line) ?? []);
  }

  async #reveal({ cell, line }: LinesEvent['lines'][number]): Promise<void> {
    const index = this.#notebook.widgets.findIndex(({ model }) => model.id === cell);
    const found = this.#notebook.widgets[index];
    if (!found) return;
    await this.#notebook.scrollToItem(index, 'smart');
    await found.ready;
    found.editor?.revealPosition({ line: line - 1, column: 0 });
  }
}

const setLines = StateEffect.define<number[]>();
const line = Decoration.line({ class: 'jxv-marked-line' });

/** Marks move with the text when the cell is edited. */
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
