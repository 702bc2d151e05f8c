/** The widget of any host: what it draws of what its model holds, and what it leaves behind. */
import { deflateSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import widget from '../src/hosts/widget';
import type { Log } from '../src/schema';
import { cause, log } from './logs';
import { host } from './page';
import { untilHolds } from './until';

type Callback = (...args: unknown[]) => void;

/** A model as a host of anywidgets has it: traits, and who hears of them. */
class Model {
  readonly heard = new Map<string, Callback>();
  readonly sent: unknown[] = [];
  readonly traits = new Map<string, unknown>();

  get = (name: string) => this.traits.get(name);
  send = (message: unknown) => void this.sent.push(message);
  on = (name: string, hear: Callback) => void this.heard.set(name, hear);
  off = (name: string) => void this.heard.delete(name);
}

const payload = (one: Log) => {
  const bytes = new Uint8Array(deflateSync(JSON.stringify(one)));
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
};

let model: Model;

beforeEach(() => {
  model = new Model();
  model.traits.set('what', 'log').set('strip', true);
  model.traits.set('payload', payload(log({ causes: [cause({ times: 2 })] })));
});

const show = (given: unknown = model): (() => void) =>
  widget.render({ model: given, el: host } as never);
const says = (text: string | RegExp) =>
  untilHolds(() => expect(host.textContent ?? '').toMatch(text));

test('a log that grows is shown by the same view, and nothing hears of it afterwards', async () => {
  const end = show();
  await says('2 times');
  const line = host.querySelector('.jxv-strip-line');
  model.traits.set('payload', payload(log({ causes: [cause({ times: 3 })] })));
  model.heard.get('change:payload')?.();
  await says('3 times');
  expect(host.querySelector('.jxv-strip-line')).toBe(line);
  end();
  expect(host.textContent).toBe('');
  expect(model.heard.size).toBe(0);
});

test('what is no log is one sentence', async () => {
  model.traits.set('payload', new DataView(new ArrayBuffer(3)));
  const end = show();
  await says(/^jaxviz cannot show this log\. Its data is damaged\.$/);
  end();
});

test('a page without a kernel shows a log, and can ask nobody', async () => {
  const end = show({ get: model.get });
  await says('2 times');
  end();
  expect(host.textContent).toBe('');
});

test('anything but a log is a program', async () => {
  model.traits.delete('what');
  const end = show();
  await says(/^jaxviz cannot show this program\. .*\.$/);
  end();
});
