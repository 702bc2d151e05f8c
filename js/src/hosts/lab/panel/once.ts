import type { ISessionContext } from '@jupyterlab/apputils';
import { __ } from '../../../model/language';
import { VERSION } from '../../../schema';
import { toInstall, whyAbsent } from '../absent';
import { Comm } from '../comm';
import { Connection } from '../connection';
import { otherVersion } from '../versions';

/** What a kernel is asked to do: to begin or end watching, or to forget what happened so far. */
export type Wish = { watch: boolean } | { clear: true };

const silent = (): string =>
  __('This kernel has not loaded jaxviz: run %load_ext jaxviz in a cell of the notebook first.');
const hasEnded = (): string => __('The kernel was restarted or has ended.');

/** Asks the kernel for it; it waits for the cell that runs. Rejects with a sentence. */
export function once(session: ISessionContext, wish: Wish): Promise<void> {
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
    const receive = (message: unknown) => {
      const { done, error } = Object(message) as Record<string, unknown>;
      if (typeof error === 'string') end(new Error(error));
      else if (done === true) end(null);
    };
    const hearing = { receive, closed: (told: unknown) => end(new Error(otherVersion(told))) };
    const question = { version: VERSION, panel: true, ask: 1, ...wish };
    const refused = async () => {
      const absent = await whyAbsent(await connection.there());
      return new Error(absent === null ? silent() : `${absent} ${toInstall()}`);
    };
    /** Anew where the connection was lost: to wish it twice does no harm. */
    const ask = () => {
      attempt.abort();
      attempt = new AbortController();
      const { signal } = attempt;
      Comm.open(connection, question, hearing, signal).then(
        (comm) => (comm ? undefined : refused().then(end, end)),
        (error: Error) => signal.aborted || end(error),
      );
    };
    connection.ended.connect(lost);
    connection.back.connect(ask);
    ask();
  });
}
