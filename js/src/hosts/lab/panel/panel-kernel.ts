/** The panel's requests to a kernel: a subscription to its reports, and single requests. */
import type { ISessionContext } from '@jupyterlab/apputils';
import type { KernelMessage } from '@jupyterlab/services';
import { readPanel } from '../../../facts/wire';
import { __ } from '../../../language';
import { VERSION } from '../../../schema';
import type { KernelState } from '../../../state/panel/panel-state';
import { bytesOf } from '../../kernel-client';
import { Comm, type CommListener } from '../comm';
import { Connection } from '../connection';
import { installText, otherVersion, USERNAME, whyAbsent } from '../notebook-kernel';

/** The number of the only request on its comm. */
const QUESTION_NUMBER = 1;
const FOLLOW = { version: VERSION, panel: true, ask: QUESTION_NUMBER, follow: true };

/** Subscribes to the reports of a notebook's or console's kernel until the signal aborts. It
 * subscribes again after the kernel was restarted or has loaded jaxviz. */
export class PanelSubscription {
  readonly #session: ISessionContext;
  readonly #connection: Connection;
  readonly #report: (state: KernelState) => void;
  #attempt = new AbortController();
  /** The last attempt got no answer, because the kernel has not loaded jaxviz. */
  #isUnloaded = false;
  #isInstalled = false;

  constructor(session: ISessionContext, report: (state: KernelState) => void, signal: AbortSignal) {
    this.#session = session;
    this.#connection = Connection.of(session);
    this.#report = report;
    this.#connection.ended.connect(this.#ended);
    this.#connection.back.connect(this.#ask);
    session.iopubMessage.connect(this.#ran);
    signal.addEventListener('abort', this.#end, { once: true });
    if (this.#connection.isConnected) this.#ask();
    // JupyterLab looks for a kernel once it knows which one the notebook prefers. Then it signals.
    else if (!this.#connection.isAlive) report({ is: 'none' });
  }

  readonly #ended = (): void => {
    this.#attempt.abort();
    this.#isInstalled = false;
    this.#report({ is: this.#connection.isAlive ? 'waiting' : 'none' });
  };

  /** Opens a comm. The earlier state stays visible until the kernel answers. */
  readonly #ask = (): void => {
    this.#attempt.abort();
    this.#attempt = new AbortController();
    this.#isUnloaded = false;
    const { signal } = this.#attempt;
    const report = (state: KernelState) => {
      if (!signal.aborted) this.#report(state);
    };
    const failed = (reason: Error) => report({ is: 'failed', reason: reason.message });
    // The kernel sends the next report only after this one was confirmed.
    const confirm = () => opened.then((comm) => comm?.send({ heard: QUESTION_NUMBER }));
    const opened = Comm.open(this.#connection, FOLLOW, reports(report, confirm), signal);
    opened.then((comm) => {
      if (comm || signal.aborted) return;
      this.#isUnloaded = true;
      this.#whyNotInstalled().then(
        (reason) => report(reason === null ? { is: 'unloaded' } : { is: 'absent', reason }),
        failed,
      );
    }, failed);
  };

  /** One sentence if jaxviz is not installed in the kernel. Null if it is; that is stored. */
  async #whyNotInstalled(): Promise<string | null> {
    if (this.#isInstalled) return null;
    const kernel = await this.#connection.there();
    const absent = await whyAbsent(kernel);
    this.#isInstalled = absent === null;
    return absent;
  }

  /** A cell that has run may have loaded jaxviz. */
  readonly #ran = (_: unknown, message: KernelMessage.IMessage): void => {
    if (!this.#isUnloaded || message.header.msg_type !== 'status') return;
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

/** Reads the reports of a kernel, and calls `confirm` after each. */
const reports = (report: (state: KernelState) => void, confirm: () => void): CommListener => ({
  receive(message, buffers) {
    const { ask, state } = Object(message) as Record<string, unknown>;
    if (ask !== QUESTION_NUMBER || state !== true || !buffers[0]) return;
    readPanel(bytesOf(buffers[0]))
      .then(
        (panel) => report({ is: 'reported', panel }),
        (reason: Error) => report({ is: 'failed', reason: reason.message }),
      )
      .then(confirm);
  },
  closed: (reason) => report({ is: 'failed', reason: otherVersion(reason) }),
});

/** A single request: begin or end watching, or clear the record. */
export type PanelRequest = { watch: boolean } | { clear: true };

const notLoadedText = (): string =>
  __('This kernel has not loaded jaxviz: run %load_ext jaxviz in a cell of the notebook first.');
const kernelEndedText = (): string => __('The kernel was restarted or has ended.');

/**
 * Asks a kernel to do something. Resolves once it is done, which may be after the running cell.
 *
 * It asks again after a lost connection: doing it twice does no harm. Rejects with a sentence if
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
    const lost = () => end(new Error(kernelEndedText()));
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

/** Calls `end` once the kernel has answered: with null, or with its error. */
const answerTo = (end: (error: Error | null) => void): CommListener => ({
  receive(message) {
    const { done, error } = Object(message) as Record<string, unknown>;
    if (typeof error === 'string') end(new Error(error));
    else if (done === true) end(null);
  },
  closed: (reason) => end(new Error(otherVersion(reason))),
});

async function whyRefused(connection: Connection): Promise<Error> {
  const absent = await whyAbsent(await connection.there());
  return new Error(absent === null ? notLoadedText() : `${absent} ${installText()}`);
}
