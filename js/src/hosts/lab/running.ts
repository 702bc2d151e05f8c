import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel } from '@jupyterlab/services';
import { Connection } from './connection';

/**
 * Once the kernel of a notebook has run what it runs now, or is lost.
 *
 * Its main shell is asked something, which it answers after that; its status would tell of other
 * messages too.
 */
export async function whenRun(session: ISessionContext, signal: AbortSignal): Promise<void> {
  const connection = Connection.of(session);
  const kernel = await connection.there().catch(() => null);
  if (!kernel || signal.aborted) return;
  await new Promise<void>((done) => {
    const ask = () => void answered(kernel).then(end);
    const end = () => {
      connection.ended.disconnect(end);
      connection.back.disconnect(ask);
      done();
    };
    connection.ended.connect(end);
    connection.back.connect(ask); // the answer may be lost
    signal.addEventListener('abort', end, { once: true });
    ask();
  });
}

async function answered(kernel: Kernel.IKernelConnection): Promise<void> {
  await kernel.requestCommInfo({ target_name: 'jaxviz' }).catch(() => undefined);
}
