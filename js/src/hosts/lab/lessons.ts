/** The lessons: notebooks that the reader gets a copy of. */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ILauncher } from '@jupyterlab/launcher';
import type { Contents } from '@jupyterlab/services';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { complain } from './notifications';
import { icon } from './panel/panel-commands';

const OPEN_LESSONS = 'jaxviz-lessons:open';
const FOLDER = 'jaxviz-lessons';
/** In the order in which they are read; those of a language stand in one folder of `jaxviz/lessons/`. */
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

/** Copies the lessons into a folder where the reader works, and opens the first. */
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

/** A file that is there already is left as it is: the reader may have changed it. */
async function copyLessons(
  contents: Contents.IManager,
  folder: string,
  language: string,
): Promise<void> {
  await contents.save(folder, { type: 'directory' });
  const { content: files } = (await contents.get(folder)) as { content: { name: string }[] };
  const kept = new Set(files.map(({ name }) => name));
  for (const lesson of LESSONS) {
    if (kept.has(`${lesson}.ipynb`)) continue;
    const { default: content } = await import(
      `../../../../jaxviz/lessons/${language}/${lesson}.ipynb`,
      { with: { type: 'json' } }
    );
    await contents.save(`${folder}/${lesson}.ipynb`, { type: 'notebook', format: 'json', content });
  }
}
