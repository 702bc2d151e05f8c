import type { ISessionContext } from '@jupyterlab/apputils';
import type { KernelMessage } from '@jupyterlab/services';
import { __ } from '../../../model/language';
import type { Known } from '../../../model/panel/kernel';
import { readPanel } from '../../../model/panel/read';
import { VERSION } from '../../../schema';
import { bytesOf } from '../../buffers';
import { Comm } from '../comm';
import { Connection } from '../connection';

/** The number of the question, the only one on its comm. */
const FOLLOW = 1;
const QUESTION = { version: VERSION, panel: true, ask: FOLLOW, follow: true };

const other = (): string =>
  __('The kernel has another version of jaxviz than this page: install the same, and restart it.');

/** Follows what the kernel of a notebook or console tells, until the signal aborts. */
export class Following {
  readonly #session: ISessionContext;
  readonly #connection: Connection;
  readonly #tell: (known: Known) => void;
  #attempt = new AbortController();
  #isSilent = false;

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
      closed: () => tell({ is: 'failed', reason: other() }),
    };
    const opened = Comm.open(this.#connection, QUESTION, hearing, signal);
    opened.then(
      (comm) => {
        if (comm || signal.aborted) return;
        this.#isSilent = true;
        tell({ is: 'silent' });
      },
      (reason: Error) => tell({ is: 'failed', reason: reason.message }),
    );
  };

  /** A cell that ran may have loaded jaxviz. */
  readonly #ran = (_: unknown, message: KernelMessage.IMessage): void => {
    if (!this.#isSilent || message.header.msg_type !== 'status') return;
    const { execution_state: state } = message.content as { execution_state?: string };
    const parent = (message.parent_header as Partial<KernelMessage.IHeader>).msg_type;
    if (state === 'idle' && parent === 'execute_request') this.#open();
  };

  readonly #end = (): void => {
    this.#connection.ended.disconnect(this.#ended);
    this.#connection.back.disconnect(this.#open);
    this.#session.iopubMessage.disconnect(this.#ran);
    this.#attempt.abort();
  };
}
