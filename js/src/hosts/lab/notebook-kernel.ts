/** Sends requests about a program or log to the kernel of a notebook or console, and explains why it
 * may not answer. */
import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { createMessage } from '@jupyterlab/services/lib/kernel/messages';
import { toUpdate } from '../../facts/wire/records';
import { __ } from '../../language';
import { RELEASE, VERSION } from '../../schema';
import { KernelClient, type Question } from '../kernel-client';
import { Comm } from './comm';
import { Connection } from './connection';

const otherKernelText = (): string => __('Another kernel made this program: run the cell again.');
const installForStages = (): string =>
  __('jaxviz makes the other stages: run %pip install jupyterlab-jaxviz, then run the cell again.');
const kernelEndedText = (): string =>
  __('The kernel that made this program has ended: run the cell again.');

/** A client for the program or log with that key, until the signal aborts. Null if the key is empty:
 * then the kernel has nothing of it. */
export function notebookKernel(
  session: ISessionContext,
  key: string,
  signal: AbortSignal,
): KernelClient | null {
  return key === '' ? null : new KernelComm(Connection.of(session), key, signal).client;
}

/** Sends requests over a comm, which the first one opens. After a lost connection, it sends open
 * requests again over a new comm. */
class KernelComm {
  readonly client = new KernelClient((question) => this.#send(question));
  readonly #connection: Connection;
  readonly #key: string;
  #attempt = new AbortController();
  #comm: Promise<Comm> | null = null;

  constructor(connection: Connection, key: string, signal: AbortSignal) {
    this.#connection = connection;
    this.#key = key;
    connection.ended.connect(this.#kernelEnded);
    connection.back.connect(this.#reconnected);
    signal.addEventListener('abort', () => {
      connection.ended.disconnect(this.#kernelEnded);
      connection.back.disconnect(this.#reconnected);
      this.#fail(__('The view was closed.'));
    });
  }

  #send(question: Question): void {
    const { signal } = this.#attempt;
    const failed = (error: Error) => signal.aborted || this.#fail(error.message);
    if (this.#comm) {
      this.#comm.then((comm) => comm.send(question)).catch(failed);
      return;
    }
    this.#comm = this.#open(question, signal);
    this.#comm.catch(failed);
  }

  #open(question: Question, signal: AbortSignal): Promise<Comm> {
    const first = { version: VERSION, key: this.#key, ...question };
    const listener = {
      receive: this.client.receive.bind(this.client),
      closed: (reason: unknown) => this.#fail(otherVersion(reason)),
    };
    return Comm.open(this.#connection, first, listener, signal).then(
      (comm) => comm ?? rejectRefused(this.#connection),
    );
  }

  #drop(): void {
    this.#attempt.abort();
    this.#attempt = new AbortController();
    this.#comm = null;
  }

  #fail(reason: string): void {
    this.#drop();
    this.client.close(reason);
  }

  readonly #kernelEnded = (): void => this.#fail(kernelEndedText());

  readonly #reconnected = (): void => {
    if (!this.#comm) return;
    this.#drop();
    this.client.resend();
  };
}

/** Rejects with the reason why the present kernel does not have the program. */
async function rejectRefused(connection: Connection): Promise<never> {
  const absent = await whyAbsent(await connection.there());
  throw new Error(absent === null ? otherKernelText() : `${absent} ${installForStages()}`);
}

/** The user name in the headers of our own requests to run code, so that they are not taken for
 * cells. */
export const USERNAME = 'jaxviz';

/** Python expressions: is jaxviz installed, and the version of Python. */
const IS_INSTALLED = "__import__('importlib.util').util.find_spec('jaxviz') is not None";
const PYTHON_VERSION = "'%d.%d' % __import__('sys').version_info[:2]";

/**
 * Returns one sentence if jaxviz is not installed in a kernel. Null if it is installed but not
 * loaded, or if the kernel does not say.
 *
 * The kernel answers after the running cell, because only its main shell evaluates expressions.
 */
export async function whyAbsent(kernel: Kernel.IKernelConnection): Promise<string | null> {
  const request = createMessage<KernelMessage.IExecuteRequestMsg>({
    msgType: 'execute_request',
    channel: 'shell',
    username: USERNAME,
    session: kernel.clientId,
    content: {
      code: '',
      silent: true,
      store_history: false,
      allow_stdin: false,
      stop_on_error: false,
      user_expressions: { installed: IS_INSTALLED, python: PYTHON_VERSION },
    },
  });
  const reply = (await kernel.sendShellMessage(request, true).done) as
    | KernelMessage.IExecuteReplyMsg
    | undefined;
  const { user_expressions: values } = Object(reply?.content) as { user_expressions?: unknown };
  if (textOf(values, 'installed') !== 'False') return null;
  const python = textOf(values, 'python').replaceAll("'", '');
  const name = (await kernel.spec)?.display_name ?? kernel.name;
  return __('jaxviz is not installed in this kernel’s environment (Python %1, %2).', python, name);
}

/** The text of an expression's value; empty if its evaluation failed. */
function textOf(values: unknown, name: string): string {
  const { data } = Object(Object(values)[name]) as { data?: Record<string, unknown> };
  return String(data?.['text/plain'] ?? '');
}

export const installText = (): string =>
  __('Run %pip install jupyterlab-jaxviz in a cell, then %load_ext jaxviz.');

/** Says why a kernel closed the comm of this page: it has another version of jaxviz, the one in
 * `reason`. A kernel that names no version is older than all that do. */
export function otherVersion(reason: unknown): string {
  const { version, jaxviz } = Object(reason) as Record<string, unknown>;
  if (typeof version !== 'number' || typeof jaxviz !== 'string') {
    return __(
      'The kernel has an older jaxviz than this page, which has %1 (format %2): run %pip install --upgrade jupyterlab-jaxviz, restart the kernel, and run the cell again.',
      RELEASE,
      VERSION,
    );
  }
  return `${__('The kernel has jaxviz %1, which writes format %2.', jaxviz, version)} ${toUpdate()}`;
}
