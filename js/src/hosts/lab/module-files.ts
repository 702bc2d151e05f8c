/** Reads a compiler's file, StableHLO or HLO, with a kernel that is started for it and then shut down.
 * What the kernel answers is checked as a saved program is, since the file may contain anything. */
import type { Kernel, ServiceManager, Session } from '@jupyterlab/services';
import { UUID } from '@lumino/coreutils';
import { readSaved } from '../../facts/wire/saved-program';
import { __ } from '../../language';
import type { Program } from '../../schema';
import { whyAbsent } from './notebook-kernel';

const IMPORTS = 'import jaxviz, msgspec\nfrom IPython.display import JSON';

/** The program in the file at `path`. Rejects with one sentence where it holds none, and where no kernel
 * can read it. Once `signal` is aborted the kernel is shut down. */
export async function readByKernel(
  services: ServiceManager.IManager,
  path: string,
  signal: AbortSignal,
): Promise<Program> {
  const [folder = '', file = ''] = services.contents.localPath(path).split(/([^/]*)$/);
  const session = await started(services, `${folder}jaxviz-${UUID.uuid4()}`);
  try {
    const ended = new Promise<never>((_, reject) => {
      const end = () => reject(new Error(__('The kernel that read it has ended.')));
      signal.addEventListener('abort', end);
      session.disposed.connect(end);
      if (signal.aborted) end();
    });
    const { kernel } = session;
    if (kernel === null) throw new Error(__('The kernel that read it has ended.'));
    const saved = readSaved(JSON.stringify(await Promise.race([asked(kernel, file), ended])));
    if ('log' in saved) throw new Error(__('Its data is damaged.'));
    return saved.program;
  } finally {
    await session.shutdown().catch(() => undefined);
  }
}

/** A session of the first kernel for Python, which runs in the folder of `path`. */
async function started(
  { kernelspecs, sessions }: ServiceManager.IManager,
  path: string,
): Promise<Session.ISessionConnection> {
  await kernelspecs.ready;
  const { default: usual = '', kernelspecs: known = {} } = kernelspecs.specs ?? {};
  const name = [usual, ...Object.keys(known)].find((one) => known[one]?.language === 'python');
  if (name === undefined)
    throw new Error(__('Only a Python kernel reads such files, and none is installed.'));
  return sessions.startNew({ name: path, path, type: 'file', kernel: { name } });
}

/** The program as the kernel gives it. */
async function asked(kernel: Kernel.IKernelConnection, file: string): Promise<unknown> {
  const absent = await whyAbsent(kernel);
  if (absent !== null) throw new Error(absent);
  const load = `JSON(msgspec.to_builtins(jaxviz.load(${JSON.stringify(file)}).record))`;
  const request = { code: IMPORTS, silent: true, user_expressions: { program: load } };
  const reply = await kernel.requestExecute(request).done;
  const { program } = Object(Object(reply?.content).user_expressions) as { program?: Evaluated };
  if (program?.status !== 'ok') throw new Error(program?.evalue ?? '');
  return program.data?.['application/json'];
}

/** What a kernel says of an expression. */
interface Evaluated {
  status: string;
  /** Why it failed. */
  evalue?: string;
  data?: Record<string, unknown>;
}
