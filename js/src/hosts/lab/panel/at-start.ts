import type { ISessionContext } from '@jupyterlab/apputils';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { KernelMessage } from '@jupyterlab/services';
import type { Settings } from '../settings';
import { once } from './once';
import type { Retraces } from './retraces';

const LOADS = /^\s*(?:%load_ext|%reload_ext)\s+jaxviz\s*$/m;

/** Watches each notebook's kernel as soon as a cell has loaded jaxviz, where the settings say so. */
export function watchAtStart(
  notebooks: INotebookTracker,
  settings: Settings,
  retraces: Retraces,
): void {
  const loading = new Set<ISessionContext>();
  const hear = (session: ISessionContext, message: KernelMessage.IMessage) => {
    const { header, content, parent_header: parent } = message;
    if (!settings.watchesAtStart) return;
    const { code, execution_state: state } = Object(content) as Record<string, unknown>;
    if (header.msg_type === 'execute_input' && typeof code === 'string' && LOADS.test(code)) {
      loading.add(session);
    } else if (state === 'idle' && 'msg_type' in parent && parent.msg_type === 'execute_request') {
      if (!loading.delete(session)) return;
      once(session, { watch: true }).then(
        () => retraces.watch(session, true),
        () => undefined, // the cell failed to load it, and says so itself
      );
    }
  };
  const follow = ({ sessionContext }: NotebookPanel) => sessionContext.iopubMessage.connect(hear);
  notebooks.forEach(follow);
  notebooks.widgetAdded.connect((_, notebook) => follow(notebook));
}
