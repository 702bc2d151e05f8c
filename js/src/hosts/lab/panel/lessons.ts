/** The lessons: notebooks that the reader gets a copy of. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import type { ILauncher } from '@jupyterlab/launcher';
import type { Contents } from '@jupyterlab/services';
import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { complain } from '../notifications';
import { icon } from './panel-commands';

const OPEN_LESSONS = 'jaxviz:open-lessons';
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
];

interface LessonContext {
  app: JupyterFrontEnd;
  launcher: ILauncher | null;
  /** Null in Notebook 7, which has no file browser beside a notebook. */
  browser: IDefaultFileBrowser | null;
  translator: ITranslator | null;
  trans: TranslationBundle;
}

/** Copies the lessons into a folder where the reader works, and opens the first. */
export function addLessonsCommand({ app, launcher, browser, translator, trans }: LessonContext) {
  app.commands.addCommand(OPEN_LESSONS, {
    label: ({ isLauncher }) =>
      isLauncher ? trans.__('JAX Lessons') : trans.__('Open JAX Lessons'),
    caption: trans.__('Copy the lessons of jaxviz here, and open the first'),
    icon,
    execute: async ({ cwd }) => {
      const parent = typeof cwd === 'string' ? cwd : (browser?.model.path ?? '');
      const folder = parent === '' ? FOLDER : `${parent}/${FOLDER}`;
      const language = translator?.languageCode.startsWith('ko') ? 'ko' : 'en';
      try {
        await copyLessons(app.serviceManager.contents, folder, language);
        await app.commands.execute('docmanager:open', { path: `${folder}/${LESSONS[0]}.ipynb` });
      } catch (error) {
        complain(error);
      }
    },
  });
  launcher?.add({ command: OPEN_LESSONS, category: trans.__('JAX'), args: { isLauncher: true } });
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
      `../../../../../jaxviz/lessons/${language}/${lesson}.ipynb`,
      { with: { type: 'json' } }
    );
    await contents.save(`${folder}/${lesson}.ipynb`, { type: 'notebook', format: 'json', content });
  }
}
