/** The commands of the palette and the menus, and the help pages that views open in the panel. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';
import { LabIcon } from '@jupyterlab/ui-components';
import { EXPORT, EXPORTS, PAGE, type PageEvent, VIEWS } from '../../../shell/parts/host-events';
import { selectionIn } from '../document-selection';
import { complain, say } from '../notifications';
import {
  type ActiveDocument,
  activeCell,
  type Document,
  functionAtCursor,
} from './active-document';
import { askOnce, type PanelRequest } from './panel-kernel';
import type { Docking, PanelWidget } from './panel-widget';
import type { Retraces } from './retraces';

interface CommandContext {
  app: JupyterFrontEnd;
  panel: PanelWidget;
  docking: Docking;
  active: ActiveDocument;
  retraces: Retraces;
  trans: TranslationBundle;
}

export const OPEN_PANEL = 'jaxviz:open-panel';

export function addCommands(context: CommandContext): void {
  addPanelCommands(context);
  openPages(context);
  addInspectCommand(context);
  addExportCommand(context);
  addKernelCommands(context);
}

/** The panel's icon: two eqns and a third that uses both. */
export const icon = new LabIcon({
  name: 'jaxviz:panel',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16" fill="none">
  <g class="jp-icon3" fill="#616161">
    <rect x="0.8" y="1.3" width="6" height="4.4" rx="1"/>
    <rect x="9.2" y="1.3" width="6" height="4.4" rx="1"/>
    <rect x="5" y="10.3" width="6" height="4.4" rx="1"/>
  </g>
  <g class="jp-icon3" stroke="#616161" stroke-width="1.3">
    <path d="M3.8 5.5 C3.8 8.5 7 7.5 7 10.5 M12.2 5.5 C12.2 8.5 9 7.5 9 10.5"/>
  </g>
</svg>`,
});

function addPanelCommands({ app: { commands }, docking, trans }: CommandContext): void {
  commands.addCommand(OPEN_PANEL, {
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

/** Opens help pages in the panel, whichever view asks for it. */
function openPages({ panel, docking }: CommandContext): void {
  document.addEventListener(PAGE, (event) => {
    const { page, wanted, possible } = (event as CustomEvent<PageEvent>).detail;
    if (!panel.canRead) return;
    possible();
    if (!wanted) return;
    panel.read(page);
    docking.show();
  });
}

/** In the context menu of a cell, the command uses the place of the click, not the cursor. */
function addInspectCommand({ app, panel, docking, active, trans }: CommandContext): void {
  let menuEvent: MouseEvent | null = null;
  const remember = (event: MouseEvent) => {
    menuEvent = event;
  };
  document.addEventListener('contextmenu', remember, { capture: true });
  app.commands.addCommand('jaxviz:inspect', {
    label: trans.__('Inspect JAX Function at Cursor'),
    caption: trans.__('Show the program that JAX made of the function at the cursor'),
    icon,
    isEnabled: () => activeCell(active.current) !== null,
    execute: ({ isMenu }) => {
      const target = active.current && functionAtCursor(active.current, isMenu ? menuEvent : null);
      if (!target) {
        say(trans.__('There is no function at the cursor.'));
        return;
      }
      docking.show();
      panel.inspect(target);
    },
  });
}

function addExportCommand({ app: { commands }, panel, active, trans }: CommandContext): void {
  commands.addCommand('jaxviz:export', {
    label: trans.__('Export JAX Program…'),
    caption: trans.__('Save or copy the program that is open or selected'),
    isEnabled: () => viewToExport(panel.node, active.current) !== null,
    execute: () => {
      const view = viewToExport(panel.node, active.current);
      if (view) openExportMenu(view);
    },
  });
}

/** The view whose program is exported: the one in the panel, else the one with the selection, else
 * the one in the active cell. Null if none of them is visible with an export menu. */
function viewToExport(panel: HTMLElement, document: Document | null): HTMLElement | null {
  const { selected } = document ? selectionIn(document).now() : { selected: null };
  const inCell = activeCell(document)?.node.querySelectorAll(VIEWS) ?? [];
  const views = [...panel.querySelectorAll(VIEWS), selected?.view, ...inCell];
  const canExport = (one: unknown): one is HTMLElement =>
    one instanceof HTMLElement && one.offsetParent !== null && one.querySelector(EXPORTS) !== null;
  return views.find(canExport) ?? null;
}

/** Opens the export menu of a view in the next frame: the menu takes the focus, and in this frame
 * the palette still gives it back. */
function openExportMenu(view: HTMLElement): void {
  view.scrollIntoView({ block: 'nearest' });
  requestAnimationFrame(() => view.dispatchEvent(new CustomEvent(EXPORT)));
}

function addKernelCommands({ app, active, retraces, trans }: CommandContext): void {
  const isEnabled = () => Boolean(active.current?.sessionContext.session?.kernel);
  const ask = async (request: PanelRequest) => {
    const { current } = active;
    if (!current) return;
    try {
      await askOnce(current.sessionContext, request);
      if ('watch' in request) retraces.watch(current.sessionContext, request.watch);
    } catch (error) {
      complain(error);
    }
  };
  app.commands.addCommand('jaxviz:watch-on', {
    label: trans.__('Watch JAX Retraces'),
    caption: trans.__('From now on show under each cell what JAX retraced, and why'),
    isEnabled,
    execute: () => ask({ watch: true }),
  });
  app.commands.addCommand('jaxviz:watch-off', {
    label: trans.__('Stop Watching JAX Retraces'),
    isEnabled,
    execute: () => ask({ watch: false }),
  });
  app.commands.addCommand('jaxviz:clear', {
    label: trans.__('Clear JAX Panel'),
    caption: trans.__('Forget what JAX traced so far in the kernel of the active notebook'),
    isEnabled,
    execute: () => ask({ clear: true }),
  });
}
