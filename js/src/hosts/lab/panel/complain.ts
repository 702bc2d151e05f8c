import { Notification } from '@jupyterlab/apputils';

/** Says what went wrong, as one sentence. */
export function complain(error: unknown): void {
  Notification.warning(`jaxviz: ${error instanceof Error ? error.message : String(error)}`);
}
