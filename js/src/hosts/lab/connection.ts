/** The connection to the kernel of a notebook: if it can be reached, when its process begins and
 * ends, and the subshell that answers while a cell runs. */
import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { createMessage } from '@jupyterlab/services/lib/kernel/messages';
import { Signal } from '@lumino/signaling';
import { __ } from '../../language';

const noKernelError = (): Error =>
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

  /** The process has ended; its programs and logs are gone. */
  readonly ended = new Signal<this, void>(this);
  /** Messages can be sent again. Messages sent before may be lost. */
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
  #isConnected = false;
  #life = 0;

  private constructor(session: ISessionContext) {
    this.#session = session;
    this.#refresh();
    for (const signal of [
      session.kernelChanged,
      session.sessionChanged,
      session.connectionStatusChanged,
    ]) {
      signal.connect(this.#refresh);
    }
    session.statusChanged.connect(this.#statusChanged);
    session.iopubMessage.connect(this.#receive);
    session.disposed.connect(this.#close);
    addEventListener('pagehide', this.#close);
  }

  /** True if there is a kernel, or it is being restarted. */
  get isAlive(): boolean {
    return this.#kernel !== null && !this.#isOver;
  }

  /** True if messages can be sent. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** The number of kernel processes so far: a different number means a different process. */
  get life(): number {
    return this.#life;
  }

  /** The kernel, once messages can be sent. Rejects with a sentence if there is none. */
  async there(): Promise<Kernel.IKernelConnection> {
    await this.#session.initialize(); // `ready` would never resolve if no kernel was chosen
    if (!this.#kernel) throw noKernelError();
    if (!this.#isConnected) await this.#next(this.back);
    if (!this.#kernel) throw noKernelError();
    return this.#kernel;
  }

  /** The subshell in which the kernel answers while a cell runs. Throws if there is no kernel. */
  subshell(): Subshell {
    if (!this.#kernel) throw noKernelError();
    if (!this.#subshell || this.#subshell.isOver) this.#subshell = new Subshell(this.#kernel);
    return this.#subshell;
  }

  #next(signal: Signal<this, void>): Promise<void> {
    return new Promise((done) => {
      const emitted = () => {
        signal.disconnect(emitted);
        done();
      };
      signal.connect(emitted);
    });
  }

  readonly #refresh = (): void => {
    const kernel = this.#session.session?.kernel ?? null;
    if (kernel !== this.#kernel) {
      const isNews = this.#kernel && (kernel ? !this.#isEnding : !this.#isOver);
      this.#kernel = kernel;
      this.#process = null;
      this.#isEnding = false;
      this.#isOver = false;
      if (isNews) this.#end();
    }
    const isConnected = kernel?.connectionStatus === 'connected' && !this.#isEnding;
    if (isConnected === this.#isConnected) return;
    this.#isConnected = isConnected;
    if (isConnected) this.back.emit();
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
    this.#refresh();
  }

  /** JupyterLab does not signal that a kernel was restarted from another page. The messages of the
   * kernel say so. */
  readonly #receive = (_: unknown, { header, content }: KernelMessage.IMessage): void => {
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
    this.#refresh();
  };

  #end(): void {
    this.#isConnected = false;
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
 * Resolves once the kernel has run all that is queued now, or once it is lost or the signal aborts.
 *
 * It sends the main shell a request, which is answered after the running cell. The kernel's status
 * is no substitute: it also changes for other messages.
 */
export async function whenIdle(session: ISessionContext, signal: AbortSignal): Promise<void> {
  const connection = Connection.of(session);
  const kernel = await connection.there().catch(() => null);
  if (!kernel || signal.aborted) return;
  await new Promise<void>((done) => {
    const ask = () => void kernel.requestCommInfo({ target_name: 'jaxviz' }).then(end, end);
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

const SUBSHELL_FEATURE = 'kernel subshells';

/**
 * A second shell of a kernel, which answers while the main shell runs a cell (JEP 91).
 *
 * JupyterLab makes subshells too. But it asks the main shell whether the kernel supports them, so
 * after a page reload it waits for the running cell. Here the control channel is asked, which
 * always answers. The subshell is deleted once every `hold` has its `release`.
 */
export class Subshell {
  readonly #kernel: Kernel.IKernelConnection;
  /** Null if the kernel supports none: then its main shell answers when it is free. */
  readonly id: Promise<string | null>;
  #holders = 0;
  #isMade = false;
  #isOver = false;

  constructor(kernel: Kernel.IKernelConnection) {
    this.#kernel = kernel;
    this.id = createSubshell(kernel);
    this.id.then(
      () => {
        this.#isMade = true;
      },
      () => this.lose(),
    );
  }

  /** True if `id` has resolved. */
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

  lose(): void {
    this.#isOver = true;
  }

  #delete(id: string | null): void {
    if (id === null || this.#kernel.isDisposed) return;
    onControl(this.#kernel, 'delete_subshell_request', { subshell_id: id }).catch(() => undefined);
  }
}

async function createSubshell(kernel: Kernel.IKernelConnection): Promise<string | null> {
  const present = await Promise.race([kernel.info, null]);
  const { supported_features: features = [] } = present ?? (await requestInfo(kernel));
  if (!features.includes(SUBSHELL_FEATURE)) return null;
  const reply = await onControl(kernel, 'create_subshell_request', {});
  return (reply as KernelMessage.ICreateSubshellReplyMsg['content']).subshell_id ?? null;
}

/** The kernel's info from its main shell or its control channel, whichever answers first. Some kernels
 * answer only on the main shell. */
function requestInfo(kernel: Kernel.IKernelConnection): Promise<KernelMessage.IInfoReply> {
  const info = onControl(kernel, 'kernel_info_request', {}) as Promise<KernelMessage.IInfoReply>;
  return Promise.race([kernel.info, info]);
}

type ControlOptions = KernelMessage.IOptions<KernelMessage.ICreateSubshellRequestMsg>;

/** Sends a request over the control channel, which answers while a cell runs. Resolves with the content
 * of the reply. */
async function onControl(
  kernel: Kernel.IKernelConnection,
  msgType: string,
  content: object,
): Promise<unknown> {
  const { username, clientId: session } = kernel;
  const options = { msgType, channel: 'control', username, session, content };
  // JupyterLab's types allow only some requests on this channel.
  const request = createMessage(options as unknown as ControlOptions);
  return (await kernel.sendControlMessage(request, true).done)?.content;
}
