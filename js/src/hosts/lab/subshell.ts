/** A subshell of a kernel: made when it is first needed, deleted when nobody uses it any more. */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { createMessage } from '@jupyterlab/services/lib/kernel/messages';

const SUBSHELL_FEATURE = 'kernel subshells';

/**
 * A second shell of a kernel, which answers while the main shell runs a cell (JEP 91).
 *
 * JupyterLab makes subshells too. But it asks the main shell whether the kernel supports them, and so
 * waits for the running cell after a page was reloaded. Here the control channel is asked, which always
 * answers. The subshell is deleted once all that called `hold` have called `release`.
 */
export class Subshell {
  readonly #kernel: Kernel.IKernelConnection;
  /** Null if the kernel supports none: then its main shell answers, when it is free. */
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

  /** Whether `id` is known. */
  get isMade(): boolean {
    return this.#isMade;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  hold(): void {
    this.#holders += 1;
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders > 0 || this.#isOver) return;
    this.#isOver = true;
    this.id.then((id) => this.#delete(id)).catch(() => undefined);
  }

  /** The subshell has ended together with its kernel. */
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
  const known = await Promise.race([kernel.info, null]);
  const { supported_features: features = [] } = known ?? (await askedInfo(kernel));
  return features.includes(SUBSHELL_FEATURE);
}

/** The kernel's info from its main shell or its control channel, whichever answers first: some kernels
 * give it on the main shell alone. */
async function askedInfo(kernel: Kernel.IKernelConnection): Promise<KernelMessage.IInfoReply> {
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
