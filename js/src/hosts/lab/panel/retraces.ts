/** The retraces since the last cell, their item in the status bar, and watching from the
 * start. */
import type { ISessionContext } from '@jupyterlab/apputils';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { KernelMessage } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { type ISignal, Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import { type Repeats, repeatsIn, timesOf } from '../../../facts/events/log-events';
import { fromBase64, readLog } from '../../../facts/wire';
import { LOG_MIME, type Panel } from '../../../schema';
import { repeatsText } from '../../../words/events/log-words';
import { Connection } from '../connection';
import { readLogDisplay } from '../display';
import type { Settings } from '../settings';
import type { ActiveDocument } from './active-document';
import { askOnce } from './panel-kernel';

const NONE: Repeats = { retraces: 0, recompiled: 0, relowered: 0 };

/** Lines of a cell that begin or end watching. */
const WATCH_MAGIC = /^\s*%jaxviz\s+(on|off)\s*$/gm;
/** Lines of a cell that load jaxviz. */
const LOAD_MAGIC = /^\s*(?:%load_ext|%reload_ext)\s+jaxviz\s*$/m;

/**
 * Counts retraces and recompilations since the last cell began, for each watched kernel.
 *
 * It sends no request, because the count is visible while the panel is closed. It reads the code of
 * running cells and the logs that watching puts below them.
 */
export class Retraces {
  readonly #active: ActiveDocument;
  /** The counts of each watched kernel; null if watching just ended, until the next cell. */
  readonly #counts = new Map<ISessionContext, Repeats | null>();
  readonly #followed = new WeakSet<ISessionContext>();
  readonly #changed = new Signal<this, void>(this);

  constructor(active: ActiveDocument) {
    this.#active = active;
    active.changed.connect(this.#follow);
    this.#follow();
  }

  get changed(): ISignal<this, void> {
    return this.#changed;
  }

  /** The counts of the active notebook or console; null if its kernel is not watched. */
  get since(): Repeats | null {
    const { current } = this.#active;
    return (current && this.#counts.get(current.sessionContext)) ?? null;
  }

  /** Sets the counts that the kernel itself reported. */
  setReported(session: ISessionContext, panel: Panel): void {
    const { watching, since, recompiled = 0, relowered = 0 } = panel;
    const retraces = since - recompiled - relowered;
    this.#set(session, watching ? { retraces, recompiled, relowered } : null);
  }

  watch(session: ISessionContext, on: boolean): void {
    this.#set(session, on ? NONE : null);
  }

  #set(session: ISessionContext, counts: Repeats | null): void {
    this.#counts.set(session, counts);
    this.#changed.emit();
  }

  readonly #follow = (): void => {
    const session = this.#active.current?.sessionContext;
    if (session && !this.#followed.has(session)) {
      this.#followed.add(session);
      session.iopubMessage.connect(this.#receive);
      Connection.of(session).ended.connect(() => this.#forget(session));
      session.disposed.connect(() => this.#counts.delete(session));
    }
    this.#changed.emit();
  };

  readonly #receive = (session: ISessionContext, { header, content }: KernelMessage.IMessage) => {
    if (header.msg_type === 'execute_input') this.#cellBegins(session, Object(content).code);
    if (header.msg_type === 'display_data' || header.msg_type === 'update_display_data') {
      void this.#logShown(session, Object(Object(content).data)[LOG_MIME]);
    }
  };

  #cellBegins(session: ISessionContext, code: unknown): void {
    const [, to] = (typeof code === 'string' && [...code.matchAll(WATCH_MAGIC)].at(-1)) || [];
    const before = this.#counts.get(session);
    if (to !== undefined) this.watch(session, to === 'on');
    else if (before === null) this.#forget(session);
    else if (before !== undefined) this.#set(session, NONE);
  }

  #forget(session: ISessionContext): void {
    this.#counts.delete(session);
    this.#changed.emit();
  }

  /** Called for a log below a cell. A log of one line (`strip`) comes from watching, also below the
   * cell that ends it. The log of `%%jaxviz` counts if its kernel is watched. */
  async #logShown(session: ISessionContext, data: unknown): Promise<void> {
    if (data === undefined) return;
    const display = readLogDisplay(data);
    if (typeof display === 'string') return;
    const isWatched = Boolean(this.#counts.get(session));
    const log =
      display.strip || isWatched ? await readLog(fromBase64(display.log)).catch(() => null) : null;
    if (!log || this.#counts.get(session) === null) return;
    this.#set(session, repeatsIn(log));
  }
}

/** The item of the status bar that shows the counts, in the words of a log's first line. A click opens the panel. */
export class RetracesItem extends Widget {
  constructor(retraces: Retraces, trans: TranslationBundle, open: () => void) {
    super({ node: document.createElement('button') });
    this.addClass('jxv-bare');
    this.addClass('jp-jaxviz-status');
    this.node.title = trans.__(
      'How often JAX retraced or recompiled functions since the last cell began',
    );
    this.node.addEventListener('click', open);
    const show = () => {
      const counts = retraces.since ?? NONE;
      this.node.textContent = `⟳ ${repeatsText(counts)}`;
      this.toggleClass('jp-jaxviz-some', timesOf(counts) > 0);
    };
    retraces.changed.connect(show, this);
    show();
  }
}

/** Starts to watch the kernel of a notebook once a cell has loaded jaxviz, if the settings say so. */
export function watchAtStart(
  notebooks: INotebookTracker,
  settings: Settings,
  retraces: Retraces,
): void {
  const loading = new Set<ISessionContext>();
  const receive = (session: ISessionContext, message: KernelMessage.IMessage) => {
    const { header, content, parent_header: parent } = message;
    if (!settings.watchesAtStart) return;
    const { code, execution_state: state } = Object(content) as Record<string, unknown>;
    if (header.msg_type === 'execute_input' && typeof code === 'string' && LOAD_MAGIC.test(code)) {
      loading.add(session);
    } else if (state === 'idle' && 'msg_type' in parent && parent.msg_type === 'execute_request') {
      if (!loading.delete(session)) return;
      askOnce(session, { watch: true }).then(
        () => retraces.watch(session, true),
        () => undefined, // the cell could not load jaxviz, and its own error says so
      );
    }
  };
  const follow = ({ sessionContext }: NotebookPanel) =>
    sessionContext.iopubMessage.connect(receive);
  notebooks.forEach(follow);
  notebooks.widgetAdded.connect((_, notebook) => follow(notebook));
}
