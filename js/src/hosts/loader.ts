/** What a page of JupyterLab or Notebook with anywidget runs, once for each kernel, without showing
 * anything. That it runs proves that the page can run our scripts. When an output of this kernel is
 * seen as a picture, it fetches the script that puts a live view in its place. Where our extension
 * draws the outputs, there is no such picture. */
interface Comm {
  /** Resolves when the comm has a subshell, which answers while a cell runs. */
  subshellStarted?: Promise<void>;
  onMsg: (message: { buffers?: (ArrayBuffer | DataView<ArrayBuffer>)[] }) => void;
  open(data: object): unknown;
  close(): unknown;
}

/** What the model of a widget leads to in JupyterLab and Notebook; other hosts may lack it. */
interface Manager {
  kernel?: { createComm(target: string): Comm; supportsSubshells?: boolean };
  context?: { sessionContext?: unknown };
}

/** The model of the widget, by which the kernel names its process. */
interface Model {
  get(trait: 'process'): string;
  send(content: object): void;
  widget_manager?: Manager;
}

/** Returns at once: anywidget reports as failed what takes more than two seconds. */
function initialize({ model }: { model: Model }): void {
  comeWhenSeen(model).catch(() => undefined); // the pictures stay
}

async function comeWhenSeen(model: Model): Promise<void> {
  const { kernel, context } = model.widget_manager ?? {};
  if (!kernel || !context?.sessionContext) return;
  const process = model.get('process');
  await seen(`jaxviz-in-${process}`);
  if (!isLive(model)) return;
  const comm = kernel.createComm('jaxviz');
  comm.onMsg = ({ buffers: [script, style] = [] }) => {
    comm.close();
    if (script && style) begin(script, style, context.sessionContext, process);
  };
  if (kernel.supportsSubshells) await comm.subshellStarted;
  comm.open({ script: process });
}

/** Runs the script that puts live views in place. */
async function begin(
  script: BlobPart,
  style: BlobPart,
  session: unknown,
  process: string,
): Promise<void> {
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const { attend } = await import(url);
  URL.revokeObjectURL(url);
  attend(session, process, await new Blob([style]).text());
}

/** Resolves when the page has an element of that class. */
function seen(name: string): Promise<void> {
  const found = document.getElementsByClassName(name);
  return new Promise((done) => {
    const look = () => {
      if (found.length === 0) return;
      observer.disconnect();
      done();
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    look();
  });
}

/** Whether the kernel that made the model is there. A model that was saved with a notebook has
 * none. */
function isLive(model: Model): boolean {
  try {
    model.send({});
    return true;
  } catch {
    return false;
  }
}

export default { initialize };
