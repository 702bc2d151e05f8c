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

  constructor(trackers: readonly IWidgetTracker<Document>[]) {
    this.#trackers = trackers;
    for (const tracker of trackers) {
      tracker.currentChanged.connect((_, document) => this.#choose(document));
    }
    this.#choose(null);
  }

  get current(): Document | null {
    return this.#current;
  }

  get changed(): ISignal<this, void> {
    return this.#changed;
  }

  /** Where it is closed, the one of the other kind that was last worked in. */
  #choose(document: Document | null): void {
    const open = this.#trackers.flatMap(({ currentWidget }) => currentWidget ?? []);
    const next = document ?? open[0] ?? null;
    if (next === this.#current) return;
    this.#current = next;
    this.#changed.emit();
  }
}
