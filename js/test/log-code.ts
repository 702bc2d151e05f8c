/** Has the code of logs read, which a page reads with its first log. */
import { vi } from 'vitest';
import { mountLog } from '../src/view';

export async function readLogCode(): Promise<void> {
  const host = document.createElement('div');
  const ending = new AbortController();
  mountLog(host, { log: new Promise(() => {}), strip: false, kernel: null }, ending.signal);
  await vi.waitUntil(() => host.textContent !== '');
  ending.abort();
}
