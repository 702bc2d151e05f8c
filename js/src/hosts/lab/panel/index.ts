/** The plugin of the panel beside the notebook, with its commands and its item in the status bar. */
import {
  ILabShell,
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin,
} from '@jupyterlab/application';
import { ICommandPalette, type IWidgetTracker } from '@jupyterlab/apputils';
import { IConsoleTracker } from '@jupyterlab/console';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ILauncher } from '@jupyterlab/launcher';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { ISettings, type Settings } from '../settings';
import { ActiveDocument, type Document } from './active-document';
import { addCommands, icon, OPEN_PANEL } from './panel-commands';
import { Docking, PanelWidget } from './panel-widget';
import { Retraces, RetracesItem, watchAtStart } from './retraces';

export const panelPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-jaxviz:panel',
  description: 'Shows beside the notebook what its kernel traced and captured.',
  autoStart: true,
  requires: [ISettings],
  optional: [
    INotebookTracker,
    IConsoleTracker,
    ICommandPalette,
    ILabShell,
    ILayoutRestorer,
    IStatusBar,
    ILauncher,
    IDefaultFileBrowser,
    ITranslator,
  ],
  activate: (
    app: JupyterFrontEnd,
    settings: Settings,
    notebooks: INotebookTracker | null,
    consoles: IConsoleTracker | null,
    palette: ICommandPalette | null,
    lab: ILabShell | null,
    restorer: ILayoutRestorer | null,
    statusBar: IStatusBar | null,
    launcher: ILauncher | null,
    browser: IDefaultFileBrowser | null,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyterlab_jaxviz');
    const trackers: (IWidgetTracker<Document> | null)[] = [notebooks, consoles];
    const active = new ActiveDocument(
      app.shell,
      trackers.filter((one) => one !== null),
    );
    const retraces = new Retraces(active);
    const panel = new PanelWidget(active, retraces, settings);
    panel.id = 'jaxviz-panel';
    panel.title.icon = icon;
    panel.title.caption = trans.__('What JAX traced');
    const docking = new Docking(app.shell, lab, panel, trans);
    restorer?.add(panel, panel.id);
    addCommands({ app, panel, docking, active, retraces, launcher, browser, trans });
    for (const command of app.commands.listCommands().filter((id) => id.startsWith('jaxviz:'))) {
      palette?.addItem({ command, category: trans.__('JAX') });
    }
    if (notebooks) watchAtStart(notebooks, settings, retraces);
    statusBar?.registerStatusItem('jaxviz:retraces', {
      item: new RetracesItem(retraces, trans, () => void app.commands.execute(OPEN_PANEL)),
      align: 'left',
      rank: 100,
      isActive: () => retraces.since !== null,
      activeStateChanged: retraces.changed,
    });
  },
};
