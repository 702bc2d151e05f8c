import type { ISessionContext } from '@jupyterlab/apputils';
import type { KernelMessage, Kernel as Kernels } from '@jupyterlab/services';
import type { Known } from '../../../model/panel/kernel';
import { readPanel } from '../../../model/panel/read';
import { VERSION } from '../../../schema';
import { opened } from '../kernel';

/** The number of the question, the only one on its comm. */
const FOLLOW = 1;

const OTHER =
  'The kernel has another version of jaxviz than this page: install the same, and restart it.';
const AWAY = ['restarting', 'autorestarting', 'terminating', 'dead'];

/** Follows what the kernel of a notebook or console tells, until the signal aborts. */
export class Following {
  readonly #session: ISessionContext;
  readonly #tell: (known: Known) => void;
  #attempt = new AbortController();
  #comm: Kernels.IComm | null = null;
  #isSilent = false;
  #isAway = false;

  constructor(session: ISessionContext, tell: (known: Known) => void, signal: AbortSignal) {
    this.#session = session;
    this.#tell = tell;
    session.kernelChanged.connect(this.#begin);
    session.statusChanged.connect(this.#changed);
    session.connectionStatusChanged.connect(this.#connected);
    session.iopubMessage.connect(this.#ran);
    signal.addEventListener('abort', this.#end, { once: true });
    this.#open();
  }

  readonly #begin = (): void => {
    this.#drop();
    this.#tell({ is: 'asked' });
    this.#open();
  };

  /** Opens a comm; what was known is shown until the kernel answers. */
  #open(): void {
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#isSilent = false;
    const tell = (known: Known) => {
      if (!attempt.signal.aborted) this.#tell(known);
    };
    // JupyterLab looks for a kernel once it knows what the notebook prefers, and then tells.
    if (!this.#session.session?.kernel) {
      tell({ is: 'none' });
      return;
    }
    const hearing = {
      receive: (message: unknown, buffers: readonly (ArrayBuffer | ArrayBufferView)[]) => {
        if (!attempt.signal.aborted) this.#receive(message, buffers, tell);
      },
    };
    const refused = () => tell({ is: 'failed', reason: OTHER });
    const question = { version: VERSION, panel: true, ask: FOLLOW, follow: true };
    opened(this.#session, question, hearing, refused).then(
      (comm) => {
        if (attempt.signal.aborted) comm?.close();
        else if (comm) this.#comm = comm;
        else this.#silent(tell);
      },
      (reason: Error) => {
        const { message } = reason;
        tell(this.#session.session?.kernel ? { is: 'failed', reason: message } : { is: 'none' });
      },
    );
  }

  #silent(tell: (known: Known) => void): void {
    this.#isSilent = true;
    tell({ is: 'silent' });
  }

  #receive(
    message: unknown,
    buffers: readonly (ArrayBuffer | ArrayBufferView)[],
    tell: (known: Known) => void,
  ): void {
    const { ask, state } = Object(message) as Record<string, unknown>;
    if (ask !== FOLLOW || state !== true || !buffers[0]) return;
    readPanel(copied(buffers[0]))
      .then(
        (panel) => tell({ is: 'told', panel }),
        (reason: Error) => tell({ is: 'failed', reason: reason.message }),
      )
      .then(() => this.#comm?.send({ heard: FOLLOW }));
  }

  readonly #changed = (_: unknown, status: Kernels.Status): void => {
    if (AWAY.includes(status)) {
      this.#isAway = true;
      this.#drop();
      this.#tell({ is: status === 'dead' || status === 'terminating' ? 'none' : 'asked' });
    } else if (this.#isAway && (status === 'idle' || status === 'busy')) {
      this.#isAway = false;
      this.#begin();
    }
  };

  /** What came while there was no connection is lost: asks anew, and shows the old meanwhile. */
  readonly #connected = (_: unknown, status: Kernels.ConnectionStatus): void => {
    if (status === 'disconnected' || status === 'connecting') this.#isAway = true;
    else if (this.#isAway) {
      this.#drop();
      this.#open();
    }
    if (status === 'connected') this.#isAway = false;
  };

  /** A cell that ran may have loaded jaxviz. */
  readonly #ran = (_: unknown, message: KernelMessage.IMessage): void => {
    if (!this.#isSilent || message.header.msg_type !== 'status') return;
    const { execution_state: state } = message.content as { execution_state?: string };
    const parent = (message.parent_header as Partial<KernelMessage.IHeader>).msg_type;
    if (state === 'idle' && parent === 'execute_request') this.#open();
  };

  #drop(): void {
    this.#attempt.abort();
    const comm = this.#comm;
    this.#comm = null;
    if (comm && !comm.isDisposed) {
      try {
        comm.close();
      } catch {
        // The kernel is gone, and the comm with it.
      }
    }
  }

  readonly #end = (): void => {
    const { kernelChanged, statusChanged, connectionStatusChanged, iopubMessage } = this.#session;
    kernelChanged.disconnect(this.#begin);
    statusChanged.disconnect(this.#changed);
    connectionStatusChanged.disconnect(this.#connected);
    iopubMessage.disconnect(this.#ran);
    this.#drop();
  };
}

function copied(buffer: ArrayBuffer | ArrayBufferView): Uint8Array<ArrayBuffer> {
  if (!ArrayBuffer.isView(buffer)) return new Uint8Array(buffer).slice();
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).slice();
}
