/** The extension for JupyterLab and Notebook 7: its plugins for outputs, settings, saved programs, and
 * the panel with its commands and its item in the status bar. */
import {
  ILabShell,
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin,
} from '@jupyterlab/application';
import { ICommandPalette, type IWidgetTracker } from '@jupyterlab/apputils';
import { IConsoleTracker } from '@jupyterlab/console';
import { IDocumentManager } from '@jupyterlab/docmanager';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ILauncher } from '@jupyterlab/launcher';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { Contents } from '@jupyterlab/services';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { translateSentences } from '../../facts/text/sentence-text';
import { speak } from '../../language';
import { SENTENCES } from '../../sentences';
import { whenIdle } from './connection';
import { Files, type OpenDocument, ofConsole, ofNotebook } from './documents';
import { CodeLines } from './lines/code-lines';
import { notebookKernel } from './notebook-kernel';
import { complain } from './notifications';
import { type OutputContext, rendererFactory } from './output';
import { ActiveDocument, type Document } from './panel/active-document';
import { addCommands, icon, OPEN_PANEL } from './panel/panel-commands';
import { Docking, PanelWidget } from './panel/panel-widget';
import { Retraces, RetracesItem, watchAtStart } from './panel/retraces';
import { savedProgramsPlugin } from './saved-programs';
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
    if (translator) {
      speak(translator.load('jupyterlab_jaxviz'));
      translateSentences(SENTENCES);
    }
    rendermime.addFactory(rendererFactory({ ...NO_DOCUMENT, preferring, rendermime }));
    const lines = new CodeLines(shell, documents && new Files(documents), preferring);
    const follow = (document: OpenDocument) => {
      const { content, panel } = document;
      const { sessionContext } = panel;
      content.rendermime.addFactory(
        rendererFactory({
          ...lines.add(document),
          preferring,
          rendermime: content.rendermime,
          kernel: (key, signal) => notebookKernel(sessionContext, key, signal),
          run: (signal) => whenIdle(sessionContext, signal),
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
  setFacts() {},
};

const panelPlugin: JupyterFrontEndPlugin<void> = {
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
    addCommands({ app, panel, docking, active, retraces, trans });
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

const OPEN_LESSONS = 'jaxviz-lessons:open';
const FOLDER = 'jaxviz-lessons';
/** In reading order. The lessons of a language are in one folder of `jaxviz/lessons/`. */
const LESSONS = [
  '0_see_what_jax_sees',
  '1_what_jit_does',
  '2_tracers',
  '3_static_arguments',
  '4_thinking_in_jax',
  '5_when_it_fails',
  '6_a_training_step',
  '7_retraces_and_casts',
  '8_many_devices',
  '9_when_it_ran',
];

/** Copies the lessons into a folder of the reader's, and opens the first. */
export const lessonsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-jaxviz:lessons',
  description: 'Opens copies of notebooks that teach what JAX makes of a function.',
  autoStart: true,
  optional: [ICommandPalette, ILauncher, IDefaultFileBrowser, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    palette: ICommandPalette | null,
    launcher: ILauncher | null,
    browser: IDefaultFileBrowser | null,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyterlab_jaxviz');
    const language = translator?.languageCode.startsWith('ko') ? 'ko' : 'en';
    const category = trans.__('JAX');
    app.commands.addCommand(OPEN_LESSONS, {
      label: ({ isLauncher }) =>
        isLauncher ? trans.__('JAX Lessons') : trans.__('Open JAX Lessons'),
      caption: trans.__('Copy the lessons of jaxviz here, and open the first'),
      icon,
      execute: ({ cwd }) => {
        // Notebook 7 has no file browser beside a notebook.
        const parent = typeof cwd === 'string' ? cwd : (browser?.model.path ?? '');
        return openLessons(app, parent === '' ? FOLDER : `${parent}/${FOLDER}`, language).catch(
          complain,
        );
      },
    });
    palette?.addItem({ command: OPEN_LESSONS, category });
    launcher?.add({ command: OPEN_LESSONS, category, args: { isLauncher: true } });
  },
};

async function openLessons(app: JupyterFrontEnd, folder: string, language: string): Promise<void> {
  await copyLessons(app.serviceManager.contents, folder, language);
  await app.commands.execute('docmanager:open', { path: `${folder}/${LESSONS[0]}.ipynb` });
}

/** Skips files that exist already: the reader may have changed them. */
async function copyLessons(
  contents: Contents.IManager,
  folder: string,
  language: string,
): Promise<void> {
  await contents.save(folder, { type: 'directory' });
  const { content: files } = (await contents.get(folder)) as { content: { name: string }[] };
  const present = new Set(files.map(({ name }) => name));
  for (const lesson of LESSONS) {
    if (present.has(`${lesson}.ipynb`)) continue;
    const { default: content } = await import(
      `../../../../jaxviz/lessons/${language}/${lesson}.ipynb`,
      { with: { type: 'json' } }
    );
    await contents.save(`${folder}/${lesson}.ipynb`, { type: 'notebook', format: 'json', content });
  }
}

export default [settingsPlugin, outputs, panelPlugin, lessonsPlugin, savedProgramsPlugin];
