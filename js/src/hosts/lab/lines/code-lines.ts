/** Connects views of programs with lines of code, in all open notebooks, consoles and files. */
import type { EditorView } from '@codemirror/view';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ISessionContext } from '@jupyterlab/apputils';
import { presentPlace } from '../../../facts/linked/edited-lines';
import { __ } from '../../../language';
import {
  EDIT,
  type EditEvent,
  FILE,
  type FileEvent,
  LINES,
  type LinesEvent,
  SOURCE,
  type SourceEvent,
} from '../../../shell/parts/host-events';
import { selectionIn } from '../document-selection';
import {
  Documents,
  editorOf,
  type Files,
  linesOf,
  type OpenDocument,
  selectLine,
} from '../documents';
import { say } from '../notifications';
import type { OutputContext } from '../output';
import { MarkedLines, PointedLine } from './cell-lines';
import { CellMargins, type MarginWanted } from './cell-margin';

/** Answers the requests of views about lines: to mark them, to show one, to open a file. */
export class CodeLines {
  readonly #shell: JupyterFrontEnd.IShell;
  readonly #files: Files | null;
  readonly #documents = new Documents();
  readonly #marks = new Map<OpenDocument, MarkedLines>();
  readonly #margins = new Map<OpenDocument, CellMargins>();
  readonly #wanted: MarginWanted;

  /** `files` is null if JupyterLab has no document manager: then no lines of files are shown. */
  constructor(shell: JupyterFrontEnd.IShell, files: Files | null, wanted: MarginWanted) {
    this.#wanted = wanted;
    this.#shell = shell;
    this.#files = files;
  }

  /** Follows a document. Returns the functions that its outputs call when they come and go. */
  add(document: OpenDocument): Pick<OutputContext, 'listen' | 'forget' | 'setFacts'> {
    const { panel } = document;
    const [sibling] = this.#documents.of(panel.sessionContext);
    const selection = selectionIn(panel);
    this.#documents.add(document);
    this.#marks.set(document, new MarkedLines(document, sibling && this.#marks.get(sibling)));
    this.#margins.set(document, new CellMargins(document, this.#wanted));
    panel.disposed.connect(() => {
      this.#marks.delete(document);
      this.#margins.delete(document);
    });
    new PointedLine(document, () => this.#viewsFor(document));
    if (!sibling) selection.asked.connect((_, event) => this.#receive(panel.sessionContext, event));
    return {
      listen: (output, signal) => selection.listen(output, signal),
      forget: (output) => {
        selection.forget(output);
        for (const marks of this.#marks.values()) marks.forget((view) => output.contains(view));
      },
      setFacts: (output, facts) => {
        for (const one of this.#documents.related(document)) {
          this.#margins.get(one)?.setFacts(output, facts);
        }
      },
    };
  }

  /** The views whose programs may contain a line of the document. */
  #viewsFor(document: OpenDocument): Element[] {
    const related = this.#documents.related(document).map(({ panel }) => selectionIn(panel));
    return [...new Set(related)].flatMap((one) => one.views());
  }

  /** A view may be in one of several tabs of a notebook, or in the panel. Its own tab answers, else
   * a visible one. */
  #receive(session: ISessionContext, event: CustomEvent): void {
    const tabs = this.#documents.of(session);
    const own = tabs.find(({ panel }) => panel.node.contains(event.target as Element));
    const document = own ?? tabs[0];
    if (document) this.#answer(document, event);
  }

  #answer(document: OpenDocument, { type, detail, target }: CustomEvent): void {
    if (type === LINES) this.#mark(document, detail as LinesEvent, target as Element);
    else if (type === FILE) this.#lookForFile(document, detail as FileEvent);
    else if (type === SOURCE) void this.#reveal(document, detail as SourceEvent);
    else if (type === EDIT) this.#edit(document, detail as EditEvent);
  }

  #mark(document: OpenDocument, marked: LinesEvent, from: Element): void {
    for (const one of this.#documents.related(document)) {
      this.#marks.get(one)?.show(marked, from);
    }
  }

  #lookForFile({ panel }: OpenDocument, { file, found }: FileEvent): void {
    void this.#files?.has(panel.sessionContext, file).then((has) => has && found());
  }

  #edit(document: OpenDocument, { wanted, report, refuse, ...edit }: EditEvent): void {
    const view = editorOf(this.#documents.find(edit.cell, document)?.cell ?? { editor: null });
    if (!view) return;
    if (!wanted) report('possible');
    else if (replaceLines(view, edit)) report('edited');
    else refuse(__('The cell was edited after it ran: run it again.'));
  }

  async #reveal(document: OpenDocument, { cell, ...wanted }: SourceEvent): Promise<void> {
    const activate = ({ panel }: OpenDocument) => this.#shell.activateById?.(panel.id);
    const why =
      cell === null
        ? await this.#files?.open(document.panel.sessionContext, wanted)
        : await revealLine(this.#documents, document, { cell, ...wanted }, activate);
    if (why) say(why);
  }
}

/** Shows a line of a cell and selects it. If several tabs contain the cell, one related to `near` is
 * used. Returns one sentence if that fails, else an empty text. */
async function revealLine(
  documents: Documents,
  near: OpenDocument,
  wanted: SourceEvent & { cell: string },
  activate: (document: OpenDocument) => void,
): Promise<string> {
  const found = documents.find(wanted.cell, near);
  if (!found) return __('No open notebook or console contains that cell.');
  const { document, cell } = found;
  activate(document);
  await document.show(cell);
  const view = editorOf(cell);
  const line = view && presentPlace(wanted, linesOf(view));
  if (!cell.editor || line === null) {
    return __('That line was edited after capture, so its cell is shown.');
  }
  selectLine(cell.editor, line);
  return '';
}

/** Replaces lines of a cell if they are unchanged. One undo restores them. */
function replaceLines(
  view: EditorView,
  { first, before, lines }: Pick<EditEvent, 'first' | 'before' | 'lines'>,
): boolean {
  const { doc } = view.state;
  const last = first + before.length - 1;
  if (last > doc.lines) return false;
  const { from } = doc.line(first);
  const { to } = doc.line(last);
  if (doc.sliceString(from, to) !== before.join('\n')) return false;
  view.dispatch({ changes: { from, to, insert: lines.join('\n') }, userEvent: 'input' });
  return true;
}
