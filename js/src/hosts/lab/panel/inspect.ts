import { ConsolePanel } from '@jupyterlab/console';
import { NotebookActions, NotebookPanel } from '@jupyterlab/notebook';
import { soughtAt, type Target } from '../../../model/panel/function-at-cursor';
import { type Cell, editorOf } from '../editors';
import type { Document } from './active';

/** The cell that the cursor stands in: of a console that is its prompt. */
export function cellIn(document: Document | null): Cell | null {
  const cell =
    document instanceof NotebookPanel
      ? document.content.activeCell
      : document instanceof ConsolePanel
        ? document.console.promptCell
        : null;
  return cell?.model.type === 'code' ? cell : null;
}

/** The function that is meant at the cursor, or where a context menu was opened; null where there
 * is none. */
export function targetIn(document: Document, opened: MouseEvent | null): Target | null {
  const cell = opened ? cellAt(document, opened.target as Node) : cellIn(document);
  const editor = cell && editorOf(cell);
  if (!editor) return null;
  const { state } = editor;
  const under = opened && editor.posAtCoords({ x: opened.clientX, y: opened.clientY });
  const sought = soughtAt(state.doc.toString(), under ?? state.selection.main.head);
  const id = document instanceof NotebookPanel ? cell.model.id : null;
  return sought && { ...sought, cell: id, ran: null };
}

function cellAt(document: Document, node: Node): Cell | null {
  const cells =
    document instanceof NotebookPanel
      ? document.content.widgets
      : document instanceof ConsolePanel
        ? [document.console.promptCell, ...document.console.cells]
        : [];
  return cells.find((cell) => cell?.node.contains(node)) ?? null;
}

/** Runs a line in a new cell below another, or in a console; null where that makes no cell. */
export function runBelow(document: Document, cell: string | null, line: string): string | null {
  if (document instanceof ConsolePanel) void document.console.inject(line);
  if (!(document instanceof NotebookPanel)) return null;
  const { content, sessionContext } = document;
  const index = content.widgets.findIndex(({ model }) => model.id === cell);
  if (index >= 0) content.activeCellIndex = index;
  NotebookActions.insertBelow(content);
  const { activeCell } = content;
  activeCell?.model.sharedModel.setSource(line);
  void NotebookActions.run(content, sessionContext);
  return activeCell?.model.id ?? null;
}
