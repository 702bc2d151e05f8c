/** The panel beside the notebook, with its commands. */
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
import { Active, type Document } from './active';
import { watchAtStart } from './at-start';
import { addCommands, OPEN } from './commands';
import { addDemos } from './demos';
import { Docking } from './docking';
import { icon } from './icon';
import { Retraces } from './retraces';
import { RetracesItem } from './status';
import { PanelWidget } from './widget';

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
    const active = new Active(
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
    addCommands({ app, panel, docking, active, retraces, trans });
    addDemos({ app, launcher, browser, trans });
    for (const command of app.commands.listCommands().filter((id) => id.startsWith('jaxviz:'))) {
      palette?.addItem({ command, category: trans.__('JAX') });
    }
    if (notebooks) watchAtStart(notebooks, settings, retraces);
    statusBar?.registerStatusItem('jaxviz:retraces', {
      item: new RetracesItem(retraces, trans, () => void app.commands.execute(OPEN)),
      align: 'left',
      rank: 100,
      isActive: () => retraces.since !== null,
      activeStateChanged: retraces.changed,
    });
  },
};
