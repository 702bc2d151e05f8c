/** The notebooks and consoles that are open, and their cells. */
import type { ISessionContext } from '@jupyterlab/apputils';
import type { ConsolePanel } from '@jupyterlab/console';
import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { Widget } from '@lumino/widgets';
import type { Cell } from './editors';

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
    const isSeen = ({ panel }: OpenDocument) => Number(panel.isVisible);
    return tabs.sort((one, other) => isSeen(other) - isSeen(one));
  }

  /** The tabs that show the same cells or use the same kernel; `to` itself is the first. */
  related(to: OpenDocument): OpenDocument[] {
    const { sessionContext: session } = to.panel;
    const kernel = kernelOf(to);
    const works = (one: OpenDocument) => kernel !== null && kernelOf(one) === kernel;
    return [...new Set([to, ...this.of(session), ...[...this.#open].filter(works)])];
  }

  /** The tab that has the cell with that id; tabs related to `near` are preferred. Null if no tab has
   * it. */
  holding(id: string, near: OpenDocument): { document: OpenDocument; cell: Cell } | null {
    for (const document of new Set([...this.related(near), ...this.#open])) {
      const cell = document.cells().find(({ model }) => model.id === id);
      if (cell) return { document, cell };
    }
    return null;
  }
}

const kernelOf = ({ panel }: OpenDocument): string | null =>
  panel.sessionContext.session?.kernel?.id ?? null;
