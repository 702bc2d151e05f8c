import type { NotebookPanel } from '@jupyterlab/notebook';

const LOST = ['restarting', 'autorestarting', 'terminating', 'dead'];

/**
 * Once the kernel of a notebook has run what it runs now, or is lost.
 *
 * It is asked something that it answers after that; its status would tell of other messages too.
 */
export async function whenRun(
  session: NotebookPanel['sessionContext'],
  signal: AbortSignal,
): Promise<void> {
  await session.ready;
  const kernel = session.session?.kernel;
  if (!kernel) return;
  await new Promise<void>((done) => {
    const end = () => {
      session.kernelChanged.disconnect(end);
      session.statusChanged.disconnect(told);
      done();
    };
    const told = (_: unknown, status: string) => LOST.includes(status) && end();
    session.kernelChanged.connect(end);
    session.statusChanged.connect(told);
    signal.addEventListener('abort', end, { once: true });
    kernel.requestCommInfo({ target_name: 'jaxviz' }).then(end, end);
  });
}
