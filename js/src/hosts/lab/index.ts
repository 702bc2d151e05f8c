/** The extension for JupyterLab and Notebook 7: its plugins for outputs, settings and the panel. */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IConsoleTracker } from '@jupyterlab/console';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator } from '@jupyterlab/translation';
import { speak } from '../../language';
import { CodeLines } from './code-lines';
import { whenRun } from './connection';
import { type OpenDocument, ofConsole, ofNotebook } from './documents';
import { Files } from './editors';
import { notebookKernel } from './notebook-kernel';
import { type OutputContext, rendererFactory } from './output';
import { panelPlugin } from './panel';
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
    rendermime.addFactory(rendererFactory({ ...NO_DOCUMENT, preferring, rendermime }));
    const lines = new CodeLines(shell, documents && new Files(documents));
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

/** For an output that is in no notebook and no console. */
const NO_DOCUMENT: Omit<OutputContext, 'preferring' | 'rendermime'> = {
  kernel: () => null,
  run: async () => undefined,
  listen() {},
  forget() {},
};

export default [settingsPlugin, outputs, panelPlugin];
