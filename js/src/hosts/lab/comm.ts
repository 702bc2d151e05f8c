/** A comm to a kernel that works while a cell runs. */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { createMessage } from '@jupyterlab/services/lib/kernel/messages';
import { type JSONObject, UUID } from '@lumino/coreutils';
import type { Connection, Subshell } from './connection';

const COMM_TARGET = 'jaxviz';

/** Called with the messages that come over a comm. */
export interface CommListener {
  receive: (message: unknown, buffers: readonly (ArrayBuffer | ArrayBufferView)[]) => void;
  /** The kernel closed the comm. `reason` is the data of its message. */
  closed: (reason: unknown) => void;
}

/**
 * A comm to a kernel. If the kernel has subshells, it answers while a cell runs.
 *
 * JupyterLab's own comms are not used: after the page was reloaded they wait for the running cell, and
 * only one of several connections to a kernel may have any.
 */
export class Comm {
  readonly #id = UUID.uuid4();
  readonly #connection: Connection;
  readonly #kernel: Kernel.IKernelConnection;
  readonly #subshell: Subshell;
  readonly #subshellId: string | null;
  readonly #listener: CommListener;
  /** The kernel process for which it was opened, as `Connection.life` counts them. */
  readonly #life: number;
  #isOpen = true;

  /**
   * Opens a comm with `data`. It is closed once the signal aborts.
   *
   * Resolves with null if the kernel has not loaded jaxviz: it would print an error. Rejects with a
   * sentence if there is no kernel, and with the signal's reason once that aborts.
   */
  static async open(
    connection: Connection,
    data: JSONObject,
    listener: CommListener,
    signal: AbortSignal,
  ): Promise<Comm | null> {
    const kernel = await orAborted(signal, connection.there());
    const subshell = connection.subshell();
    subshell.hold();
    let comm: Comm | null = null;
    try {
      const id = await orAborted(signal, subshell.id);
      if (await orAborted(signal, isListening(kernel, id))) {
        comm = new Comm(connection, kernel, subshell, id, listener);
        comm.#begin(data, signal);
      }
    } finally {
      if (!comm) subshell.release();
    }
    return comm;
  }

  private constructor(
    connection: Connection,
    kernel: Kernel.IKernelConnection,
    subshell: Subshell,
    subshellId: string | null,
    listener: CommListener,
  ) {
    this.#connection = connection;
    this.#kernel = kernel;
    this.#subshell = subshell;
    this.#subshellId = subshellId;
    this.#listener = listener;
    this.#life = connection.life;
  }

  send(data: JSONObject): void {
    if (this.#isOpen) this.#sendMessage('comm_msg', { data });
  }

  #begin(data: JSONObject, signal: AbortSignal): void {
    this.#kernel.iopubMessage.connect(this.#receive);
    this.#connection.closing.connect(this.#closeWithPage);
    signal.addEventListener('abort', this.#close, { once: true });
    this.#sendMessage('comm_open', { target_name: COMM_TARGET, data });
  }

  readonly #receive = (_: unknown, message: KernelMessage.IMessage): void => {
    const { header, content, buffers = [] } = message as KernelMessage.ICommMsgMsg<'iopub'>;
    if (content.comm_id !== this.#id) return;
    const type: string = header.msg_type;
    if (type === 'comm_msg') this.#listener.receive(content.data, buffers);
    if (type !== 'comm_close' || !this.#end()) return;
    this.#subshell.release();
    this.#listener.closed(content.data);
  };

  /** Closes the comm. The subshell is released only after it has read that message. */
  readonly #close = (): void => {
    if (!this.#end()) return;
    const release = () => this.#subshell.release();
    this.#sendClose().then(release, release);
  };

  /** Called when the page closes, so there is no time to wait for the kernel. The kernel closes the
   * comm when its subshell ends. Without a subshell, it gets the message if that still arrives. */
  readonly #closeWithPage = (): void => {
    if (!this.#end()) return;
    if (this.#subshellId === null) this.#sendClose().catch(() => undefined);
    this.#subshell.release();
  };

  #end(): boolean {
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    this.#kernel.iopubMessage.disconnect(this.#receive);
    this.#connection.closing.disconnect(this.#closeWithPage);
    return wasOpen;
  }

  async #sendClose(): Promise<void> {
    if (this.#life !== this.#connection.life || this.#kernel.isDisposed) return;
    await this.#sendMessage('comm_close', { data: {} });
  }

  #sendMessage(
    msgType: 'comm_open' | 'comm_msg' | 'comm_close',
    content: JSONObject,
  ): Promise<unknown> {
    const message = createMessage({
      msgType,
      channel: 'shell',
      username: this.#kernel.username,
      session: this.#kernel.clientId,
      subshellId: this.#subshellId,
      content: { comm_id: this.#id, ...content },
    } as unknown as KernelMessage.IOptions<KernelMessage.ICommMsgMsg<'shell'>>);
    return this.#kernel.sendShellMessage(message).done;
  }
}

/** True if jaxviz is loaded in the kernel and listens for comms. */
async function isListening(
  kernel: Kernel.IKernelConnection,
  subshellId: string | null,
): Promise<boolean> {
  const request = createMessage<KernelMessage.ICommInfoRequestMsg>({
    msgType: 'comm_info_request',
    channel: 'shell',
    username: kernel.username,
    session: kernel.clientId,
    subshellId,
    content: { target_name: COMM_TARGET },
  });
  const reply = (await kernel.sendShellMessage(request, true).done) as
    | KernelMessage.ICommInfoReplyMsg
    | undefined;
  return reply?.content.status === 'ok' && Object.keys(reply.content.comms).length > 0;
}

/** Like `work`, but rejects with the signal's reason once that aborts. */
function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((done, failed) => {
    const stop = () => failed(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(done, failed).finally(() => signal.removeEventListener('abort', stop));
  });
}
