/** An output of JupyterLab that holds a log: what its data may be, and what becomes of it. */
import { deflateSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLogDisplay } from '../src/hosts/lab/display';
import { LogOutput } from '../src/hosts/lab/output';
import { LOG_MIME, type Log, VERSION } from '../src/schema';
import { FIXED_PREFERENCES } from '../src/state/preferences';
import { cause, event, log } from './logs';
import { untilHolds } from './until';

const display = (one: Log) => ({
  version: VERSION,
  log: deflateSync(JSON.stringify(one)).toString('base64'),
  strip: true,
  key: 'k',
});

/** Draws nothing else of an output. */
const NOBODY = {
  preferredMimeType: () => undefined,
  createRenderer: () => expect.unreachable(),
};

let output: LogOutput;
let asked: string[];
let forgotten: number;
let run: () => void;

beforeEach(() => {
  asked = [];
  forgotten = 0;
  output = new LogOutput({
    listen: () => {},
    kernel: (key) => {
      asked.push(key);
      return null;
    },
    run: () =>
      new Promise((done) => {
        run = done;
      }),
    preferring: FIXED_PREFERENCES,
    rendermime: NOBODY,
    setFacts: () => undefined,
    forget: () => {
      forgotten += 1;
    },
  });
});
afterEach(() => output.dispose());

/** Shows an output, until the text is what is wanted: inflating takes its time. */
async function show(data: unknown, wanted: string | RegExp): Promise<void> {
  await output.renderModel({ data: { [LOG_MIME]: data }, metadata: {} } as never);
  await untilHolds(() => expect(text()).toMatch(wanted));
}

const text = () => output.node.textContent ?? '';
const grown = (times: number) => log({ events: [event({})], causes: [cause({ times })] });

test('an output that takes its place is shown by the same view', async () => {
  await show(display(grown(2)), '2 times');
  const line = output.node.querySelector('.jxv-strip-line');
  await show(display(grown(3)), '3 times');
  expect(output.node.querySelector('.jxv-strip-line')).toBe(line);
  expect(asked).toEqual(['k']);
});

test('that of another log by another one', async () => {
  await show(display(grown(2)), '2 times');
  await show({ ...display(grown(3)), key: 'another' }, '3 times');
  expect(asked).toEqual(['k', 'another']);
});

test('what is no log is one sentence', async () => {
  await show(display(grown(2)), '2 times');
  await show(
    { version: VERSION + 1 },
    new RegExp(`^This output is of format ${VERSION + 1}\\. .*\\.$`),
  );
  await show({ ...display(grown(2)), log: 'eJw=' }, /^jaxviz cannot show this log\. .*\.$/);
});

test('a log that stays as it was saved does not run for ever', async () => {
  await show(display(log({ running: true })), 'nothing has been retraced so far');
  run();
  await untilHolds(() => expect(text()).toContain('nothing was retraced'));
});

test('its marks in the notebook go with it', async () => {
  await show(display(grown(2)), '2 times');
  const before = forgotten;
  output.dispose();
  expect(forgotten).toBe(before + 1);
  expect(text()).toBe('');
});

test.each([
  ['nothing', undefined],
  ['a list', []],
  ['no log', { version: VERSION, strip: true, key: '' }],
  ['a strip that is none', { version: VERSION, log: '', strip: 1, key: '' }],
  ['a number for a key', { version: VERSION, log: '', strip: true, key: 1 }],
  ['too much', { version: VERSION, log: 'e'.repeat(4_000_001), strip: true, key: '' }],
])('%s is refused in one sentence', (_, data) => {
  expect(readLogDisplay(data)).toMatch(/^This output .*\.$/);
});

test('no more than its own fields are taken from a display', () => {
  const whole = { version: VERSION, jaxviz: '0.1.0', log: 'eJw=', strip: false, key: 'k' };
  expect(readLogDisplay({ ...whole, more: 1 })).toEqual(whole);
});
