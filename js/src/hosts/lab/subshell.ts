import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { createMessage } from '@jupyterlab/services/lib/kernel/messages';

const FEATURE = 'kernel subshells';

/**
 * A shell of a kernel's beside its main one, which answers while a cell runs (JEP 91).
 *
 * JupyterLab makes some too, but learns from the main shell whether there can be any: after a page
 * was reloaded it waits for the cell that runs. The control channel answers always. It lasts while
 * someone holds it.
 */
export class Subshell {
  readonly #kernel: Kernel.IKernelConnection;
  /** Null where the kernel has none: then its main shell answers, once it is free. */
  readonly id: Promise<string | null>;
  #holders = 0;
  #isMade = false;
  #isOver = false;

  constructor(kernel: Kernel.IKernelConnection) {
    this.#kernel = kernel;
    this.id = created(kernel);
    this.id.then(
      () => {
        this.#isMade = true;
      },
      () => this.lose(),
    );
  }

  /** Whether it is known if there is one. */
  get isMade(): boolean {
    return this.#isMade;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  hold(): void {
    this.#holders += 1;
  }

  /** The last one who held it ends it. */
  release(): void {
    this.#holders -= 1;
    if (this.#holders > 0 || this.#isOver) return;
    this.#isOver = true;
    this.id.then((id) => this.#delete(id)).catch(() => undefined);
  }

  /** It is gone with its kernel. */
  lose(): void {
    this.#isOver = true;
  }

  #delete(id: string | null): void {
    if (id === null || this.#kernel.isDisposed) return;
    const { username, clientId: session } = this.#kernel;
    const request = createMessage<KernelMessage.IDeleteSubshellRequestMsg>({
      msgType: 'delete_subshell_request',
      channel: 'control',
      username,
      session,
      content: { subshell_id: id },
    });
    this.#kernel.sendControlMessage(request, true).done.catch(() => undefined);
  }
}

async function created(kernel: Kernel.IKernelConnection): Promise<string | null> {
  if (!(await supported(kernel))) return null;
  const { username, clientId: session } = kernel;
  const request = createMessage<KernelMessage.ICreateSubshellRequestMsg>({
    msgType: 'create_subshell_request',
    channel: 'control',
    username,
    session,
    content: {},
  });
  const reply = await kernel.sendControlMessage(request, true).done;
  return (reply as KernelMessage.ICreateSubshellReplyMsg).content.subshell_id ?? null;
}

async function supported(kernel: Kernel.IKernelConnection): Promise<boolean> {
  const told = await Promise.race([kernel.info, null]);
  const { supported_features: features = [] } = told ?? (await asked(kernel));
  return features.includes(FEATURE);
}

/** What the main shell or the control channel says, whichever is first: some kernels answer on the
 * main shell alone. */
async function asked(kernel: Kernel.IKernelConnection): Promise<KernelMessage.IInfoReply> {
  const { username, clientId: session } = kernel;
  const request = createMessage<KernelMessage.IInfoRequestMsg>({
    msgType: 'kernel_info_request',
    channel: 'shell',
    username,
    session,
    content: {},
  });
  const onControl = { ...request, channel: 'control' } as unknown as KernelMessage.IControlMessage;
  const reply = kernel.sendControlMessage(onControl, true).done as Promise<unknown>;
  const info = reply.then((it) => (it as KernelMessage.IInfoReplyMsg).content);
  return Promise.race([kernel.info, info as Promise<KernelMessage.IInfoReply>]);
}
