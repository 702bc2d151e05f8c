import type { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';
import { type Message, MessageLoop } from '@lumino/messaging';
import type { Widget } from '@lumino/widgets';

/** Under this name JupyterLab remembers on which side the reader wants it. */
const TYPE = 'JAX';
const RANK = 700;

/** Where the panel stands: in a side bar, or in JupyterLab's main area. It is always in one. */
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
    MessageLoop.installMessageHook(panel, this.#hear);
    this.toSide();
  }

  get hasMain(): boolean {
    return this.#lab?.mode === 'multiple-document';
  }

  get isMain(): boolean {
    return this.#lab !== null && [...this.#lab.widgets('main')].includes(this.#panel);
  }

  toSide(): void {
    this.#shell.add(this.#panel, 'right', { rank: RANK, type: TYPE });
  }

  toMain(): void {
    this.#lab?.add(this.#panel, 'main', { mode: 'split-right' });
  }

  show(): void {
    this.#shell.activateById?.(this.#panel.id);
  }

  /** A tab has a name and can be closed, which brings the panel back to its side bar. */
  readonly #hear = (_: unknown, message: Message): boolean => {
    if (message.type === 'after-attach') {
      this.#panel.title.closable = this.isMain;
      this.#panel.title.label = this.isMain ? this.#label : '';
    }
    if (message.type !== 'close-request' || !this.isMain) return true;
    this.toSide();
    return false;
  };
}
