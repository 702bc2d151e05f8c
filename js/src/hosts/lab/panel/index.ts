/** The panel beside the notebook, with its commands. */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, type IWidgetTracker } from '@jupyterlab/apputils';
import { IConsoleTracker } from '@jupyterlab/console';
import { INotebookTracker } from '@jupyterlab/notebook';
import { Active, type Document } from './active';
import { icon } from './icon';
import { PanelWidget } from './widget';

export const panelPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-jaxviz:panel',
  description: 'Shows beside the notebook what its kernel traced and captured.',
  autoStart: true,
  optional: [INotebookTracker, IConsoleTracker, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker | null,
    consoles: IConsoleTracker | null,
    palette: ICommandPalette | null,
  ) => {
    const trackers: (IWidgetTracker<Document> | null)[] = [notebooks, consoles];
    const active = new Active(trackers.filter((one) => one !== null));
    const panel = new PanelWidget(active, ({ id }) => app.shell.activateById(id));
    panel.id = 'jaxviz-panel';
    panel.title.icon = icon;
    panel.title.caption = 'JAX programs and retraces';
    app.shell.add(panel, 'right', { rank: 700, type: 'JAX' });
    app.commands.addCommand('jaxviz:open-panel', {
      label: 'Show JAX Panel',
      icon,
      execute: () => app.shell.activateById(panel.id),
    });
    palette?.addItem({ command: 'jaxviz:open-panel', category: 'JAX' });
  },
};
