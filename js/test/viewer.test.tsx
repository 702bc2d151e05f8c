/** The viewer opens files that `save` wrote, and files of its own site; of anything else it shows one sentence. Nothing
 * in a file is run, and no other server gets a request. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { linkText, readLinkText } from '../src/facts/wire/link';
import { viewer } from '../src/hosts/viewer';
import { addressIn, askedFor, contentOf } from '../src/hosts/viewer/sources';
import { entriesOf } from '../src/shell/export';
import { GOLDEN, golden, SENT, stageOf } from './fixtures';
import { host } from './page';
import { untilHolds } from './until';

const SITE = new URL('https://docs.example/jaxviz/');
const WIRE = SENT.get('lesson') as string;
const TEXT = readFileSync(join(GOLDEN, 'lesson.json'), 'utf8');

const page = (data: string, what = 'program', around = '') => `<!doctype html>${around}
  <script type="application/octet-stream" id="data" data-what="${what}"
    data-opening="{&quot;stage&quot;:&quot;jaxpr&quot;}" data-report="null">${data}</script>`;

const programIn = (text: string) => {
  const content = contentOf(text);
  if ('log' in content) throw new Error('It is a log.');
  return content.program;
};

test('a saved file and a saved page contain the same program', async () => {
  expect(await programIn(TEXT)).toEqual(golden('lesson'));
  expect((await programIn(page(WIRE))).name).toBe(golden('lesson').name);
});

test('nothing in a hostile page is run', async () => {
  const hostile = `<script>globalThis.ran = 'script'</script>
    <img src="https://evil.example/x.png" onerror="globalThis.ran = 'image'">
    <iframe srcdoc="<script>parent.ran = 'frame'</script>"></iframe>`;
  const asked = vi.spyOn(globalThis, 'fetch');
  expect((await programIn(page(WIRE, 'program', hostile))).name).toBe(golden('lesson').name);
  expect(globalThis).not.toHaveProperty('ran');
  expect(asked).not.toHaveBeenCalled();
  asked.mockRestore();
});

test.each([
  ['', 'Program.save did not write this file'],
  ['{"version": 6}', 'Program.save did not write this file'],
  ['<html><body>Hello</body></html>', 'jaxviz did not save this page'],
  ['<script id="data">e30=</script>', 'jaxviz did not save this page'],
  ['<div id="data" data-what="program"></div>', 'jaxviz did not save this page'],
  [page('no base64 at all!'), 'Its data is damaged.'],
  [page('e30='), 'Its data is damaged.'],
  [page('e30=', 'log'), 'Its data is damaged.'],
  [page(WIRE).replace('null', '{'), 'jaxviz did not save this page'],
])('one sentence says why %j is not shown', async (text, sentence) => {
  const read = async () => {
    const content = contentOf(text);
    await ('log' in content ? content.log : content.program);
  };
  await expect(read()).rejects.toThrow(sentence);
});

test.each([
  ['step.jaxviz.json', 'step.jaxviz.json'],
  ['en/files/my step.html', 'en/files/my%20step.html'],
  ['..step.json', '..step.json'],
])('%s is a file of the site', (path, address) => {
  expect(addressIn(SITE, path).href).toBe(`${SITE.href}${address}`);
});

test.each([
  '',
  '/step.json',
  '//evil.example/step.json',
  '\\\\evil.example\\step.json',
  '/\\evil.example/step.json',
  'https://evil.example/step.json',
  'https:evil.example',
  'javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,hello',
  'blob:https://docs.example/1',
  '../step.json',
  'en/../../step.json',
  '..',
  '%2e%2e/step.json',
  '.%2e/step.json',
  '\t//evil.example',
  'step.json?to=evil',
  'step.json#data',
])('%j is not a file of the site', (path) => {
  for (const site of [SITE, new URL('/', SITE)]) {
    expect(() => addressIn(site, path)).toThrow('The address must name a file of this site');
  }
});

describe('a link', () => {
  test('contains a program', async () => {
    const text = await linkText(golden('lesson'));
    expect(text).toMatch(/^[\w-]+$/);
    expect(await readLinkText(text)).toEqual({ program: golden('lesson'), report: null });
  });

  test.each(['', 'abc', '!', 'eJwDAAAAAAE'])('%j is damaged', async (text) => {
    await expect(readLinkText(text)).rejects.toThrow(/damaged|did not write/);
  });

  const exported = {
    program: golden('lesson'),
    stage: stageOf('lesson'),
    partial: null,
    selected: null,
    shown: () => null,
  };
  const linkIn = (site?: string, program = exported.program) =>
    entriesOf({ ...exported, program }, site)
      .flat()
      .find(({ label }) => label === 'Copy as a link');

  test('is offered only if the site has an address', () => {
    expect(linkIn()).toBeUndefined();
    expect(linkIn('')).toBeUndefined();
    expect(linkIn(SITE.href)).toBeDefined();
  });

  test('leads to the viewer, and is refused if it is too long', async () => {
    const writeText = vi.fn(() => Promise.resolve());
    vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
    await linkIn(SITE.href)?.run?.();
    const address = new URL((writeText.mock.calls as unknown[][])[0]?.[0] as string);
    expect(`${address.origin}${address.pathname}`).toBe('https://docs.example/jaxviz/view.html');
    expect(await askedFor(address, SITE)?.read()).toMatchObject({ report: null });
    const text = Array.from({ length: 40_000 }, () => Math.random().toString(36)).join('');
    const [stage, ...others] = exported.program.stages;
    const large = { ...exported.program, stages: [{ ...stage!, text }, ...others] };
    await expect(linkIn(SITE.href, large)?.run?.()).rejects.toThrow(/^The link would be .* long\./);
    vi.unstubAllGlobals();
  });
});

describe('on the page', () => {
  beforeEach(() => {
    host.dataset.site = '.';
    viewer(host);
  });
  afterEach(() => {
    host.replaceChildren();
  });

  const choose = (file: File) => {
    const input = host.querySelector('input') as HTMLInputElement;
    Object.defineProperty(input, 'files', { value: [file], configurable: true });
    input.dispatchEvent(new Event('change'));
  };

  test('a chosen file is shown, and after it a sentence about one that cannot be', async () => {
    choose(new File([TEXT], 'lesson.jaxviz.json'));
    await untilHolds(() => expect(host.textContent).toContain('Opened lesson.jaxviz.json.'));
    expect(host.querySelector('.jxv')).not.toBeNull();
    choose(new File(['<b>'], '<img src=x>.html'));
    await untilHolds(() =>
      expect(host.querySelector('[role=alert]')?.textContent).toBe(
        '<img src=x>.html could not be opened. jaxviz did not save this page, or a part of it is missing.',
      ),
    );
    expect(host.querySelector('.jxv')).toBeNull();
  });
});
