import type { JupyterFrontEnd } from '@jupyterlab/application';
import { type ICommandPalette, Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Active } from './active';
import { icon } from './icon';
import { once, type Wish } from './once';
import type { Retraces } from './retraces';
import type { PanelWidget } from './widget';

interface Around {
  app: JupyterFrontEnd;
  panel: PanelWidget;
  active: Active;
  retraces: Retraces;
  trans: TranslationBundle;
  palette: ICommandPalette | null;
}

export const OPEN = 'jaxviz:open-panel';

/** What can be done from the palette and the menus. */
export function addCommands({ app, panel, active, retraces, trans, palette }: Around): void {
  const { commands, shell } = app;
  const hasKernel = () => Boolean(active.current?.sessionContext.session?.kernel);
  const ask = async (wish: Wish) => {
    const { current } = active;
    if (!current) return;
    try {
      await once(current.sessionContext, wish);
      if ('watch' in wish) retraces.watch(current.sessionContext, wish.watch);
    } catch (error) {
      Notification.warning(`jaxviz: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  commands.addCommand(OPEN, {
    label: trans.__('Show JAX Panel'),
    caption: trans.__('Show what JAX traced in the kernel of the active notebook'),
    icon,
    execute: () => shell.activateById(panel.id),
  });
  commands.addCommand('jaxviz:watch-on', {
    label: trans.__('Watch JAX Retraces'),
    caption: trans.__('From now on say under each cell what JAX traced again, and why'),
    isEnabled: hasKernel,
    execute: () => ask({ watch: true }),
  });
  commands.addCommand('jaxviz:watch-off', {
    label: trans.__('Stop Watching JAX Retraces'),
    isEnabled: hasKernel,
    execute: () => ask({ watch: false }),
  });
  commands.addCommand('jaxviz:clear', {
    label: trans.__('Clear JAX Panel'),
    caption: trans.__('Forget what JAX traced so far in the kernel of the active notebook'),
    isEnabled: hasKernel,
    execute: () => ask({ clear: true }),
  });
  for (const command of commands.listCommands().filter((id) => id.startsWith('jaxviz:'))) {
    palette?.addItem({ command, category: 'JAX' });
  }
}
