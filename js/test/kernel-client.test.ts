/** Questions to the kernel and its answers, over a channel that a test holds both ends of. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fromBase64 } from '../src/facts/wire';
import { KernelClient, type Question } from '../src/hosts/kernel-client';
import { english, golden, SENT } from './fixtures';

const LESSON = fromBase64(SENT.get('lesson')!);

const SOMETHING_ELSE = 'The kernel sent something other than was requested: run the cell again.';

let sent: Question[];
let client: KernelClient;
let progress: [string, number][];
let stopping: AbortController;

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  progress = [];
  client = new KernelClient((question) => sent.push(question));
  stopping = new AbortController();
});

afterEach(() => vi.useRealTimers());

const ask = (kind = 'jaxpr') =>
  client.stage(kind, (doing, seconds) => progress.push([doing, seconds]), stopping.signal);

test('the stage comes with the last message, and until then what is being done', async () => {
  const answer = ask();
  expect(sent).toEqual([{ ask: 1, stage: 'jaxpr' }]);
  vi.advanceTimersByTime(1000);
  client.receive({ ask: 1, doing: 'compiling', seconds: 1.5 }, []);
  vi.advanceTimersByTime(5000);
  client.receive({ ask: 1, done: true }, [LESSON]);
  expect(await answer).toEqual(golden('lesson'));
  expect(progress).toEqual([
    ['waiting for the kernel', 0.5],
    ['waiting for the kernel', 1],
    ['compiling', 1.5],
  ]);
  expect(vi.getTimerCount()).toBe(0);
});

test('what was lost with the connection is asked for anew', async () => {
  const answered = ask();
  client.receive({ ask: 1, done: true }, [LESSON]);
  await answered;
  const answer = ask();
  client.resend();
  expect(sent.slice(1)).toEqual([
    { ask: 2, stage: 'jaxpr' },
    { ask: 2, stage: 'jaxpr' },
  ]);
  client.receive({ ask: 2, done: true }, [LESSON]);
  expect(await answer).toEqual(golden('lesson'));
});

test('a log is asked for the program of an event, and for what differs between two', async () => {
  const { signal } = stopping;
  const one = client.program(17, () => undefined, signal);
  const two = client.compared(12, 17, () => undefined, signal);
  expect(sent).toEqual([
    { ask: 1, trace: 17 },
    { ask: 2, compare: [12, 17] },
  ]);
  client.receive({ ask: 1, done: true }, [LESSON]);
  client.receive({ ask: 2, done: true }, [LESSON]);
  expect(await Promise.allSettled([one, two])).toEqual([
    { status: 'fulfilled', value: golden('lesson') },
    { status: 'rejected', reason: new Error(SOMETHING_ELSE) },
  ]);
});

test('a buffer may be a view into a larger one', async () => {
  const answer = ask();
  const larger = new Uint8Array(LESSON.length + 9);
  larger.set(LESSON, 4);
  client.receive({ ask: 1, done: true }, [new DataView(larger.buffer, 4, LESSON.length)]);
  expect((await answer).name).toBe('lesson');
});

test('answers find their questions', async () => {
  const first = ask('hlo');
  const second = ask();
  expect(sent).toEqual([
    { ask: 1, stage: 'hlo' },
    { ask: 2, stage: 'jaxpr' },
  ]);
  client.receive({ ask: 2, done: true }, [LESSON]);
  client.receive({ ask: 1, error: english('There is no room.') }, []);
  expect(await Promise.allSettled([first, second])).toEqual([
    { status: 'rejected', reason: new Error('There is no room.') },
    { status: 'fulfilled', value: golden('lesson') },
  ]);
});

test('a kernel of an earlier format says why it cannot in a text', async () => {
  const answer = ask('hlo');
  client.receive({ ask: 1, error: 'There is no room.' }, []);
  await expect(answer).rejects.toThrow('There is no room.');
});

test('a stopped request no longer waits, and the kernel gets one stop', async () => {
  const answer = ask();
  stopping.abort();
  await expect(answer).rejects.toBe(stopping.signal.reason);
  expect(sent).toEqual([{ ask: 1, stage: 'jaxpr' }, { stop: 1 }]);
  client.receive({ ask: 1, done: true }, [LESSON]);
  await expect(ask()).rejects.toBe(stopping.signal.reason);
  expect(sent).toHaveLength(2);
  expect(vi.getTimerCount()).toBe(0);
});

test('all who wait hear that the channel is closed', async () => {
  const answers = [ask(), ask('hlo')];
  client.close('The kernel has ended.');
  const ended = { status: 'rejected', reason: new Error('The kernel has ended.') };
  expect(await Promise.allSettled(answers)).toEqual([ended, ended]);
});

test.each([
  ['another stage', [LESSON], 'hlo'],
  ['no buffer', [], 'jaxpr'],
  ['a buffer of something else', [new Uint8Array([1, 2, 3])], 'jaxpr'],
])('%s is a sentence', async (_, buffers, kind) => {
  const answer = ask(kind);
  client.receive({ ask: 1, done: true }, buffers);
  await expect(answer).rejects.toThrow(/\w+ .*\.$/);
});

test('no message of the kernel breaks the page', () => {
  const key = fc.constantFrom('ask', 'doing', 'seconds', 'error', 'stage', '__proto__');
  const message = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(key, fc.oneof(fc.constant(1), fc.jsonValue())),
  );
  fc.assert(
    fc.property(message, (one) => {
      const quiet = new KernelClient(() => undefined);
      quiet.stage('hlo', () => undefined, stopping.signal).catch(() => undefined);
      quiet.receive(one, []);
      quiet.close('The test is over.');
    }),
  );
});
