/** Sentences that JupyterLab shows in a corner of the page. */
import { Notification } from '@jupyterlab/apputils';

/** How long a sentence is shown, ms. Without a time JupyterLab only counts it at its bell. */
const autoClose = 8000;

export function say(text: string): void {
  Notification.info(text, { autoClose });
}

/** Shows what went wrong. */
export function complain(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  Notification.warning(`jaxviz: ${text}`, { autoClose });
}
