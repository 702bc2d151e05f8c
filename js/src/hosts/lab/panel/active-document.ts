/** The notebook or console that the reader works in, and the cell with the cursor. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ISessionContext, IWidgetTracker } from '@jupyterlab/apputils';
import { ConsolePanel } from '@jupyterlab/console';
import { NotebookActions, NotebookPanel } from '@jupyterlab/notebook';
import { type ISignal, Signal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';
import { functionAt, type Target } from '../../../state/panel/function-at-cursor';
import { type Cell, editorOf } from '../documents';

/** A notebook or a console. */
export type Document = Widget & { sessionContext: ISessionContext };

/** Follows which notebook or console the reader worked in last. */
export class ActiveDocument {
  readonly #trackers: readonly IWidgetTracker<Document>[];
  readonly #changed = new Signal<this, void>(this);
  #current: Document | null = null;

  constructor(shell: JupyterFrontEnd.IShell, trackers: readonly IWidgetTracker<Document>[]) {
    this.#trackers = trackers;
    const update = () => {
      const { currentWidget } = shell;
      const [found] = trackers.flatMap((tracker) => tracker.filter((one) => one === currentWidget));
      this.#choose(found ?? null);
    };
    shell.currentChanged?.connect(update);
    for (const tracker of trackers) tracker.currentChanged.connect(update);
    update();
  }

  /** Null if no notebook and no console is open. */
  get current(): Document | null {
    return this.#current;
  }

  get changed(): ISignal<this, void> {
    return this.#changed;
  }

  /** The current document stays while the reader works in something else. Once it is closed, another
   * open one takes its place. */
  #choose(document: Document | null): void {
    const open = this.#trackers.flatMap(({ currentWidget }) => currentWidget ?? []);
    const own = this.#current?.isDisposed === false ? this.#current : null;
    const next = document ?? own ?? open[0] ?? null;
    if (next === this.#current) return;
    this.#current = next;
    this.#changed.emit();
  }
}

/** The code cell with the cursor; in a console, its prompt. Null if there is none. */
export function activeCell(document: Document | null): Cell | null {
  const cell =
    document instanceof NotebookPanel
      ? document.content.activeCell
      : document instanceof ConsolePanel
        ? document.console.promptCell
        : null;
  return cell?.model.type === 'code' ? cell : null;
}

/** The function at the cursor, or at the place where `menuEvent` opened a context menu; null if
 * there is none. */
export function functionAtCursor(document: Document, menuEvent: MouseEvent | null): Target | null {
  const cell = menuEvent ? cellAround(document, menuEvent.target as Node) : activeCell(document);
  const editor = cell && editorOf(cell);
  if (!editor) return null;
  const { state } = editor;
  const clicked = menuEvent && editor.posAtCoords({ x: menuEvent.clientX, y: menuEvent.clientY });
  const target = functionAt(state.doc.toString(), clicked ?? state.selection.main.head);
  const id = document instanceof NotebookPanel ? cell.model.id : null;
  return target && { ...target, cell: id, ran: null };
}

function cellAround(document: Document, node: Node): Cell | null {
  const cells =
    document instanceof NotebookPanel
      ? document.content.widgets
      : document instanceof ConsolePanel
        ? [document.console.promptCell, ...document.console.cells]
        : [];
  return cells.find((cell) => cell?.node.contains(node)) ?? null;
}

/** Runs a line in a new cell below the cell with that id, or in a console. Returns the id of the new
 * cell; null in a console. */
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
