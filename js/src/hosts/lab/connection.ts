import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { __ } from '../../language';
import { Subshell } from './subshell';

const noKernel = (): Error =>
  new Error(__('The notebook has no kernel: choose one, and run the cell again.'));
const ENDED: ReadonlySet<string> = new Set(['terminating', 'dead']);
const ENDING: ReadonlySet<string> = new Set([...ENDED, 'restarting', 'autorestarting']);
const ALIVE: ReadonlySet<unknown> = new Set(['starting', 'busy', 'idle']);

/**
 * The connection of a notebook or console to the process of its kernel.
 *
 * That process may end and begin, here, in another page or by itself; and the connection may be
 * lost while it goes on.
 */
export class Connection {
  static readonly #all = new WeakMap<ISessionContext, Connection>();

  /** A session has one. */
  static of(session: ISessionContext): Connection {
    const found = Connection.#all.get(session);
    if (found) return found;
    const made = new Connection(session);
    Connection.#all.set(session, made);
    return made;
  }

  /** What the process knew is gone with it. */
  readonly ended = new Signal<this, void>(this);
  /** From now on something can be sent; what was on its way before may be lost. */
  readonly back = new Signal<this, void>(this);
  /** Nothing can be sent after this. */
  readonly closing = new Signal<this, void>(this);
  readonly #session: ISessionContext;
  #kernel: Kernel.IKernelConnection | null = null;
  #subshell: Subshell | null = null;
  /** Its messages say which process they come from. */
  #process: string | null = null;
  /** The process ends or has ended, and no other has begun. */
  #isEnding = false;
  /** And none will begin by itself. */
  #isOver = false;
  #isThere = false;
  #life = 0;

  private constructor(session: ISessionContext) {
    this.#session = session;
    this.#look();
    for (const signal of [
      session.kernelChanged,
      session.sessionChanged,
      session.connectionStatusChanged,
    ]) {
      signal.connect(this.#look);
    }
    session.statusChanged.connect(this.#told);
    session.iopubMessage.connect(this.#hear);
    session.disposed.connect(this.#close);
    addEventListener('pagehide', this.#close);
  }

  /** Whether there is a kernel, or one that begins anew. */
  get isAlive(): boolean {
    return this.#kernel !== null && !this.#isOver;
  }

  /** Whether something can be sent. */
  get isThere(): boolean {
    return this.#isThere;
  }

  /** The number of the process, of those that were seen. */
  get life(): number {
    return this.#life;
  }

  /** The kernel, once something can be sent. Rejects with a sentence where there is none. */
  async there(): Promise<Kernel.IKernelConnection> {
    await this.#session.initialize(); // once it was tried; `ready` never comes where none was chosen
    if (!this.#kernel) throw noKernel();
    if (!this.#isThere) await this.#next(this.back);
    if (!this.#kernel) throw noKernel();
    return this.#kernel;
  }

  /** Where the kernel answers while it is busy. Needs a kernel that is there. */
  subshell(): Subshell {
    if (!this.#kernel) throw noKernel();
    if (!this.#subshell || this.#subshell.isOver) this.#subshell = new Subshell(this.#kernel);
    return this.#subshell;
  }

  #next(signal: Signal<this, void>): Promise<void> {
    return new Promise((done) => {
      const heard = () => {
        signal.disconnect(heard);
        done();
      };
      signal.connect(heard);
    });
  }

  readonly #look = (): void => {
    const kernel = this.#session.session?.kernel ?? null;
    if (kernel !== this.#kernel) {
      const isNews = this.#kernel && (kernel ? !this.#isEnding : !this.#isOver);
      this.#kernel = kernel;
      this.#process = null;
      this.#isEnding = false;
      this.#isOver = false;
      if (isNews) this.#end();
    }
    const isThere = kernel?.connectionStatus === 'connected' && !this.#isEnding;
    if (isThere === this.#isThere) return;
    this.#isThere = isThere;
    if (isThere) this.back.emit();
    else if (this.#subshell?.isMade === false) this.#subshell.lose(); // its reply may be lost too
  };

  readonly #told = (_: unknown, status: string): void => this.#becomes(status);

  #becomes(status: string): void {
    const isOver = ENDED.has(status);
    if (ENDING.has(status) && this.#kernel && (!this.#isEnding || (isOver && !this.#isOver))) {
      this.#isEnding = true;
      this.#isOver = isOver;
      this.#end();
    }
    this.#look();
  }

  /** JupyterLab does not say that a kernel was restarted in another page: the kernel does. */
  readonly #hear = (_: unknown, { header, content }: KernelMessage.IMessage): void => {
    const type: string = header.msg_type;
    if (type === 'shutdown_reply') this.#becomes('restarting');
    if (type !== 'status') return;
    const { execution_state: state } = content as { execution_state?: unknown };
    if (!ALIVE.has(state) || header.session === this.#process) return;
    const isOther = this.#process !== null && !this.#isEnding;
    this.#process = header.session;
    this.#isEnding = false;
    this.#isOver = false;
    if (isOther) this.#end();
    this.#look();
  };

  #end(): void {
    this.#isThere = false;
    this.#life += 1;
    this.#subshell?.lose();
    this.#subshell = null;
    this.ended.emit();
  }

  readonly #close = (): void => {
    this.closing.emit();
    if (!this.#session.isDisposed) return;
    removeEventListener('pagehide', this.#close);
    Signal.clearData(this);
  };
}
