/** The extension of JupyterLab and Notebook 7. */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IConsoleTracker } from '@jupyterlab/console';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator } from '@jupyterlab/translation';
import { speak } from '../../language';
import { type OpenDocument, ofConsole, ofNotebook } from './documents';
import { Files } from './files';
import { notebookKernel } from './kernel';
import { Lines } from './lines';
import { type Around, rendererFactory } from './output';
import { panelPlugin } from './panel';
import { whenRun } from './running';
import { ISettings, type Settings, settingsPlugin } from './settings';

const outputs: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-jaxviz:plugin',
  description: 'Draws the programs that jaxviz captured, from the data in the output.',
  autoStart: true,
  requires: [IRenderMimeRegistry, ISettings],
  optional: [INotebookTracker, IConsoleTracker, IDocumentManager, ITranslator],
  activate: (
    { shell }: JupyterFrontEnd,
    rendermime: IRenderMimeRegistry,
    preferring: Settings,
    notebooks: INotebookTracker | null,
    consoles: IConsoleTracker | null,
    documents: IDocumentManager | null,
    translator: ITranslator | null,
  ) => {
    if (translator) speak(translator.load('jupyterlab_jaxviz'));
    rendermime.addFactory(rendererFactory({ ...ALONE, preferring, rendermime }));
    const lines = new Lines(shell, documents && new Files(documents));
    const follow = (document: OpenDocument) => {
      const { content, panel } = document;
      const { sessionContext } = panel;
      content.rendermime.addFactory(
        rendererFactory({
          ...lines.add(document),
          preferring,
          rendermime: content.rendermime,
          kernel: (key, signal) => notebookKernel(sessionContext, key, signal),
          run: (signal) => whenRun(sessionContext, signal),
        }),
      );
    };
    notebooks?.widgetAdded.connect((_, panel) => follow(ofNotebook(panel)));
    consoles?.widgetAdded.connect((_, panel) => follow(ofConsole(panel)));
  },
};

/** An output that is shown in no notebook and no console. */
const ALONE: Omit<Around, 'preferring' | 'rendermime'> = {
  kernel: () => null,
  run: async () => undefined,
  listen() {},
  forget() {},
};

export default [settingsPlugin, outputs, panelPlugin];
