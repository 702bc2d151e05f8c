/**
 * What a page of JupyterLab or Notebook runs that has anywidget: once per kernel, and seen nowhere.
 *
 * That it runs proves that the page can draw. Once an output of this kernel is seen as a picture, it
 * fetches the script which puts the live view in its place; where our extension draws, none is.
 */
interface Comm {
  /** Once it has a shell of its own, which answers while a cell runs. */
  subshellStarted?: Promise<void>;
  onMsg: (message: { buffers?: (ArrayBuffer | DataView<ArrayBuffer>)[] }) => void;
  open(data: object): unknown;
  close(): unknown;
}

/** What a widget's model leads to in JupyterLab and Notebook, and perhaps nowhere else. */
interface Manager {
  kernel?: { createComm(target: string): Comm; supportsSubshells?: boolean };
  context?: { sessionContext?: unknown };
}

interface Model {
  get(trait: 'process'): string;
  send(content: object): void;
  widget_manager?: Manager;
}

async function initialize({ model }: { model: Model }): Promise<void> {
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

/** Once there is an element of that class in the page. */
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

/** Whether the kernel that made the model is there: one that was saved with a notebook has none. */
function isLive(model: Model): boolean {
  try {
    model.send({});
    return true;
  } catch {
    return false;
  }
}

export default { initialize };
