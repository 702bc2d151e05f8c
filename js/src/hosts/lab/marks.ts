import { RangeSet, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { Notebook, NotebookPanel } from '@jupyterlab/notebook';
import { LINES, type LinesEvent } from '../../view';

type Cell = Notebook['widgets'][number];
type Lines = LinesEvent['lines'];

/** The lines of a notebook's cells that one of its outputs has marked, the latest that did. */
export class Marks {
  readonly #notebook: Notebook;
  #lines: Lines = [];
  #from: Element | null = null;

  constructor({ content, node }: NotebookPanel) {
    this.#notebook = content;
    node.addEventListener(LINES, (event) => {
      const { lines, reveal } = (event as CustomEvent<LinesEvent>).detail;
      const output = (event.target as Element).closest('.jp-jaxviz');
      if (lines.length > 0) this.#show(lines, output);
      else this.forget(output);
      if (reveal && lines[0]) void this.#reveal(lines[0]);
    });
  }

  /** Takes back what was marked from within an output, or from outside the notebook. */
  forget(output: Element | null): void {
    if (this.#from === output) this.#show([], null);
  }

  #show(lines: Lines, from: Element | null): void {
    const cells = new Set([...this.#lines, ...lines].map(({ cell }) => cell));
    this.#lines = lines;
    this.#from = from;
    for (const cell of this.#notebook.widgets) {
      if (cells.has(cell.model.id)) void this.#mark(cell);
    }
  }

  /** Once the cell has an editor, which it gets when it first comes near to where one looks. */
  async #mark(cell: Cell): Promise<void> {
    await cell.ready;
    const view = editorOf(cell);
    if (!view) return;
    const own = this.#lines.filter((one) => one.cell === cell.model.id).map(({ line }) => line);
    const effects: StateEffect<unknown>[] = [setLines.of(own)];
    if (!view.state.field(marked, false)) effects.unshift(StateEffect.appendConfig.of(marked));
    view.dispatch({ effects });
  }

  async #reveal({ cell, line }: Lines[number]): Promise<void> {
    const index = this.#notebook.widgets.findIndex(({ model }) => model.id === cell);
    const found = this.#notebook.widgets[index];
    if (!found) return;
    await this.#notebook.scrollToItem(index, 'smart');
    await found.ready;
    found.editor?.revealPosition({ line: line - 1, column: 0 });
  }
}

/** JupyterLab's editors are CodeMirror's; their interface does not say so. */
function editorOf({ editor }: Cell): EditorView | null {
  const view = editor && (editor as { editor?: unknown }).editor;
  return view instanceof EditorView ? view : null;
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
