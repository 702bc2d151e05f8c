import { type Notebook, NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import { SOURCE, type SourceEvent } from '../../view';

/** A notebook's outputs lead to the lines of its cells. */
export function followSources({ content, node }: NotebookPanel): void {
  node.addEventListener(SOURCE, (event) => {
    void reveal(content, (event as CustomEvent<SourceEvent>).detail);
  });
}

/** Goes to a cell's line and selects it; where the cell is gone, stays. */
async function reveal(notebook: Notebook, { cell, line }: SourceEvent): Promise<void> {
  const index = notebook.widgets.findIndex(({ model }) => model.id === cell);
  const found = notebook.widgets[index];
  if (!found) return;
  notebook.activeCellIndex = index;
  NotebookActions.expandParent(found, notebook);
  found.inputHidden = false;
  await notebook.scrollToItem(index, 'smart');
  await found.ready;
  const { editor } = found;
  if (!editor) return;
  const last = Math.max(1, Math.min(line, editor.lineCount)) - 1;
  const column = editor.getLine(last)?.length ?? 0;
  notebook.mode = 'edit';
  editor.setSelection({ start: { line: last, column: 0 }, end: { line: last, column } });
  editor.revealPosition({ line: last, column: 0 });
}
