/** The connection to the kernel of a notebook: if it can be reached, when its process begins and
 * ends, and the subshell that answers while a cell runs. */
import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { createMessage } from '@jupyterlab/services/lib/kernel/messages';
import { Signal } from '@lumino/signaling';
import { __ } from '../../language';

const noKernel = (): Error =>
  new Error(__('The notebook has no kernel: choose one, and run the cell again.'));
const ENDED_STATUSES: ReadonlySet<string> = new Set(['terminating', 'dead']);
const ENDING_STATUSES: ReadonlySet<string> = new Set([
  ...ENDED_STATUSES,
  'restarting',
  'autorestarting',
]);
const ALIVE_STATES: ReadonlySet<unknown> = new Set(['starting', 'busy', 'idle']);

/**
 * The connection of a notebook or console to the process of its kernel.
 *
 * The process may be restarted or ended from this page, from another page, or by itself. The connection
 * may also be lost and found again while the process goes on.
 */
export class Connection {
  static readonly #all = new WeakMap<ISessionContext, Connection>();

  /** The connection of a session, always the same object. */
  static of(session: ISessionContext): Connection {
    const found = Connection.#all.get(session);
    if (found) return found;
    const made = new Connection(session);
    Connection.#all.set(session, made);
    return made;
  }

  /** The process has ended, and with it all that it knew. */
  readonly ended = new Signal<this, void>(this);
  /** Messages can be sent again. Those sent before may be lost. */
  readonly back = new Signal<this, void>(this);
  /** The page or the session closes: the last moment to send a message. */
  readonly closing = new Signal<this, void>(this);
  readonly #session: ISessionContext;
  #kernel: Kernel.IKernelConnection | null = null;
  #subshell: Subshell | null = null;
  /** The id of the process, which its messages have in their headers. */
  #process: string | null = null;
  /** The process ends or has ended, and no new one has begun. */
  #isEnding = false;
  /** The process has ended, and no new one will begin by itself. */
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
    session.statusChanged.connect(this.#statusChanged);
    session.iopubMessage.connect(this.#hear);
    session.disposed.connect(this.#close);
    addEventListener('pagehide', this.#close);
  }

  /** Whether there is a kernel, or it is being restarted. */
  get isAlive(): boolean {
    return this.#kernel !== null && !this.#isOver;
  }

  /** Whether messages can be sent. */
  get isThere(): boolean {
    return this.#isThere;
  }

  /** Counts the processes of the kernel that were seen, so that two can be told apart. */
  get life(): number {
    return this.#life;
  }

  /** The kernel, once messages can be sent. Rejects with a sentence if there is none. */
  async there(): Promise<Kernel.IKernelConnection> {
    await this.#session.initialize(); // `ready` would never resolve if no kernel was chosen
    if (!this.#kernel) throw noKernel();
    if (!this.#isThere) await this.#next(this.back);
    if (!this.#kernel) throw noKernel();
    return this.#kernel;
  }

  /** The subshell in which the kernel answers while a cell runs. Throws if there is no kernel. */
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
    else if (this.#subshell?.isMade === false) this.#subshell.lose(); // the reply to its request may be lost
  };

  readonly #statusChanged = (_: unknown, status: string): void => this.#becomes(status);

  #becomes(status: string): void {
    const isOver = ENDED_STATUSES.has(status);
    if (
      ENDING_STATUSES.has(status) &&
      this.#kernel &&
      (!this.#isEnding || (isOver && !this.#isOver))
    ) {
      this.#isEnding = true;
      this.#isOver = isOver;
      this.#end();
    }
    this.#look();
  }

  /** JupyterLab does not signal that a kernel was restarted from another page. The messages of the
   * kernel say so. */
  readonly #hear = (_: unknown, { header, content }: KernelMessage.IMessage): void => {
    const type: string = header.msg_type;
    if (type === 'shutdown_reply') this.#becomes('restarting');
    if (type !== 'status') return;
    const { execution_state: state } = content as { execution_state?: unknown };
    if (!ALIVE_STATES.has(state) || header.session === this.#process) return;
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

/**
 * Resolves once the kernel has run what it runs now, or once it is lost or the signal aborts.
 *
 * It sends the main shell a request, which is answered after the running cell. The status of the kernel
 * would not do: it also changes for other messages.
 */
export async function whenRun(session: ISessionContext, signal: AbortSignal): Promise<void> {
  const connection = Connection.of(session);
  const kernel = await connection.there().catch(() => null);
  if (!kernel || signal.aborted) return;
  await new Promise<void>((done) => {
    const ask = () => void answered(kernel).then(end);
    const end = () => {
      connection.ended.disconnect(end);
      connection.back.disconnect(ask);
      done();
    };
    connection.ended.connect(end);
    connection.back.connect(ask); // the answer may have been lost
    signal.addEventListener('abort', end, { once: true });
    ask();
  });
}

async function answered(kernel: Kernel.IKernelConnection): Promise<void> {
  await kernel.requestCommInfo({ target_name: 'jaxviz' }).catch(() => undefined);
}

const SUBSHELL_FEATURE = 'kernel subshells';

/**
 * A second shell of a kernel, which answers while the main shell runs a cell (JEP 91).
 *
 * JupyterLab makes subshells too. But it asks the main shell whether the kernel supports them, and so
 * waits for the running cell after a page was reloaded. Here the control channel is asked, which always
 * answers. The subshell is deleted once all that called `hold` have called `release`.
 */
export class Subshell {
  readonly #kernel: Kernel.IKernelConnection;
  /** Null if the kernel supports none: then its main shell answers, when it is free. */
  readonly id: Promise<string | null>;
  #holders = 0;
  #isMade = false;
  #isOver = false;

  constructor(kernel: Kernel.IKernelConnection) {
    this.#kernel = kernel;
    this.id = created(kernel);
    this.id.then(
      () => {
        this.#isMade = true;
      },
      () => this.lose(),
    );
  }

  /** Whether `id` is known. */
  get isMade(): boolean {
    return this.#isMade;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  hold(): void {
    this.#holders += 1;
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders > 0 || this.#isOver) return;
    this.#isOver = true;
    this.id.then((id) => this.#delete(id)).catch(() => undefined);
  }

  /** The subshell has ended together with its kernel. */
  lose(): void {
    this.#isOver = true;
  }

  #delete(id: string | null): void {
    if (id === null || this.#kernel.isDisposed) return;
    const { username, clientId: session } = this.#kernel;
    const request = createMessage<KernelMessage.IDeleteSubshellRequestMsg>({
      msgType: 'delete_subshell_request',
      channel: 'control',
      username,
      session,
      content: { subshell_id: id },
    });
    this.#kernel.sendControlMessage(request, true).done.catch(() => undefined);
  }
}

async function created(kernel: Kernel.IKernelConnection): Promise<string | null> {
  if (!(await supported(kernel))) return null;
  const { username, clientId: session } = kernel;
  const request = createMessage<KernelMessage.ICreateSubshellRequestMsg>({
    msgType: 'create_subshell_request',
    channel: 'control',
    username,
    session,
    content: {},
  });
  const reply = await kernel.sendControlMessage(request, true).done;
  return (reply as KernelMessage.ICreateSubshellReplyMsg).content.subshell_id ?? null;
}

async function supported(kernel: Kernel.IKernelConnection): Promise<boolean> {
  const known = await Promise.race([kernel.info, null]);
  const { supported_features: features = [] } = known ?? (await askedInfo(kernel));
  return features.includes(SUBSHELL_FEATURE);
}

/** The kernel's info from its main shell or its control channel, whichever answers first: some kernels
 * give it on the main shell alone. */
async function askedInfo(kernel: Kernel.IKernelConnection): Promise<KernelMessage.IInfoReply> {
  const { username, clientId: session } = kernel;
  const request = createMessage<KernelMessage.IInfoRequestMsg>({
    msgType: 'kernel_info_request',
    channel: 'shell',
    username,
    session,
    content: {},
  });
  const onControl = { ...request, channel: 'control' } as unknown as KernelMessage.IControlMessage;
  const reply = kernel.sendControlMessage(onControl, true).done as Promise<unknown>;
  const info = reply.then((it) => (it as KernelMessage.IInfoReplyMsg).content);
  return Promise.race([kernel.info, info as Promise<KernelMessage.IInfoReply>]);
}
