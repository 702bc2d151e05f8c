/** The extension of JupyterLab and Notebook 7. */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { liveWidget } from './live';
import { rendererFactory } from './output';
import { followSources } from './reveal';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-jaxviz:plugin',
  description: 'Draws the programs that jaxviz captured, from the data in the output.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [INotebookTracker],
  activate: (
    _app: JupyterFrontEnd,
    rendermime: IRenderMimeRegistry,
    notebooks: INotebookTracker | null,
  ) => {
    rendermime.addFactory(rendererFactory(async () => null));
    notebooks?.widgetAdded.connect((_, panel) => {
      panel.content.rendermime.addFactory(rendererFactory(liveWidget(panel)));
      followSources(panel);
    });
  },
};

export default plugin;
