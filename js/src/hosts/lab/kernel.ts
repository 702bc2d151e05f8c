import type { ISessionContext } from '@jupyterlab/apputils';
import { __ } from '../../language';
import { VERSION } from '../../schema';
import { Asking } from '../asking';
import { whyAbsent } from './absent';
import { Comm } from './comm';
import { Connection } from './connection';
import { otherVersion } from './versions';

const stranger = (): string =>
  __('The kernel that runs now did not make this program: run the cell again.');
const needed = (): string =>
  __('Other stages are made by it: run %pip install jupyterlab-jaxviz, and the cell again.');
const hasEnded = (): string =>
  __('The kernel that made this program has ended: run the cell again.');

/** Asks the kernel of a notebook or console about what it knows as `key`, until the signal aborts. */
export function notebookKernel(
  session: ISessionContext,
  key: string,
  signal: AbortSignal,
): Asking | null {
  if (key === '') return null;
  const connection = Connection.of(session);
  let attempt = new AbortController();
  let comm: Promise<Comm> | null = null;
  const asking = new Asking((question) => {
    const { signal } = attempt;
    const failed = (error: Error) => signal.aborted || lost(error.message);
    if (comm) {
      comm.then((one) => one.send(question)).catch(failed);
      return;
    }
    const first = { version: VERSION, key, ...question };
    const hearing = {
      receive: asking.receive.bind(asking),
      closed: (told: unknown) => lost(otherVersion(told)),
    };
    comm = Comm.open(connection, first, hearing, signal).then(
      (opened) => opened ?? refused(connection),
    );
    comm.catch(failed);
  });
  const drop = () => {
    attempt.abort();
    attempt = new AbortController();
    comm = null;
  };
  const lost = (reason: string) => {
    drop();
    asking.close(reason);
  };
  const ended = () => lost(hasEnded());
  const back = () => {
    if (!comm) return;
    drop();
    asking.again();
  };
  connection.ended.connect(ended);
  connection.back.connect(back);
  signal.addEventListener('abort', () => {
    connection.ended.disconnect(ended);
    connection.back.disconnect(back);
    lost(__('The view was closed.'));
  });
  return asking;
}

/** Rejects with why the kernel that runs now knows nothing of it. */
async function refused(connection: Connection): Promise<never> {
  const absent = await whyAbsent(await connection.there());
  throw new Error(absent === null ? stranger() : `${absent} ${needed()}`);
}
