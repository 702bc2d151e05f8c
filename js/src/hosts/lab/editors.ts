/** The editors of cells and files: their lines, and how to select one. */
import { EditorView } from '@codemirror/view';
import type { ISessionContext } from '@jupyterlab/apputils';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { Notebook } from '@jupyterlab/notebook';
import { presentPlace } from '../../facts/linked/edited-lines';
import { __ } from '../../language';
import type { SourceEvent } from '../../view';

export type Cell = Notebook['widgets'][number];
type Editor = NonNullable<Cell['editor']>;

/** The CodeMirror editor of a cell; null until it has one. JupyterLab's editors have it in a field that
 * their interface does not declare. */
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

/** The files that a kernel read its code from, if Jupyter's server has them too. */
export class Files {
  readonly #manager: IDocumentManager;
  readonly #lookups = new Map<string, Promise<boolean>>();

  constructor(manager: IDocumentManager) {
    this.#manager = manager;
  }

  /** Whether the server has a file, given relative to the folder of the notebook. */
  has(session: ISessionContext, file: string): Promise<boolean> {
    const path = pathBeside(session.path, file);
    if (path === null) return Promise.resolve(false);
    const looking =
      this.#lookups.get(path) ??
      this.#manager.services.contents.get(path, { content: false }).then(
        ({ type }) => type === 'file',
        () => false,
      );
    this.#lookups.set(path, looking);
    return looking;
  }

  /**
   * Opens a file in an editor and selects a line of it.
   *
   * Returns one sentence on why it could not, else an empty text.
   */
  async open(session: ISessionContext, wanted: Omit<SourceEvent, 'cell'>): Promise<string> {
    const { file } = wanted;
    const path = pathBeside(session.path, file);
    if (path === null || !(await this.has(session, file))) {
      return __('%1 is not among the files that Jupyter shows.', file);
    }
    const widget = this.#manager.openOrReveal(path);
    if (!widget) return ''; // Notebook 7 opens it in another page
    await widget.context.ready;
    const { editor } = widget.content as { editor?: Cell['editor'] };
    const view = editorOf({ editor: editor ?? null });
    const line = view && presentPlace(wanted, linesOf(view));
    if (!editor || line === null) return __('That line of %1 was edited since.', file);
    selectLine(editor, line);
    editor.focus();
    return '';
  }
}

/** The path on the server of a file given relative to a notebook; null if it is not below the folder of
 * the notebook. */
export function pathBeside(notebook: string, file: string): string | null {
  const parts = file.replaceAll('\\', '/').split('/');
  if (parts.some((part) => part === '' || part === '..' || /[:<>]/.test(part))) return null;
  const folder = /^.*[/:]/.exec(notebook)?.[0] ?? '';
  return folder + parts.join('/');
}
