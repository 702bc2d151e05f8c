/** Asks the kernel of a notebook or console about a program or log, and why it may not answer. */
import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { createMessage } from '@jupyterlab/services/lib/kernel/messages';
import { toUpdate } from '../../facts/wire/records';
import { __ } from '../../language';
import { RELEASE, VERSION } from '../../schema';
import { Asking, type Question } from '../asking';
import { Comm } from './comm';
import { Connection } from './connection';

const notItsProgram = (): string => __('Another kernel made this program: run the cell again.');
const neededForStages = (): string =>
  __('jaxviz makes the other stages: run %pip install jupyterlab-jaxviz, then run the cell again.');
const hasEnded = (): string =>
  __('The kernel that made this program has ended: run the cell again.');

/** Asks the kernel of a notebook or console about what it knows under a key, until the signal aborts.
 * Null if the key is empty: then the kernel knows nothing of it. */
export function notebookKernel(
  session: ISessionContext,
  key: string,
  signal: AbortSignal,
): Asking | null {
  return key === '' ? null : new KernelComm(Connection.of(session), key, signal).asking;
}

/** Sends questions over a comm, which it opens with the first one. It asks again, over a new comm, what
 * was not answered before the connection was lost. */
class KernelComm {
  readonly asking = new Asking((question) => this.#send(question));
  readonly #connection: Connection;
  readonly #key: string;
  #attempt = new AbortController();
  #comm: Promise<Comm> | null = null;

  constructor(connection: Connection, key: string, signal: AbortSignal) {
    this.#connection = connection;
    this.#key = key;
    connection.ended.connect(this.#ended);
    connection.back.connect(this.#back);
    signal.addEventListener('abort', () => {
      connection.ended.disconnect(this.#ended);
      connection.back.disconnect(this.#back);
      this.#lose(__('The view was closed.'));
    });
  }

  #send(question: Question): void {
    const { signal } = this.#attempt;
    const failed = (error: Error) => signal.aborted || this.#lose(error.message);
    if (this.#comm) {
      this.#comm.then((comm) => comm.send(question)).catch(failed);
      return;
    }
    this.#comm = this.#open(question, signal);
    this.#comm.catch(failed);
  }

  #open(question: Question, signal: AbortSignal): Promise<Comm> {
    const first = { version: VERSION, key: this.#key, ...question };
    const hearing = {
      receive: this.asking.receive.bind(this.asking),
      closed: (reason: unknown) => this.#lose(otherVersion(reason)),
    };
    return Comm.open(this.#connection, first, hearing, signal).then(
      (comm) => comm ?? rejectRefused(this.#connection),
    );
  }

  #drop(): void {
    this.#attempt.abort();
    this.#attempt = new AbortController();
    this.#comm = null;
  }

  #lose(reason: string): void {
    this.#drop();
    this.asking.close(reason);
  }

  readonly #ended = (): void => this.#lose(hasEnded());

  readonly #back = (): void => {
    if (!this.#comm) return;
    this.#drop();
    this.asking.again();
  };
}

/** Rejects with the reason why the kernel that runs now knows nothing of what was asked. */
async function rejectRefused(connection: Connection): Promise<never> {
  const absent = await whyAbsent(await connection.there());
  throw new Error(absent === null ? notItsProgram() : `${absent} ${neededForStages()}`);
}

/** The user name in the headers of requests that run code of ours, so that they are not taken for
 * cells. */
export const USERNAME = 'jaxviz';

/** Python expressions: whether jaxviz can be imported, and the version of Python. */
const IS_INSTALLED = "__import__('importlib.util').util.find_spec('jaxviz') is not None";
const PYTHON_VERSION = "'%d.%d' % __import__('sys').version_info[:2]";

/**
 * Says in one sentence that jaxviz is not installed in a kernel; null if it is installed but was not
 * loaded, and if the kernel does not say.
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

/** The text of an expression's value; empty if evaluating it failed. */
function textOf(values: unknown, name: string): string {
  const { data } = Object(Object(values)[name]) as { data?: Record<string, unknown> };
  return String(data?.['text/plain'] ?? '');
}

/** What to do if jaxviz is not installed. */
export const toInstall = (): string =>
  __('Run %pip install jupyterlab-jaxviz in a cell, then %load_ext jaxviz.');

/** Why a kernel closed the comm of this page: it has another version of jaxviz, which `told` gives. A
 * kernel that gives none is older than all that do. */
export function otherVersion(told: unknown): string {
  const { version, jaxviz } = Object(told) as Record<string, unknown>;
  if (typeof version !== 'number' || typeof jaxviz !== 'string') {
    return __(
      'The kernel has an older jaxviz than this page, which has %1 (format %2): run %pip install --upgrade jupyterlab-jaxviz, restart the kernel, and run the cell again.',
      RELEASE,
      VERSION,
    );
  }
  return `${__('The kernel has jaxviz %1, which writes format %2.', jaxviz, version)} ${toUpdate()}`;
}
