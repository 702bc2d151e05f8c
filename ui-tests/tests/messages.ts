/** Messages between pages and kernels. */
import type { Page } from '@playwright/test';

/** Records all messages from now on, each by its type, or as one of the panel. */
export function messages(page: Page): string[] {
  const sent: string[] = [];
  page.on('websocket', (socket) => {
    if (!socket.url().includes('/channels')) return;
    socket.on('framesent', ({ payload }) => sent.push(`sent ${kindOf(payload)}`));
    socket.on('framereceived', ({ payload }) => sent.push(`came ${kindOf(payload)}`));
  });
  return sent;
}

/** The messages of the panel, and all that pages send over comms. */
export const ofPanel = (sent: string[]): string[] =>
  sent.filter((one) => / panel$|^sent comm_(open|msg|close)/.test(one));

function kindOf(payload: string | Buffer): string {
  const text = payload.toString();
  const isOfPanel = /"target_name": ?"jaxviz"|"(?:follow|state)": ?true|"heard": ?\d/.test(text);
  return isOfPanel ? 'panel' : (/"msg_type": ?"(\w+)"/.exec(text)?.[1] ?? 'something');
}
