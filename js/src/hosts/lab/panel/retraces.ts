import type { ISessionContext } from '@jupyterlab/apputils';
import type { KernelMessage } from '@jupyterlab/services';
import { type ISignal, Signal } from '@lumino/signaling';
import { againIn } from '../../../model/log/events';
import { readLog } from '../../../model/log/read';
import { fromBase64 } from '../../../model/wire/index';
import { LOG_MIME, type Panel } from '../../../schema';
import { Connection } from '../connection';
import { readLogDisplay } from '../display';
import type { Active } from './active';

const SWITCH = /^\s*%jaxviz\s+(on|off)\s*$/gm;

/**
 * How often functions were made again since the last cell, of kernels that are watched.
 *
 * It asks no kernel: it reads the cells that run, and the logs that watching puts under them.
 */
export class Retraces {
  readonly #active: Active;
  /** Of each kernel that is watched; null of one that is so no more. */
  readonly #watched = new Map<ISessionContext, number | null>();
  readonly #known = new WeakSet<ISessionContext>();
  readonly #changed = new Signal<this, void>(this);

  constructor(active: Active) {
    this.#active = active;
    active.changed.connect(this.#follow);
    this.#follow();
  }

  get changed(): ISignal<this, void> {
    return this.#changed;
  }

  /** Of the notebook or console that is worked in; null where it is not watched. */
  get since(): number | null {
    const { current } = this.#active;
    return (current && this.#watched.get(current.sessionContext)) ?? null;
  }

  /** What the kernel itself told. */
  note(session: ISessionContext, { watching, since }: Panel): void {
    this.#set(session, watching ? since : null);
  }

  /** It began or ended to watch. */
  watch(session: ISessionContext, on: boolean): void {
    this.#set(session, on ? 0 : null);
  }

  #set(session: ISessionContext, since: number | null): void {
    this.#watched.set(session, since);
    this.#changed.emit();
  }

  readonly #follow = (): void => {
    const session = this.#active.current?.sessionContext;
    if (session && !this.#known.has(session)) {
      this.#known.add(session);
      session.iopubMessage.connect(this.#hear);
      Connection.of(session).ended.connect(() => this.#forget(session));
      session.disposed.connect(() => this.#watched.delete(session));
    }
    this.#changed.emit();
  };

  readonly #hear = (session: ISessionContext, { header, content }: KernelMessage.IMessage) => {
    if (header.msg_type === 'execute_input') this.#begins(session, Object(content).code);
    if (header.msg_type === 'display_data' || header.msg_type === 'update_display_data') {
      void this.#shown(session, Object(Object(content).data)[LOG_MIME]);
    }
  };

  #begins(session: ISessionContext, code: unknown): void {
    const [, to] = (typeof code === 'string' && [...code.matchAll(SWITCH)].at(-1)) || [];
    const before = this.#watched.get(session);
    if (to !== undefined) this.watch(session, to === 'on');
    else if (before === null) this.#forget(session);
    else if (before !== undefined) this.#set(session, 0);
  }

  #forget(session: ISessionContext): void {
    this.#watched.delete(session);
    this.#changed.emit();
  }

  /** A cell that is watched without having asked for it has a strip, also one that ends that; one
   * that asked (`%%jaxviz`) counts where its kernel is watched. */
  async #shown(session: ISessionContext, data: unknown): Promise<void> {
    if (data === undefined) return;
    const display = readLogDisplay(data);
    if (typeof display === 'string') return;
    const isWatched = typeof this.#watched.get(session) === 'number';
    const log =
      display.strip || isWatched ? await readLog(fromBase64(display.log)).catch(() => null) : null;
    if (!log || this.#watched.get(session) === null) return;
    this.#set(session, againIn(log));
  }
}
