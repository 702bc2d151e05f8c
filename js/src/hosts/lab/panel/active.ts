import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ISessionContext, IWidgetTracker } from '@jupyterlab/apputils';
import { type ISignal, Signal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';

/** A notebook or a console. */
export type Document = Widget & { sessionContext: ISessionContext };

/** The notebook or console that was last worked in, while it is open. */
export class Active {
  readonly #trackers: readonly IWidgetTracker<Document>[];
  readonly #changed = new Signal<this, void>(this);
  #current: Document | null = null;

  constructor(shell: JupyterFrontEnd.IShell, trackers: readonly IWidgetTracker<Document>[]) {
    this.#trackers = trackers;
    const look = () => {
      const { currentWidget } = shell;
      const [found] = trackers.flatMap((tracker) => tracker.filter((one) => one === currentWidget));
      this.#choose(found ?? null);
    };
    shell.currentChanged?.connect(look);
    for (const tracker of trackers) tracker.currentChanged.connect(look);
    look();
  }

  get current(): Document | null {
    return this.#current;
  }

  get changed(): ISignal<this, void> {
    return this.#changed;
  }

  /** Where something else is worked in it stays; where it is closed, it is one that is open. */
  #choose(document: Document | null): void {
    const open = this.#trackers.flatMap(({ currentWidget }) => currentWidget ?? []);
    const own = this.#current?.isDisposed === false ? this.#current : null;
    const next = document ?? own ?? open[0] ?? null;
    if (next === this.#current) return;
    this.#current = next;
    this.#changed.emit();
  }
}
