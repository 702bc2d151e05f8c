/** The extension of JupyterLab and Notebook 7. */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator } from '@jupyterlab/translation';
import { speak } from '../../model/language';
import { notebookKernel } from './kernel';
import { liveWidget } from './live';
import { Marks } from './marks';
import { rendererFactory } from './output';
import { panelPlugin } from './panel';
import { Pointing } from './pointing';
import { followSources } from './reveal';
import { whenRun } from './running';
import { selectionIn } from './selection';

const outputs: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-jaxviz:plugin',
  description: 'Draws the programs that jaxviz captured, from the data in the output.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [INotebookTracker, ITranslator],
  activate: (
    _app: JupyterFrontEnd,
    rendermime: IRenderMimeRegistry,
    notebooks: INotebookTracker | null,
    translator: ITranslator | null,
  ) => {
    if (translator) speak(translator.load('jupyterlab_jaxviz'));
    rendermime.addFactory(
      rendererFactory({
        live: async () => null,
        kernel: () => null,
        run: async () => undefined,
        forget() {},
      }),
    );
    notebooks?.widgetAdded.connect((_, panel) => {
      const kernel = (key: string, signal: AbortSignal) =>
        notebookKernel(panel.sessionContext, key, signal);
      // One notebook may be open in several tabs.
      const twins = () => notebooks.filter(({ context }) => context === panel.context);
      const marks = new Marks(panel, () => twins().map(({ content }) => content));
      const selection = selectionIn(panel);
      new Pointing(panel, () => twins().flatMap((one) => selectionIn(one).views()));
      const forget = (output: Element) => {
        marks.forget(output);
        selection.forget(output);
      };
      const run = (signal: AbortSignal) => whenRun(panel.sessionContext, signal);
      panel.content.rendermime.addFactory(
        rendererFactory({ live: liveWidget(panel), kernel, run, forget }),
      );
      followSources(panel);
    });
  },
};

export default [outputs, panelPlugin];
