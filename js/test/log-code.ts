/** Has the code of logs read, which a page reads with its first log. */
import { mountLog } from '../src/view';
import { until } from './until';

export async function readLogCode(): Promise<void> {
  const host = document.createElement('div');
  const ending = new AbortController();
  mountLog(host, { log: new Promise(() => {}), strip: false, kernel: null }, ending.signal);
  await until(() => host.textContent !== '');
  ending.abort();
}
