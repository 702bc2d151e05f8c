/** A log in the element of a test. */
import { act } from 'preact/test-utils';
import type { LogSource } from '../src/log/mounted-log';
import type { Log } from '../src/schema';
import { mountLog } from '../src/shell';
import { ending, host } from './page';
import { until } from './until';

/** Has the code of logs read, which a page reads with its first log. */
export async function readLogCode(): Promise<void> {
  const element = document.createElement('div');
  const over = new AbortController();
  mountLog(element, { log: new Promise(() => {}), strip: false, kernel: null }, over.signal);
  await until(() => element.textContent !== '');
  over.abort();
}

/** Mounts a log, and waits until it is drawn, or until it is said why there is none. Returns what
 * shows a newer one in its place. */
export async function mountedLog(
  log: Promise<Log>,
  source: Partial<LogSource> = {},
): Promise<(log: Promise<Log>) => void> {
  let update: (log: Promise<Log>) => void = () => {};
  await act(async () => {
    update = mountLog(host, { log, strip: false, kernel: null, ...source }, ending.signal);
    await log.catch(() => {});
  });
  return update;
}
