/** Sentences that JupyterLab shows in a corner of the page. */
import { Notification } from '@jupyterlab/apputils';

/** The time for which a sentence is shown, ms. Without one, JupyterLab only counts it at its bell. */
const autoClose = 8000;

export function say(text: string): void {
  Notification.info(text, { autoClose });
}

export function complain(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  Notification.warning(`jaxviz: ${text}`, { autoClose });
}
