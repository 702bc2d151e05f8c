/** What the panel asks of a kernel: to report what JAX does, or to do one thing. */
import type { ISessionContext } from '@jupyterlab/apputils';
import type { KernelMessage } from '@jupyterlab/services';
import { readPanel } from '../../../facts/wire';
import { __ } from '../../../language';
import { VERSION } from '../../../schema';
import type { Known } from '../../../state/panel/panel-state';
import { bytesOf } from '../../asking';
import { Comm, type Hearing } from '../comm';
import { Connection } from '../connection';
import { otherVersion, toInstall, USERNAME, whyAbsent } from '../notebook-kernel';

/** The number of the question on its comm, which has no other. */
const QUESTION_NUMBER = 1;
const FOLLOW = { version: VERSION, panel: true, ask: QUESTION_NUMBER, follow: true };

/** Subscribes to what the kernel of a notebook or console reports, until the signal aborts. It asks
 * again after the kernel was restarted, or has loaded jaxviz. */
export class PanelSubscription {
  readonly #session: ISessionContext;
  readonly #connection: Connection;
  readonly #tell: (known: Known) => void;
  #attempt = new AbortController();
  /** The kernel did not answer the last attempt, because it has not loaded jaxviz. */
  #isSilent = false;
  #isInstalled = false;

  constructor(session: ISessionContext, tell: (known: Known) => void, signal: AbortSignal) {
    this.#session = session;
    this.#connection = Connection.of(session);
    this.#tell = tell;
    this.#connection.ended.connect(this.#ended);
    this.#connection.back.connect(this.#ask);
    session.iopubMessage.connect(this.#ran);
    signal.addEventListener('abort', this.#end, { once: true });
    if (this.#connection.isThere) this.#ask();
    // JupyterLab looks for a kernel once it knows which one the notebook prefers; then it signals.
    else if (!this.#connection.isAlive) tell({ is: 'none' });
  }

  readonly #ended = (): void => {
    this.#attempt.abort();
    this.#isInstalled = false;
    this.#tell({ is: this.#connection.isAlive ? 'asked' : 'none' });
  };

  /** Opens a comm. What was known before stays shown until the kernel answers. */
  readonly #ask = (): void => {
    this.#attempt.abort();
    this.#attempt = new AbortController();
    this.#isSilent = false;
    const { signal } = this.#attempt;
    const tell = (known: Known) => {
      if (!signal.aborted) this.#tell(known);
    };
    const failed = (reason: Error) => tell({ is: 'failed', reason: reason.message });
    // The kernel sends the next report only after it heard that this one was read.
    const heard = () => opened.then((comm) => comm?.send({ heard: QUESTION_NUMBER }));
    const opened = Comm.open(this.#connection, FOLLOW, reports(tell, heard), signal);
    opened.then((comm) => {
      if (comm || signal.aborted) return;
      this.#isSilent = true;
      this.#whyNotInstalled().then(
        (reason) => tell(reason === null ? { is: 'silent' } : { is: 'absent', reason }),
        failed,
      );
    }, failed);
  };

  /** One sentence if jaxviz is not installed in the kernel; null if it is, which is remembered. */
  async #whyNotInstalled(): Promise<string | null> {
    if (this.#isInstalled) return null;
    const kernel = await this.#connection.there();
    const absent = await whyAbsent(kernel);
    this.#isInstalled = absent === null;
    return absent;
  }

  /** A cell that has run may have loaded jaxviz. */
  readonly #ran = (_: unknown, message: KernelMessage.IMessage): void => {
    if (!this.#isSilent || message.header.msg_type !== 'status') return;
    const { execution_state: state } = message.content as { execution_state?: string };
    const parent = message.parent_header as Partial<KernelMessage.IHeader>;
    const isCell = parent.msg_type === 'execute_request' && parent.username !== USERNAME;
    if (state === 'idle' && isCell) this.#ask();
  };

  readonly #end = (): void => {
    this.#connection.ended.disconnect(this.#ended);
    this.#connection.back.disconnect(this.#ask);
    this.#session.iopubMessage.disconnect(this.#ran);
    this.#attempt.abort();
  };
}

/** Reads the reports of a kernel, and calls `heard` after each. */
const reports = (tell: (known: Known) => void, heard: () => void): Hearing => ({
  receive(message, buffers) {
    const { ask, state } = Object(message) as Record<string, unknown>;
    if (ask !== QUESTION_NUMBER || state !== true || !buffers[0]) return;
    readPanel(bytesOf(buffers[0]))
      .then(
        (panel) => tell({ is: 'told', panel }),
        (reason: Error) => tell({ is: 'failed', reason: reason.message }),
      )
      .then(heard);
  },
  closed: (told) => tell({ is: 'failed', reason: otherVersion(told) }),
});

/** What a kernel can be asked to do: begin or end watching, or forget what was traced so far. */
export type PanelRequest = { watch: boolean } | { clear: true };

const notLoaded = (): string =>
  __('This kernel has not loaded jaxviz: run %load_ext jaxviz in a cell of the notebook first.');
const hasEnded = (): string => __('The kernel was restarted or has ended.');

/**
 * Asks a kernel to do something; resolves once it is done, which may be after the running cell.
 *
 * It asks again if the connection was lost: to be asked twice does no harm. Rejects with a sentence if
 * the kernel cannot do it.
 */
export function askOnce(session: ISessionContext, request: PanelRequest): Promise<void> {
  const connection = Connection.of(session);
  return new Promise((done, failed) => {
    let attempt = new AbortController();
    const end = (error: Error | null) => {
      connection.ended.disconnect(lost);
      connection.back.disconnect(ask);
      attempt.abort();
      if (error) failed(error);
      else done();
    };
    const lost = () => end(new Error(hasEnded()));
    const question = { version: VERSION, panel: true, ask: QUESTION_NUMBER, ...request };
    const ask = () => {
      attempt.abort();
      attempt = new AbortController();
      const { signal } = attempt;
      Comm.open(connection, question, answerTo(end), signal).then(
        (comm) => (comm ? undefined : whyRefused(connection).then(end, end)),
        (error: Error) => signal.aborted || end(error),
      );
    };
    connection.ended.connect(lost);
    connection.back.connect(ask);
    ask();
  });
}

/** Calls `end` with what a kernel answers: null once it has done what it was asked. */
const answerTo = (end: (error: Error | null) => void): Hearing => ({
  receive(message) {
    const { done, error } = Object(message) as Record<string, unknown>;
    if (typeof error === 'string') end(new Error(error));
    else if (done === true) end(null);
  },
  closed: (told) => end(new Error(otherVersion(told))),
});

async function whyRefused(connection: Connection): Promise<Error> {
  const absent = await whyAbsent(await connection.there());
  return new Error(absent === null ? notLoaded() : `${absent} ${toInstall()}`);
}
