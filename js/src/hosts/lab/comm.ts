/** A comm to a kernel that works while a cell runs. */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { createMessage } from '@jupyterlab/services/lib/kernel/messages';
import { type JSONObject, UUID } from '@lumino/coreutils';
import type { Connection, Subshell } from './connection';

const COMM_TARGET = 'jaxviz';

/** What is called with the messages that come over a comm. */
export interface Hearing {
  receive: (message: unknown, buffers: readonly (ArrayBuffer | ArrayBufferView)[]) => void;
  /** The kernel has closed the comm; `reason` is what it said about that, if anything. */
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
  readonly #hearing: Hearing;
  /** The process of the kernel to which it was opened. */
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
    hearing: Hearing,
    signal: AbortSignal,
  ): Promise<Comm | null> {
    const kernel = await until(signal, connection.there());
    const subshell = connection.subshell();
    subshell.hold();
    let comm: Comm | null = null;
    try {
      const id = await until(signal, subshell.id);
      if (await until(signal, listens(kernel, id))) {
        comm = new Comm(connection, kernel, subshell, id, hearing);
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
    hearing: Hearing,
  ) {
    this.#connection = connection;
    this.#kernel = kernel;
    this.#subshell = subshell;
    this.#subshellId = subshellId;
    this.#hearing = hearing;
    this.#life = connection.life;
  }

  send(data: JSONObject): void {
    if (this.#isOpen) this.#put('comm_msg', { data });
  }

  #begin(data: JSONObject, signal: AbortSignal): void {
    this.#kernel.iopubMessage.connect(this.#hear);
    this.#connection.closing.connect(this.#leave);
    signal.addEventListener('abort', this.#close, { once: true });
    this.#put('comm_open', { target_name: COMM_TARGET, data });
  }

  readonly #hear = (_: unknown, message: KernelMessage.IMessage): void => {
    const { header, content, buffers = [] } = message as KernelMessage.ICommMsgMsg<'iopub'>;
    if (content.comm_id !== this.#id) return;
    const type: string = header.msg_type;
    if (type === 'comm_msg') this.#hearing.receive(content.data, buffers);
    if (type !== 'comm_close' || !this.#end()) return;
    this.#subshell.release();
    this.#hearing.closed(content.data);
  };

  /** Closes the comm. The subshell is released only after it has read that message. */
  readonly #close = (): void => {
    if (!this.#end()) return;
    const release = () => this.#subshell.release();
    this.#sayClosed().then(release, release);
  };

  /** The page closes, and there is no time to wait for the kernel. It closes the comm itself when its
   * subshell ends; without a subshell it gets the message if that still arrives. */
  readonly #leave = (): void => {
    if (!this.#end()) return;
    if (this.#subshellId === null) this.#sayClosed().catch(() => undefined);
    this.#subshell.release();
  };

  #end(): boolean {
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    this.#kernel.iopubMessage.disconnect(this.#hear);
    this.#connection.closing.disconnect(this.#leave);
    return wasOpen;
  }

  async #sayClosed(): Promise<void> {
    if (this.#life !== this.#connection.life || this.#kernel.isDisposed) return;
    await this.#put('comm_close', { data: {} });
  }

  #put(msgType: 'comm_open' | 'comm_msg' | 'comm_close', content: JSONObject): Promise<unknown> {
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

/** Whether jaxviz is loaded in the kernel, and listens for comms. */
async function listens(
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
function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((done, failed) => {
    const stop = () => failed(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(done, failed).finally(() => signal.removeEventListener('abort', stop));
  });
}
