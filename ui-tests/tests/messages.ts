/** Messages between pages and kernels. */
import type { Page } from '@playwright/test';

/** All messages from now on, by their types; those of the panel by that. */
export function messages(page: Page): string[] {
  const said: string[] = [];
  page.on('websocket', (socket) => {
    if (!socket.url().includes('/channels')) return;
    socket.on('framesent', ({ payload }) => said.push(`sent ${kindOf(payload)}`));
    socket.on('framereceived', ({ payload }) => said.push(`came ${kindOf(payload)}`));
  });
  return said;
}

/** Those of the panel, and whatever pages say over comms. */
export const ofPanel = (said: string[]): string[] =>
  said.filter((one) => / panel$|^sent comm_(open|msg|close)/.test(one));

function kindOf(payload: string | Buffer): string {
  const text = payload.toString();
  const isOfPanel = /"target_name": ?"jaxviz"|"(?:follow|state)": ?true|"heard": ?\d/.test(text);
  return isOfPanel ? 'panel' : (/"msg_type": ?"(\w+)"/.exec(text)?.[1] ?? 'something');
}
