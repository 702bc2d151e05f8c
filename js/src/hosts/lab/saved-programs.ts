/** Opens files of programs, reports and logs in tabs. The page reads those that jaxviz saved.
 * StableHLO and HLO of compilers are read by a kernel. */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin,
} from '@jupyterlab/application';
import { WidgetTracker } from '@jupyterlab/apputils';
import { ABCWidgetFactory, type DocumentRegistry, DocumentWidget } from '@jupyterlab/docregistry';
import type { Kernel, ServiceManager, Session } from '@jupyterlab/services';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { UUID } from '@lumino/coreutils';
import { Widget } from '@lumino/widgets';
import { readSaved } from '../../facts/wire/saved-file';
import { __ } from '../../language';
import type { Log, Program, Report } from '../../schema';
import { mount, mountLog } from '../../shell';
import type { PreferenceSource } from '../../state/preferences';
import { whyAbsent } from './notebook-kernel';
import { icon } from './panel/panel-commands';
import { ISettings, type Settings } from './settings';

/** Files that jaxviz saved, and the tabs that a double-click opens. JupyterLab saves these names
 * with the layout of the page. */
const SAVED_FILES = {
  name: 'jaxviz-program',
  extensions: ['.jaxviz.json'],
  mimeTypes: ['application/json'],
  icon,
};
const SAVED_TABS = {
  name: 'jaxviz program',
  modelName: 'text',
  fileTypes: [SAVED_FILES.name, 'json'],
  defaultFor: [SAVED_FILES.name],
};
/** The same for the files of compilers. `.txt` and `.pb` are used by others too, so they are under
 * Open With. */
const MODULE_FILES = {
  name: 'jaxviz-module',
  extensions: ['.mlir', '.mlirbc', '.stablehlo', '.hlo', '.hlo.pb'],
  fileFormat: 'base64' as const,
  icon,
};
const MODULE_TABS = {
  name: 'jaxviz module',
  modelName: 'base64',
  fileTypes: [MODULE_FILES.name, 'text'],
  defaultFor: [MODULE_FILES.name],
};

type Context = DocumentRegistry.IContext<DocumentRegistry.IModel>;
type Tab = DocumentWidget<SavedProgram>;
type Options = DocumentRegistry.IWidgetFactoryOptions<Tab>;
type FileContent = { log: Log } | { program: Promise<Program>; report: Report | null };
type ReadFile = (context: Context, signal: AbortSignal) => FileContent;

/** The content of a file, shown again whenever the file is read again. */
class SavedProgram extends Widget {
  readonly #context: Context;
  readonly #preferring: PreferenceSource;
  readonly #read: ReadFile;
  #shown = new AbortController();

  constructor(context: Context, preferring: PreferenceSource, read: ReadFile) {
    super();
    this.#context = context;
    this.#preferring = preferring;
    this.#read = read;
    this.addClass('jp-jaxviz-file');
    void context.ready.then(() => {
      if (this.isDisposed) return;
      context.model.contentChanged.connect(this.#show);
      void this.#show();
    });
  }

  override dispose(): void {
    if (this.isDisposed) return;
    if (this.#context.isReady) this.#context.model.contentChanged.disconnect(this.#show);
    this.#shown.abort();
    super.dispose();
  }

  readonly #show = async (): Promise<void> => {
    this.#shown.abort();
    this.#shown = new AbortController();
    const preferring = this.#preferring;
    const { signal } = this.#shown;
    await preferring.ready;
    if (signal.aborted) return;
    const shown = this.#read(this.#context, signal);
    const source = { kernel: null, preferring };
    if ('log' in shown) {
      mountLog(this.node, { ...source, log: Promise.resolve(shown.log), strip: false }, signal);
    } else mount(this.node, { ...source, ...shown, partial: null, opening: {} }, signal);
  };
}

function readFile({ model }: Context): FileContent {
  try {
    const saved = readSaved(model.toString());
    return 'log' in saved ? saved : { ...saved, program: Promise.resolve(saved.program) };
  } catch (error) {
    return { program: Promise.reject(error), report: null };
  }
}

class SavedProgramFactory extends ABCWidgetFactory<Tab> {
  readonly #preferring: PreferenceSource;
  readonly #read: ReadFile;

  constructor(options: Options, preferring: PreferenceSource, read: ReadFile) {
    super(options);
    this.#preferring = preferring;
    this.#read = read;
  }

  protected override createNewWidget(context: Context): Tab {
    const content = new SavedProgram(context, this.#preferring, this.#read);
    const widget = new DocumentWidget({ content, context });
    widget.toolbar.hide();
    widget.title.icon = icon;
    return widget;
  }
}

export const savedProgramsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-jaxviz:saved-programs',
  description: 'Opens what jaxviz saved, StableHLO and HLO from the file browser.',
  autoStart: true,
  requires: [ISettings],
  optional: [ILayoutRestorer, ITranslator],
  activate: (
    { docRegistry, serviceManager }: JupyterFrontEnd,
    settings: Settings,
    restorer: ILayoutRestorer | null,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyterlab_jaxviz');
    const open = (options: Options, read: ReadFile) => {
      const { name: factory } = options;
      const opened = new SavedProgramFactory({ ...options, readOnly: true }, settings, read);
      const tabs = new WidgetTracker<Tab>({ namespace: `${factory.replace(' ', '-')}s` });
      opened.widgetCreated.connect((_, widget) => void tabs.add(widget));
      // JupyterLab's type of factories is stricter about undefined values than its class.
      docRegistry.addWidgetFactory(opened as DocumentRegistry.WidgetFactory);
      void restorer?.restore(tabs, {
        command: 'docmanager:open',
        args: ({ context }) => ({ path: context.path, factory }),
        name: ({ context }) => context.path,
      });
    };
    const saved = trans.__('JAX program');
    docRegistry.addFileType({ ...SAVED_FILES, displayName: saved });
    open({ ...SAVED_TABS, label: saved }, readFile);
    const module = trans.__('StableHLO or HLO');
    docRegistry.addFileType({ ...MODULE_FILES, displayName: module });
    open({ ...MODULE_TABS, label: module }, ({ path }, signal) => ({
      program: readByKernel(serviceManager, path, signal),
      report: null,
    }));
  },
};

const IMPORTS = 'import jaxviz, msgspec\nfrom IPython.display import JSON';

/** The program in the file at `path`. Rejects with one sentence if the file contains none or no
 * kernel can read it. The kernel is shut down at the end, and when `signal` aborts. */
async function readByKernel(
  services: ServiceManager.IManager,
  path: string,
  signal: AbortSignal,
): Promise<Program> {
  const [folder = '', file = ''] = services.contents.localPath(path).split(/([^/]*)$/);
  const session = await startKernel(services, `${folder}jaxviz-${UUID.uuid4()}`);
  try {
    const ended = new Promise<never>((_, reject) => {
      const end = () => reject(new Error(__('The kernel that read it has ended.')));
      signal.addEventListener('abort', end);
      session.disposed.connect(end);
      if (signal.aborted) end();
    });
    const { kernel } = session;
    if (kernel === null) throw new Error(__('The kernel that read it has ended.'));
    const saved = readSaved(JSON.stringify(await Promise.race([loadedBy(kernel, file), ended])));
    if ('log' in saved) throw new Error(__('Its data is damaged.'));
    return saved.program;
  } finally {
    await session.shutdown().catch(() => undefined);
  }
}

/** A session of the first Python kernel, in the folder of `path`. */
async function startKernel(
  { kernelspecs, sessions }: ServiceManager.IManager,
  path: string,
): Promise<Session.ISessionConnection> {
  await kernelspecs.ready;
  const { default: preferred = '', kernelspecs: specs = {} } = kernelspecs.specs ?? {};
  const name = [preferred, ...Object.keys(specs)].find((one) => specs[one]?.language === 'python');
  if (name === undefined)
    throw new Error(__('Opening this file needs a Python kernel, and none is installed.'));
  return sessions.startNew({ name: path, path, type: 'file', kernel: { name } });
}

/** The program that a kernel reads from a file. */
async function loadedBy(kernel: Kernel.IKernelConnection, file: string): Promise<unknown> {
  const absent = await whyAbsent(kernel);
  if (absent !== null) throw new Error(absent);
  const load = `JSON(msgspec.to_builtins(jaxviz.load(${JSON.stringify(file)}).record))`;
  const request = { code: IMPORTS, silent: true, user_expressions: { program: load } };
  const reply = await kernel.requestExecute(request).done;
  const { program } = Object(Object(reply?.content).user_expressions) as { program?: Evaluated };
  if (program?.status !== 'ok') throw new Error(program?.evalue ?? '');
  return program.data?.['application/json'];
}

/** A kernel's value of an expression. */
interface Evaluated {
  status: string;
  /** The message of the error. */
  evalue?: string;
  data?: Record<string, unknown>;
}
