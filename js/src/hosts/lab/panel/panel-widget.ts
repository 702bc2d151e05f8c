/** The panel as a JupyterLab widget, and its place in the window. */
import type { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import type { ISessionContext } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { type Message, MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { mountPanel } from '../../../panel/panel-view';
import type { Page } from '../../../schema';
import type { Target } from '../../../state/panel/function-at-cursor';
import type { KernelState } from '../../../state/panel/panel-state';
import { Connection } from '../connection';
import { selectionIn } from '../document-selection';
import { CellMargins } from '../lines/cell-margin';
import { notebookKernel } from '../notebook-kernel';
import type { Settings } from '../settings';
import { type ActiveDocument, type Document, runBelow } from './active-document';
import { askOnce, PanelSubscription } from './panel-kernel';
import type { Retraces } from './retraces';

/** The key of a kernel's log of all cells. */
const KERNEL_LOG = 'kernel';

/** The panel. While it is visible, it follows the active notebook or console and its kernel. */
export class PanelWidget extends Widget {
  readonly #active: ActiveDocument;
  readonly #retraces: Retraces;
  readonly #closing = new AbortController();
  readonly #show: ReturnType<typeof mountPanel>;
  /** The last state of each kernel, and its process: the state ends with the process. */
  readonly #states = new WeakMap<ISessionContext, { life: number; kernel: KernelState }>();
  #ending = new AbortController();
  #document: Document | null = null;
  readonly #settings: Settings;
  #isSeen = false;
  #target: Target | null = null;
  #page: Page | null = null;
  #showAgain = (): void => undefined;

  constructor(active: ActiveDocument, retraces: Retraces, settings: Settings) {
    super();
    this.#settings = settings;
    this.#active = active;
    this.#retraces = retraces;
    this.addClass('jp-jaxviz-panel');
    this.#show = mountPanel(this.node, this.#closing.signal, settings);
    active.changed.connect(this.#follow);
  }

  /** Shows the program of a function in the followed document, or says that there is none. */
  inspect(target: Target): void {
    this.#target = target;
    if (this.#isSeen) this.#showAgain();
  }

  /** True if a help page can be shown: beside a notebook or console. */
  get canRead(): boolean {
    return this.#active.current !== null;
  }

  /** Shows a help page in place of the inspector. */
  read(page: Page): void {
    this.#page = page;
    if (this.#isSeen) this.#showAgain();
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.#active.changed.disconnect(this.#follow);
    this.#ending.abort();
    this.#closing.abort();
    super.dispose();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.#see();
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this.#see();
  }

  protected override onBeforeHide(message: Message): void {
    super.onBeforeHide(message);
    this.#unsee();
  }

  protected override onBeforeDetach(message: Message): void {
    super.onBeforeDetach(message);
    this.#unsee();
  }

  #see(): void {
    if (this.#isSeen || !this.isVisible) return;
    this.#isSeen = true;
    this.#settings.isPanelSeen = true;
    this.#follow();
  }

  #unsee(): void {
    this.#isSeen = false;
    this.#settings.isPanelSeen = false;
    this.#ending.abort();
    this.#document = null;
  }

  readonly #follow = (): void => {
    const document = this.#active.current;
    if (!this.#isSeen || (document !== null && document === this.#document)) return;
    this.#ending.abort();
    this.#ending = new AbortController();
    this.#document = document;
    if (document === null) this.#show(null);
    else this.#followDocument(document, this.#ending.signal);
  };

  #followDocument(document: Document, signal: AbortSignal): void {
    const { title, sessionContext: session } = document;
    const { path: id } = session;
    const connection = Connection.of(session);
    const before = this.#states.get(session);
    let kernel: KernelState = before?.life === connection.life ? before.kernel : { is: 'waiting' };
    const actions = this.#actionsOn(document, signal);
    const show = () => {
      const [target, page] = [this.#target, this.#page];
      [this.#target, this.#page] = [null, null];
      this.#show({ id, title: title.label, kernel, target, page, ...actions });
    };
    this.#showAgain = show;
    title.changed.connect(show);
    show();
    signal.addEventListener('abort', () => title.changed.disconnect(show));
    const setState = (next: KernelState) => {
      kernel = next;
      this.#states.set(session, { life: connection.life, kernel });
      if (next.is === 'reported') this.#retraces.setReported(session, next.panel);
      CellMargins.setFacts(session, this, next.is === 'reported' ? next.panel : null);
      show();
    };
    new PanelSubscription(session, setState, signal);
  }

  /** The panel's actions on a document and its kernel. */
  #actionsOn(document: Document, signal: AbortSignal) {
    const { sessionContext: session } = document;
    const selecting = selectionIn(document);
    selecting.listen(this.node, signal);
    return {
      selecting,
      log: notebookKernel(session, KERNEL_LOG, signal)!,
      capture: (key: string, until: AbortSignal) => notebookKernel(session, key, until),
      watch: (on: boolean) => askOnce(session, { watch: on }),
      clear: () => askOnce(session, { clear: true }),
      run: (line: string, cell: string | null) => runBelow(document, cell, line),
    };
  }
}

/** JupyterLab remembers under this name in which area the reader wants the panel. */
const AREA_TYPE = 'JAX';
/** After JupyterLab's own panels of the side bar. */
const SIDE_BAR_RANK = 700;

/** Puts the panel into a side bar or into JupyterLab's main area. It is always in one of them. */
export class Docking {
  readonly #shell: JupyterFrontEnd.IShell;
  readonly #lab: ILabShell | null;
  readonly #panel: Widget;
  readonly #label: string;

  /** `lab` is null in Notebook 7, which has no main area for panels. */
  constructor(
    shell: JupyterFrontEnd.IShell,
    lab: ILabShell | null,
    panel: Widget,
    trans: TranslationBundle,
  ) {
    this.#shell = shell;
    this.#lab = lab;
    this.#panel = panel;
    this.#label = trans.__('JAX');
    MessageLoop.installMessageHook(panel, this.#receive);
    this.toSide();
  }

  get hasMain(): boolean {
    return this.#lab?.mode === 'multiple-document';
  }

  get isMain(): boolean {
    return this.#lab !== null && [...this.#lab.widgets('main')].includes(this.#panel);
  }

  toSide(): void {
    this.#shell.add(this.#panel, 'right', { rank: SIDE_BAR_RANK, type: AREA_TYPE });
  }

  toMain(): void {
    this.#lab?.add(this.#panel, 'main', { mode: 'split-right' });
  }

  show(): void {
    this.#shell.activateById?.(this.#panel.id);
  }

  /** In the main area, the panel is a tab with a name. Closing the tab moves it to the side bar. */
  readonly #receive = (_: unknown, message: Message): boolean => {
    if (message.type === 'after-attach') {
      this.#panel.title.closable = this.isMain;
      this.#panel.title.label = this.isMain ? this.#label : '';
    }
    if (message.type !== 'close-request' || !this.isMain) return true;
    this.toSide();
    return false;
  };
}
