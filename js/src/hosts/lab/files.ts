import type { ISessionContext } from '@jupyterlab/apputils';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import { presentPlace } from '../../facts/linked/edited-lines';
import { __ } from '../../language';
import type { SourceEvent } from '../../view';
import { type Cell, editorOf, linesOf, selectLine } from './editors';

/** Files that kernels read, where the server has them too. */
export class Files {
  readonly #manager: IDocumentManager;
  readonly #known = new Map<string, Promise<boolean>>();

  constructor(manager: IDocumentManager) {
    this.#manager = manager;
  }

  /** Whether the server has a file that stands relative to where a kernel was started. */
  has(session: ISessionContext, file: string): Promise<boolean> {
    const path = pathBeside(session.path, file);
    if (path === null) return Promise.resolve(false);
    const looking =
      this.#known.get(path) ??
      this.#manager.services.contents.get(path, { content: false }).then(
        ({ type }) => type === 'file',
        () => false,
      );
    this.#known.set(path, looking);
    return looking;
  }

  /**
   * Opens such a file in an editor and selects a line of it.
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
    if (!widget) return ''; // Notebook 7 opens a page of its own
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

/** A file that stands relative to a notebook, in its drive; null of what does not lie below it. */
export function pathBeside(notebook: string, file: string): string | null {
  const parts = file.replaceAll('\\', '/').split('/');
  if (parts.some((part) => part === '' || part === '..' || /[:<>]/.test(part))) return null;
  const folder = /^.*[/:]/.exec(notebook)?.[0] ?? '';
  return folder + parts.join('/');
}
