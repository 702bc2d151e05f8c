import type { ISessionContext } from '@jupyterlab/apputils';
import { KernelMessage, type Kernel as Kernels } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import type { Kernel, LogKernel } from '../../model/kernel';
import { VERSION } from '../../schema';
import { Asking } from '../asking';

const TARGET = 'jaxviz';
const AGAIN = 'run the cell again.';
const NONE = `The notebook has no kernel: choose one, and ${AGAIN}`;
const STRANGER = `The kernel that runs now did not make this program: ${AGAIN}`;
const OTHER = `The kernel has another version of jaxviz than this page: install the same, and ${AGAIN}`;
const ENDED = `The kernel that made this program has ended: ${AGAIN}`;
const LOST = ['restarting', 'autorestarting', 'terminating', 'dead', 'unknown'];

/** Asks the kernel of a notebook or console about what it knows as `key`, until the signal aborts. */
export function notebookKernel(
  session: ISessionContext,
  key: string,
  signal: AbortSignal,
): (Kernel & LogKernel) | null {
  if (key === '') return null;
  let comm: Promise<Kernels.IComm> | null = null;
  const asking = new Asking((question) => {
    const failed = (error: Error) => lost(error.message);
    if (comm) {
      comm.then((one) => one.send(question)).catch(failed);
      return;
    }
    const first = { version: VERSION, key, ...question };
    comm = opened(session, first, asking, () => lost(OTHER)).then(found);
    comm.catch(failed);
  });
  const lost = (reason: string) => {
    comm = null;
    asking.close(reason);
  };
  const changed = () => lost(ENDED);
  const told = (_: unknown, status: string) => {
    if (LOST.includes(status)) lost(ENDED);
  };
  session.kernelChanged.connect(changed);
  session.statusChanged.connect(told);
  signal.addEventListener('abort', () => {
    session.kernelChanged.disconnect(changed);
    session.statusChanged.disconnect(told);
    comm?.then((one) => one.close()).catch(() => undefined);
    lost('The view was closed.');
  });
  return asking;
}

function found(comm: Kernels.IComm | null): Kernels.IComm {
  if (!comm) throw new Error(STRANGER);
  return comm;
}

/** Who hears what the kernel says. */
interface Hearing {
  receive: (message: unknown, buffers: readonly (ArrayBuffer | ArrayBufferView)[]) => void;
}

/** A comm to the kernel, opened with `data`; null where the kernel has not loaded jaxviz. */
export async function opened(
  session: ISessionContext,
  data: JSONObject,
  hearing: Hearing,
  closed: () => void,
): Promise<Kernels.IComm | null> {
  await session.initialize(); // once it was tried; `ready` never comes where no kernel was chosen
  const kernel = session.session?.kernel;
  if (!kernel) throw new Error(NONE);
  await kernel.info;
  const comm: Kernels.IComm & OnSubshell = kernel.createComm(TARGET);
  if (kernel.supportsSubshells) await comm.subshellStarted;
  if (!(await listens(kernel, comm.subshellId))) {
    comm.dispose();
    return null;
  }
  comm.onMsg = ({ content, buffers = [] }) => hearing.receive(content.data, buffers);
  comm.onClose = closed;
  comm.open(data);
  return comm;
}

/** What JupyterLab's comms have beyond their interface: where the kernel answers while it is busy. */
interface OnSubshell {
  subshellId?: string | null;
  subshellStarted?: Promise<void>;
}

/** Whether the kernel has shown anything of jaxviz: one that has not prints an error when it is asked. */
async function listens(
  kernel: Kernels.IKernelConnection,
  subshellId: string | null | undefined,
): Promise<boolean> {
  const request = KernelMessage.createMessage<KernelMessage.ICommInfoRequestMsg>({
    msgType: 'comm_info_request',
    channel: 'shell',
    session: kernel.clientId,
    username: kernel.username,
    subshellId: subshellId ?? null,
    content: { target_name: TARGET },
  });
  const reply = (await kernel.sendShellMessage(request, true).done) as
    | KernelMessage.ICommInfoReplyMsg
    | undefined;
  return reply?.content.status === 'ok' && Object.keys(reply.content.comms).length > 0;
}
