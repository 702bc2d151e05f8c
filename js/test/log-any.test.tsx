/** Whatever a notebook's file holds: a log that is read can be shown. */
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { act } from 'preact/test-utils';
import { beforeAll, expect, test, vi } from 'vitest';
import { readLog } from '../src/facts/wire';
import { type Log, VERSION } from '../src/schema';
import { mountLog } from '../src/shell';
import { anyRecord } from './arbitrary-records';
import { readLogCode } from './mounted-log';
import { ending, host, leave } from './page';

beforeAll(readLogCode);

const KINDS = ['trace', 'lower', 'compile'];

/** Logs that fit together, and nothing more. */
const LOGS = anyRecord('Log').map((data) => {
  const log = { ...(data as unknown as Log), version: VERSION };
  const kindOf = (text: string) => KINDS[text.length % KINDS.length] ?? 'trace';
  const events = log.events.map((one, index) => ({
    ...one,
    kind: kindOf(one.kind),
    number: 2 * index,
  }));
  const count = log.functions.length;
  const causes = count === 0 ? [] : log.causes;
  return {
    ...log,
    events,
    causes: causes.map((one) => ({
      ...one,
      kind: kindOf(one.kind),
      function: Math.abs(one.function) % count,
    })),
  };
});

test('any log that is read is shown, and a newer one in its place', async () => {
  const complaint = vi.spyOn(console, 'error');
  await fc.assert(
    fc.asyncProperty(LOGS, LOGS, fc.boolean(), async (one, next, isStrip) => {
      const strip = isStrip && !one.predict && !next.predict; // a strip asks for no prediction
      const [first, second] = await Promise.all([one, next].map(read));
      const kernel = {
        program: () => new Promise(() => {}),
        compared: () => new Promise(() => {}),
      };
      let update: (log: Promise<Log>) => void = () => {};
      await act(async () => {
        const source = { log: Promise.resolve(first as Log), strip, kernel: kernel as never };
        update = mountLog(host, source, ending.signal);
      });
      await act(async () => {
        host.querySelector<HTMLElement>('.jxv-strip-line')?.click();
      });
      await act(async () => update(Promise.resolve(second as Log)));
      expect(host.textContent).not.toContain('jaxviz cannot show this log');
      const shown = '.jxv-log, .jxv-log-quiet, .jxv-predict, .jxv-strip-line, .jxv-finding-line';
      expect(host.querySelector(shown)).not.toBeNull(); // a strip of findings alone has no line to click
      expect(host.querySelector('img, script, [id^="<"], [name]')).toBeNull();
      leave();
    }),
    { numRuns: 60 },
  );
  expect(complaint).not.toHaveBeenCalled();
}, 30_000);

const read = (log: Log): Promise<Log> => readLog(new Uint8Array(deflateSync(JSON.stringify(log))));
