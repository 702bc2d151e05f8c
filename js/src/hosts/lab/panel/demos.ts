import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import type { ILauncher } from '@jupyterlab/launcher';
import type { TranslationBundle } from '@jupyterlab/translation';
import { complain } from '../saying';
import { icon } from './icon';

const DEMO = 'jaxviz.ipynb';
const load = () => import('../../../../../demos/jaxviz.ipynb', { with: { type: 'json' } });

interface Around {
  app: JupyterFrontEnd;
  launcher: ILauncher | null;
  /** Null in a page without one, as of Notebook 7. */
  browser: IDefaultFileBrowser | null;
  trans: TranslationBundle;
}

const DEMOS = 'jaxviz:open-demos';

/** Opens a copy of the demo notebook in the folder that is worked in. */
export function addDemos({ app, launcher, browser, trans }: Around): void {
  app.commands.addCommand(DEMOS, {
    label: ({ isLauncher }) => (isLauncher ? trans.__('JAX Demos') : trans.__('Open JAX Demos')),
    caption: trans.__('Open a notebook that shows what jaxviz does'),
    icon,
    execute: async ({ cwd }) => {
      const folder = typeof cwd === 'string' ? cwd : (browser?.model.path ?? '');
      const path = folder === '' ? DEMO : `${folder}/${DEMO}`;
      try {
        await copied(app, folder, path);
        await app.commands.execute('docmanager:open', { path });
      } catch (error) {
        complain(error);
      }
    },
  });
  launcher?.add({ command: DEMOS, category: trans.__('JAX'), args: { isLauncher: true } });
}

/** What is there already is the reader's. */
async function copied(
  { serviceManager: { contents } }: JupyterFrontEnd,
  folder: string,
  path: string,
): Promise<void> {
  const { content: files } = (await contents.get(folder)) as { content: { name: string }[] };
  if (files.some(({ name }) => name === DEMO)) return;
  const { default: content } = await load();
  await contents.save(path, { type: 'notebook', format: 'json', content });
}
