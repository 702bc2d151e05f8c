/** Open notebooks, consoles and files: their cells, editors and lines, and how to select a line. */
import { EditorView } from '@codemirror/view';
import type { ISessionContext } from '@jupyterlab/apputils';
import type { ConsolePanel } from '@jupyterlab/console';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import { type Notebook, NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { Widget } from '@lumino/widgets';
import { pathBeside, presentPlace } from '../../facts/linked/edited-lines';
import { __ } from '../../language';
import type { SourceEvent } from '../../shell/parts/host-events';

/** A tab with a notebook or a console. All tabs of one notebook have the same session. */
export interface OpenDocument {
  panel: Widget & { sessionContext: ISessionContext };
  /** The widget that contains its cells. */
  content: Widget & { rendermime: IRenderMimeRegistry };
  cells(): readonly Cell[];
  /** Calls `changed` after cells were added, removed or folded. */
  follow(changed: () => void): void;
  /** Unfolds a cell and scrolls it into view. */
  show(cell: Cell): Promise<void>;
}

export function ofNotebook(panel: NotebookPanel): OpenDocument {
  const { content } = panel;
  return {
    panel,
    content,
    cells: () => content.widgets,
    follow(changed) {
      content.model?.cells.changed.connect(changed);
      content.cellCollapsed.connect(changed);
    },
    async show(cell) {
      const index = content.widgets.indexOf(cell);
      content.activeCellIndex = index;
      NotebookActions.expandParent(cell, content);
      cell.inputHidden = false;
      await content.scrollToItem(index, 'smart');
      await cell.ready;
      content.mode = 'edit';
    },
  };
}

export function ofConsole(panel: ConsolePanel): OpenDocument {
  const { console } = panel;
  return {
    panel,
    content: console,
    cells: () => [...console.cells],
    follow: (changed) => console.cells.changed.connect(changed),
    async show(cell) {
      await cell.ready;
      cell.node.scrollIntoView({ block: 'nearest' });
      cell.editor?.focus();
    },
  };
}

/** All tabs with notebooks and consoles. */
export class Documents {
  readonly #open = new Set<OpenDocument>();

  add(document: OpenDocument): void {
    this.#open.add(document);
    document.panel.disposed.connect(() => this.#open.delete(document));
  }

  /** The tabs of a notebook or console, visible ones first. */
  of(session: ISessionContext): OpenDocument[] {
    const tabs = [...this.#open].filter(({ panel }) => panel.sessionContext === session);
    const visible = ({ panel }: OpenDocument) => Number(panel.isVisible);
    return tabs.sort((one, other) => visible(other) - visible(one));
  }

  /** The tabs with the same cells or the same kernel; `to` itself is the first. */
  related(to: OpenDocument): OpenDocument[] {
    const { sessionContext: session } = to.panel;
    const kernel = kernelOf(to);
    const sharesKernel = (one: OpenDocument) => kernel !== null && kernelOf(one) === kernel;
    return [...new Set([to, ...this.of(session), ...[...this.#open].filter(sharesKernel)])];
  }

  /** The tab that contains the cell with that id, or null. Tabs related to `near` come first. */
  find(id: string, near: OpenDocument): { document: OpenDocument; cell: Cell } | null {
    for (const document of new Set([...this.related(near), ...this.#open])) {
      const cell = document.cells().find(({ model }) => model.id === id);
      if (cell) return { document, cell };
    }
    return null;
  }
}

const kernelOf = ({ panel }: OpenDocument): string | null =>
  panel.sessionContext.session?.kernel?.id ?? null;

export type Cell = Notebook['widgets'][number];
type Editor = NonNullable<Cell['editor']>;

/** The CodeMirror editor of a cell; null until it has one. JupyterLab stores it in a field that its
 * interface does not declare. */
export function editorOf({ editor }: { editor: Editor | null }): EditorView | null {
  const view = editor && (editor as { editor?: unknown }).editor;
  return view instanceof EditorView ? view : null;
}

/** The lines of the text in an editor. */
export const linesOf = ({ state }: EditorView): readonly string[] => state.doc.toJSON();

/** Selects a line, counted from 1, and scrolls it into view. */
export function selectLine(editor: Editor, line: number): void {
  const at = Math.max(1, Math.min(line, editor.lineCount)) - 1;
  const column = editor.getLine(at)?.length ?? 0;
  editor.setSelection({ start: { line: at, column: 0 }, end: { line: at, column } });
  editor.revealPosition({ line: at, column: 0 });
}

/** The files of the kernel's code, if Jupyter's server has them too. */
export class Files {
  readonly #manager: IDocumentManager;
  readonly #lookups = new Map<string, Promise<boolean>>();

  constructor(manager: IDocumentManager) {
    this.#manager = manager;
  }

  /** True if the server has a file, given relative to the folder of the notebook. */
  has(session: ISessionContext, file: string): Promise<boolean> {
    const path = pathBeside(session.path, file);
    if (path === null) return Promise.resolve(false);
    const lookup =
      this.#lookups.get(path) ??
      this.#manager.services.contents.get(path, { content: false }).then(
        ({ type }) => type === 'file',
        () => false,
      );
    this.#lookups.set(path, lookup);
    return lookup;
  }

  /** Opens a file in an editor and selects a line of it. Returns one sentence if that fails, else an
   * empty text. */
  async open(session: ISessionContext, wanted: Omit<SourceEvent, 'cell'>): Promise<string> {
    const { file } = wanted;
    const path = pathBeside(session.path, file);
    if (path === null || !(await this.has(session, file))) {
      return __('Jupyter cannot show the file %1.', file);
    }
    const widget = this.#manager.openOrReveal(path);
    if (!widget) return ''; // Notebook 7 opens it in another page
    await widget.context.ready;
    const { editor } = widget.content as { editor?: Cell['editor'] };
    const view = editorOf({ editor: editor ?? null });
    const line = view && presentPlace(wanted, linesOf(view));
    if (!editor || line === null) return __('That line of %1 was edited after capture.', file);
    selectLine(editor, line);
    editor.focus();
    return '';
  }
}
