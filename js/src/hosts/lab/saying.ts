import { Notification } from '@jupyterlab/apputils';

/** Milliseconds that a sentence is seen: without a time JupyterLab only counts it, at its bell. */
const autoClose = 8000;

export function say(text: string): void {
  Notification.info(text, { autoClose });
}

/** Says what went wrong, as one sentence. */
export function complain(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  Notification.warning(`jaxviz: ${text}`, { autoClose });
}
