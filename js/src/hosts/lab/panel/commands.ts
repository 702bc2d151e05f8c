import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';
import { complain, say } from '../saying';
import type { Active } from './active';
import type { Docking } from './docking';
import { exportable, openExports } from './exporting';
import { icon } from './icon';
import { cellIn, targetIn } from './inspect';
import { once, type Wish } from './once';
import type { Retraces } from './retraces';
import type { PanelWidget } from './widget';

interface Around {
  app: JupyterFrontEnd;
  panel: PanelWidget;
  docking: Docking;
  active: Active;
  retraces: Retraces;
  trans: TranslationBundle;
}

export const OPEN = 'jaxviz:open-panel';

/** What can be done from the palette and the menus. */
export function addCommands(around: Around): void {
  addPanel(around);
  addProgram(around);
  addKernel(around);
}

function addPanel({ app: { commands }, docking, trans }: Around): void {
  commands.addCommand(OPEN, {
    label: trans.__('Show JAX Panel'),
    caption: trans.__('Show what JAX traced in the kernel of the active notebook'),
    icon,
    execute: () => docking.show(),
  });
  commands.addCommand('jaxviz:move-panel', {
    label: () =>
      docking.isMain
        ? trans.__('Move JAX Panel to the Side Bar')
        : trans.__('Move JAX Panel to the Main Area'),
    isVisible: () => docking.hasMain,
    isEnabled: () => docking.hasMain,
    execute: () => {
      if (docking.isMain) docking.toSide();
      else docking.toMain();
      docking.show();
    },
  });
}

function addProgram({ app: { commands }, panel, docking, active, trans }: Around): void {
  let opened: MouseEvent | null = null;
  const menu = (event: MouseEvent) => {
    opened = event;
  };
  document.addEventListener('contextmenu', menu, { capture: true });
  commands.addCommand('jaxviz:inspect', {
    label: trans.__('Inspect JAX Function at Cursor'),
    caption: trans.__('Show the program that JAX made of the function at the cursor'),
    icon,
    isEnabled: () => cellIn(active.current) !== null,
    execute: ({ isMenu }) => {
      const target = active.current && targetIn(active.current, isMenu ? opened : null);
      if (!target) {
        say(trans.__('There is no function at the cursor.'));
        return;
      }
      docking.show();
      panel.inspect(target);
    },
  });
  commands.addCommand('jaxviz:export', {
    label: trans.__('Export JAX Program…'),
    caption: trans.__('Save or copy the program that is open or selected'),
    isEnabled: () => exportable(panel.node, active.current) !== null,
    execute: () => {
      const view = exportable(panel.node, active.current);
      if (view) openExports(view);
    },
  });
}

function addKernel({ app: { commands }, active, retraces, trans }: Around): void {
  const isEnabled = () => Boolean(active.current?.sessionContext.session?.kernel);
  const ask = async (wish: Wish) => {
    const { current } = active;
    if (!current) return;
    try {
      await once(current.sessionContext, wish);
      if ('watch' in wish) retraces.watch(current.sessionContext, wish.watch);
    } catch (error) {
      complain(error);
    }
  };
  commands.addCommand('jaxviz:watch-on', {
    label: trans.__('Watch JAX Retraces'),
    caption: trans.__('From now on say under each cell what JAX traced again, and why'),
    isEnabled,
    execute: () => ask({ watch: true }),
  });
  commands.addCommand('jaxviz:watch-off', {
    label: trans.__('Stop Watching JAX Retraces'),
    isEnabled,
    execute: () => ask({ watch: false }),
  });
  commands.addCommand('jaxviz:clear', {
    label: trans.__('Clear JAX Panel'),
    caption: trans.__('Forget what JAX traced so far in the kernel of the active notebook'),
    isEnabled,
    execute: () => ask({ clear: true }),
  });
}
