import { ConsolePanel } from '@jupyterlab/console';
import { NotebookActions, NotebookPanel } from '@jupyterlab/notebook';
import type { Target } from '../../../model/panel/found';
import { soughtAt } from '../../../model/panel/sought';
import type { Cell } from '../editors';
import type { Document } from './active';

/** The cell of a notebook, or the prompt of a console, that the cursor stands in. */
export function cellIn(document: Document | null): Cell | null {
  const cell =
    document instanceof NotebookPanel
      ? document.content.activeCell
      : document instanceof ConsolePanel
        ? document.console.promptCell
        : null;
  return cell?.model.type === 'code' ? cell : null;
}

/** The function that is meant at the cursor; null where there is none. */
export function targetIn(document: Document): Target | null {
  const cell = cellIn(document);
  if (!cell?.editor) return null;
  const { editor, model } = cell;
  const offset = editor.getOffsetAt(editor.getCursorPosition());
  const sought = soughtAt(model.sharedModel.getSource(), offset);
  return (
    sought && { ...sought, cell: document instanceof NotebookPanel ? model.id : null, ran: null }
  );
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
