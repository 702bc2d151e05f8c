/** The script that a page of JupyterLab or Notebook with anywidget runs once for each kernel. It
 * shows nothing. When an output of this kernel appears as a picture, it fetches the script that
 * puts a live view in its place. Our extension draws such outputs itself, so there is no picture
 * then. */
interface Comm {
  /** Resolves when the comm has a subshell, which answers while a cell runs. */
  subshellStarted?: Promise<void>;
  onMsg: (message: { buffers?: (ArrayBuffer | DataView<ArrayBuffer>)[] }) => void;
  open(data: object): unknown;
  close(): unknown;
}

/** Reached from the model of a widget in JupyterLab and Notebook; other hosts may lack it. */
interface Manager {
  kernel?: { createComm(target: string): Comm; supportsSubshells?: boolean };
  context?: { sessionContext?: unknown };
}

/** The model of the widget. It contains the id of the kernel's process. */
interface Model {
  get(trait: 'process'): string;
  send(content: object): void;
  widget_manager?: Manager;
}

/** Returns at once: anywidget reports an error after two seconds. */
function initialize({ model }: { model: Model }): void {
  loadWhenVisible(model).catch(() => undefined); // the pictures stay
}

async function loadWhenVisible(model: Model): Promise<void> {
  const { kernel, context } = model.widget_manager ?? {};
  if (!kernel || !context?.sessionContext) return;
  const process = model.get('process');
  await elementAppears(`jaxviz-in-${process}`);
  if (!isRunning(model)) return;
  const comm = kernel.createComm('jaxviz');
  comm.onMsg = ({ buffers: [script, style] = [] }) => {
    comm.close();
    if (script && style) runScript(script, style, context.sessionContext, process);
  };
  if (kernel.supportsSubshells) await comm.subshellStarted;
  comm.open({ script: process });
}

async function runScript(
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
function elementAppears(name: string): Promise<void> {
  const found = document.getElementsByClassName(name);
  return new Promise((done) => {
    const check = () => {
      if (found.length === 0) return;
      observer.disconnect();
      done();
    };
    const observer = new MutationObserver(check);
    observer.observe(document.body, { childList: true, subtree: true });
    check();
  });
}

/** True if the kernel of the model is running. A model saved with a notebook has no kernel. */
function isRunning(model: Model): boolean {
  try {
    model.send({});
    return true;
  } catch {
    return false;
  }
}

export default { initialize };
