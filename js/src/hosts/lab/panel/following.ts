import type { ISessionContext } from '@jupyterlab/apputils';
import type { KernelMessage } from '@jupyterlab/services';
import { type Known, readPanel } from '../../../model/panel/followed-kernel';
import { VERSION } from '../../../schema';
import { bytesOf } from '../../buffers';
import { USERNAME, whyAbsent } from '../absent';
import { Comm } from '../comm';
import { Connection } from '../connection';
import { otherVersion } from '../versions';

/** The number of the question, the only one on its comm. */
const FOLLOW = 1;
const QUESTION = { version: VERSION, panel: true, ask: FOLLOW, follow: true };

/** Follows what the kernel of a notebook or console tells, until the signal aborts. */
export class Following {
  readonly #session: ISessionContext;
  readonly #connection: Connection;
  readonly #tell: (known: Known) => void;
  #attempt = new AbortController();
  #isSilent = false;
  #isInstalled = false;

  constructor(session: ISessionContext, tell: (known: Known) => void, signal: AbortSignal) {
    this.#session = session;
    this.#connection = Connection.of(session);
    this.#tell = tell;
    this.#connection.ended.connect(this.#ended);
    this.#connection.back.connect(this.#open);
    session.iopubMessage.connect(this.#ran);
    signal.addEventListener('abort', this.#end, { once: true });
    if (this.#connection.isThere) this.#open();
    // JupyterLab looks for a kernel once it knows what the notebook prefers, and then tells.
    else if (!this.#connection.isAlive) tell({ is: 'none' });
  }

  readonly #ended = (): void => {
    this.#attempt.abort();
    this.#isInstalled = false;
    this.#tell({ is: this.#connection.isAlive ? 'asked' : 'none' });
  };

  /** Opens a comm; what was known is shown until the kernel answers. */
  readonly #open = (): void => {
    this.#attempt.abort();
    this.#attempt = new AbortController();
    this.#isSilent = false;
    const { signal } = this.#attempt;
    const tell = (known: Known) => {
      if (!signal.aborted) this.#tell(known);
    };
    const heard = () => opened.then((comm) => comm?.send({ heard: FOLLOW }));
    const hearing = {
      receive: (message: unknown, buffers: readonly (ArrayBuffer | ArrayBufferView)[]) => {
        const { ask, state } = Object(message) as Record<string, unknown>;
        if (ask !== FOLLOW || state !== true || !buffers[0]) return;
        readPanel(bytesOf(buffers[0]))
          .then(
            (panel) => tell({ is: 'told', panel }),
            (reason: Error) => tell({ is: 'failed', reason: reason.message }),
          )
          .then(heard);
      },
      closed: (told: unknown) => tell({ is: 'failed', reason: otherVersion(told) }),
    };
    const opened = Comm.open(this.#connection, QUESTION, hearing, signal);
    opened.then(
      (comm) => {
        if (comm || signal.aborted) return;
        this.#isSilent = true;
        this.#lookWhy().then(
          (reason) => tell(reason === null ? { is: 'silent' } : { is: 'absent', reason }),
          (reason: Error) => tell({ is: 'failed', reason: reason.message }),
        );
      },
      (reason: Error) => tell({ is: 'failed', reason: reason.message }),
    );
  };

  /** Whether jaxviz is not installed in the kernel: once it is, nobody is asked again. */
  async #lookWhy(): Promise<string | null> {
    if (this.#isInstalled) return null;
    const kernel = await this.#connection.there();
    const absent = await whyAbsent(kernel);
    this.#isInstalled = absent === null;
    return absent;
  }

  /** A cell that ran may have loaded jaxviz. */
  readonly #ran = (_: unknown, message: KernelMessage.IMessage): void => {
    if (!this.#isSilent || message.header.msg_type !== 'status') return;
    const { execution_state: state } = message.content as { execution_state?: string };
    const parent = message.parent_header as Partial<KernelMessage.IHeader>;
    const isCell = parent.msg_type === 'execute_request' && parent.username !== USERNAME;
    if (state === 'idle' && isCell) this.#open();
  };

  readonly #end = (): void => {
    this.#connection.ended.disconnect(this.#ended);
    this.#connection.back.disconnect(this.#open);
    this.#session.iopubMessage.disconnect(this.#ran);
    this.#attempt.abort();
  };
}
