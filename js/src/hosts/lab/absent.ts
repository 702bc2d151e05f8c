import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { createMessage } from '@jupyterlab/services/lib/kernel/messages';
import { __ } from '../../language';

/** In the headers of what we ask, so that nobody takes it for a cell. */
export const USERNAME = 'jaxviz';

const INSTALLED = "__import__('importlib.util').util.find_spec('jaxviz') is not None";
const PYTHON = "'%d.%d' % __import__('sys').version_info[:2]";

/**
 * Why a kernel knows nothing of jaxviz, where that is because it is not installed: one sentence. Null
 * where it only was not loaded, and where the kernel does not say.
 *
 * It is answered once the cell that runs has ended.
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
      user_expressions: { installed: INSTALLED, python: PYTHON },
    },
  });
  const reply = (await kernel.sendShellMessage(request, true).done) as
    | KernelMessage.IExecuteReplyMsg
    | undefined;
  const { user_expressions: said } = Object(reply?.content) as { user_expressions?: unknown };
  if (shownOf(said, 'installed') !== 'False') return null;
  const python = shownOf(said, 'python').replaceAll("'", '');
  const name = (await kernel.spec)?.display_name ?? kernel.name;
  return __('jaxviz is not installed in this kernel’s environment (Python %1, %2).', python, name);
}

export const toInstall = (): string =>
  __('Run %pip install jupyterlab-jaxviz in a cell, then %load_ext jaxviz.');

/** The text of an expression's value; empty where it failed. */
function shownOf(said: unknown, name: string): string {
  const { data } = Object(Object(said)[name]) as { data?: Record<string, unknown> };
  return String(data?.['text/plain'] ?? '');
}
