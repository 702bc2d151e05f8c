import type { ISessionContext } from '@jupyterlab/apputils';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import type { Known } from '../../../model/panel/followed-kernel';
import type { Target } from '../../../model/panel/function-at-cursor';
import type { Preferring } from '../../../model/preferences';
import { mountPanel } from '../../../view/panel/panel-view';
import { Connection } from '../connection';
import { notebookKernel } from '../kernel';
import { selectionIn } from '../selection';
import type { Active, Document } from './active';
import { Following } from './following';
import { runBelow } from './inspect';
import { once } from './once';
import type { Retraces } from './retraces';

/** Under what a kernel knows all of its logs. */
const KEY = 'kernel';

/** The panel: it follows the active notebook or console, and its kernel while it is seen. */
export class PanelWidget extends Widget {
  readonly #active: Active;
  readonly #retraces: Retraces;
  readonly #closing = new AbortController();
  readonly #show: ReturnType<typeof mountPanel>;
  /** What was last known of each kernel, of one life of it. */
  readonly #known = new WeakMap<ISessionContext, { life: number; known: Known }>();
  #ending = new AbortController();
  #document: Document | null = null;
  #isSeen = false;
  #target: Target | null = null;
  #showAgain = (): void => undefined;

  constructor(active: Active, retraces: Retraces, preferring: Preferring) {
    super();
    this.#active = active;
    this.#retraces = retraces;
    this.addClass('jp-jaxviz-panel');
    this.#show = mountPanel(this.node, this.#closing.signal, preferring);
    active.changed.connect(this.#follow);
  }

  /** Shows the program of a function of what is followed, or says that there is none yet. */
  inspect(target: Target): void {
    this.#target = target;
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
    this.#follow();
  }

  #unsee(): void {
    this.#isSeen = false;
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
    else this.#followOne(document, this.#ending.signal);
  };

  #followOne(document: Document, signal: AbortSignal): void {
    const { title, sessionContext: session } = document;
    const { path: id } = session;
    const connection = Connection.of(session);
    const selecting = selectionIn(document);
    selecting.listen(this.node, signal);
    const log = notebookKernel(session, KEY, signal)!;
    const capture = (key: string, until: AbortSignal) => notebookKernel(session, key, until);
    const watch = (on: boolean) => once(session, { watch: on });
    const clear = () => once(session, { clear: true });
    const run = (line: string, cell: string | null) => runBelow(document, cell, line);
    const before = this.#known.get(session);
    let known: Known = before?.life === connection.life ? before.known : { is: 'asked' };
    const asks = { selecting, log, capture, watch, clear, run };
    const show = () => {
      const target = this.#target;
      this.#target = null;
      this.#show({ id, title: title.label, known, target, ...asks });
    };
    this.#showAgain = show;
    title.changed.connect(show);
    show();
    signal.addEventListener('abort', () => title.changed.disconnect(show));
    new Following(
      session,
      (next) => {
        known = next;
        this.#known.set(session, { life: connection.life, known });
        if (next.is === 'told') this.#retraces.note(session, next.panel);
        show();
      },
      signal,
    );
  }
}
