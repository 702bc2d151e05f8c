import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ISessionContext } from '@jupyterlab/apputils';
import { FILE, type FileEvent, LINES, type LinesEvent, SOURCE, type SourceEvent } from '../../view';
import { Documents, type OpenDocument } from './documents';
import type { Files } from './files';
import { Marks } from './marks';
import type { Around } from './output';
import { Pointing } from './pointing';
import { revealLine } from './reveal';
import { say } from './saying';
import { selectionIn } from './selection';

/** Leads from the views of programs to lines of code and back, among all that is open. */
export class Lines {
  readonly #shell: JupyterFrontEnd.IShell;
  readonly #files: Files | null;
  readonly #documents = new Documents();
  readonly #marks = new Map<OpenDocument, Marks>();

  /** Without `files` lines of files are not shown. */
  constructor(shell: JupyterFrontEnd.IShell, files: Files | null) {
    this.#shell = shell;
    this.#files = files;
  }

  /** Follows a document, and the outputs that are made known to what is returned. */
  add(document: OpenDocument): Pick<Around, 'listen' | 'forget'> {
    const { panel } = document;
    const [twin] = this.#documents.of(panel.sessionContext);
    const selection = selectionIn(panel);
    this.#documents.add(document);
    this.#marks.set(document, new Marks(document, twin && this.#marks.get(twin)));
    panel.disposed.connect(() => this.#marks.delete(document));
    new Pointing(document, () => this.#views(document));
    if (!twin) selection.asked.connect((_, event) => this.#hear(panel.sessionContext, event));
    return {
      listen: (output, signal) => selection.listen(output, signal),
      forget: (output) => {
        selection.forget(output);
        for (const marks of this.#marks.values()) marks.forget((view) => output.contains(view));
      },
    };
  }

  /** The views that a line of a document may be in. */
  #views(document: OpenDocument): Element[] {
    const related = this.#documents.related(document).map(({ panel }) => selectionIn(panel));
    return [...new Set(related)].flatMap((one) => one.views());
  }

  /** What a view asks is asked of the tab that it is in, else of one that is seen. */
  #hear(session: ISessionContext, event: CustomEvent): void {
    const tabs = this.#documents.of(session);
    const own = tabs.find(({ panel }) => panel.node.contains(event.target as Element));
    const document = own ?? tabs[0];
    if (document) this.#answer(document, event);
  }

  #answer(document: OpenDocument, { type, detail, target }: CustomEvent): void {
    if (type === LINES) this.#mark(document, detail as LinesEvent, target as Element);
    else if (type === FILE) this.#look(document, detail as FileEvent);
    else if (type === SOURCE) void this.#reveal(document, detail as SourceEvent);
  }

  #mark(document: OpenDocument, told: LinesEvent, from: Element): void {
    for (const one of this.#documents.related(document)) {
      const marks = this.#marks.get(one);
      if (told.lines.length > 0) marks?.show(told, from);
      else marks?.forget((view) => view === from);
    }
  }

  #look({ panel }: OpenDocument, { file, found }: FileEvent): void {
    const looking = this.#files?.has(panel.sessionContext, file) ?? Promise.resolve(false);
    void looking.then((has) => has && found());
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
