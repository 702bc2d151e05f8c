import type { ISessionContext } from '@jupyterlab/apputils';
import { VERSION } from '../../../schema';
import { opened } from '../kernel';

/** What a kernel is asked to do: to begin or end watching, or to forget what happened so far. */
export type Wish = { watch: boolean } | { clear: true };

const SILENT =
  'This kernel has not loaded jaxviz: run %load_ext jaxviz in a cell of the notebook first.';
const OTHER = 'The kernel has another version of jaxviz than this page: install the same.';

/** Asks the kernel for it; it waits for the cell that runs. Rejects with a sentence. */
export function once(session: ISessionContext, wish: Wish): Promise<void> {
  return new Promise((done, failed) => {
    const lost = () => end(new Error('The kernel was restarted or has ended.'));
    const end = (error: Error | null) => {
      session.kernelChanged.disconnect(lost);
      comm.then((one) => one?.close()).catch(() => undefined);
      if (error) failed(error);
      else done();
    };
    const receive = (message: unknown) => {
      const { done, error } = Object(message) as Record<string, unknown>;
      if (typeof error === 'string') end(new Error(error));
      else if (done === true) end(null);
    };
    const refused = () => end(new Error(OTHER));
    const question = { version: VERSION, panel: true, ask: 1, ...wish };
    const comm = opened(session, question, { receive }, refused);
    session.kernelChanged.connect(lost);
    comm.then((one) => one ?? end(new Error(SILENT)), end);
  });
}
