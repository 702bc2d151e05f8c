import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, type Locator, type Page, type Request, test } from '@playwright/test';
import * as notebook from './notebook';
import { choose, details, outline, passesAxe, screenshot, text, view } from './notebook';
import { slow } from './slow';

/** Saves a program that was captured before, so that no JAX is loaded here. */
const SAVE = `import sys, jaxviz
jaxviz.load('../tests/golden/train_step.json').save(sys.argv[1])`;

/** True if a script reads one of its own parts, which sends no request. */
const isOwnPart = (request: Request) => request.url().startsWith('blob:');

for (const colorScheme of ['light', 'dark'] as const) {
  test(`a program saved as a page shows itself, offline, in ${colorScheme}`, async ({
    browser,
  }, info) => {
    const file = info.outputPath('step.html');
    execFileSync('python', ['-c', SAVE, file]);
    const address = pathToFileURL(file).href;
    const context = await browser.newContext({ colorScheme, baseURL: address, offline: true });
    const page = await context.newPage();
    const asked: string[] = [];
    const output: string[] = [];
    page.on('request', (request) => isOwnPart(request) || asked.push(request.url()));
    page.on('console', (message) => output.push(message.text()));
    page.on('pageerror', (error) => output.push(error.message));
    await page.goto(address);
    const shown = view(page, 'train_step');
    await expect(shown).toBeVisible();
    await expect(outline(shown).getByRole('treeitem', { name: /^forward/ })).toBeVisible();
    await choose(shown, 'Expand all');
    await expect(outline(shown).getByRole('treeitem', { name: /^max/ }).first()).toBeVisible();
    const ground = await shown.locator('.jxv-frame').evaluate((frame) => {
      return getComputedStyle(frame).backgroundColor;
    });
    expect(ground).toBe(colorScheme === 'dark' ? 'rgb(22, 24, 27)' : 'rgb(255, 255, 255)');
    await screenshot(shown, `page-${colorScheme}`);
    expect(asked).toEqual([address]);
    expect(output).toEqual([]);
    await context.close();
  });
}

test('the policy of a saved page lets nothing in', async ({ page }, info) => {
  const file = info.outputPath('step.html');
  execFileSync('python', ['-c', SAVE, file]);
  await page.goto(pathToFileURL(file).href);
  await expect(view(page, 'train_step')).toBeVisible();
  const asked: string[] = [];
  page.on('request', (request) => isOwnPart(request) || asked.push(request.url()));
  const refused = await page.evaluate(async () => {
    const script = document.createElement('script');
    script.textContent = 'globalThis.fallen = 1';
    document.body.append(script);
    const reply = await fetch('https://stranger.test/').then(
      () => 'answered',
      () => 'refused',
    );
    return [reply, Reflect.get(globalThis, 'fallen')];
  });
  expect(refused).toEqual(['refused', undefined]);
  expect(asked).toEqual([]);
});

/** A saved program as a page of its own, shown. */
async function open(page: Page, file: string): Promise<Locator> {
  execFileSync('python', ['-c', SAVE, file]);
  await page.goto(pathToFileURL(file).href);
  const shown = view(page, 'train_step');
  await expect(shown).toBeVisible();
  return shown;
}

/** The file that an entry of the menu saves: its name and its bytes. */
async function exported(page: Page, of: Locator, entry: string): Promise<[string, Buffer]> {
  const [saved] = await Promise.all([page.waitForEvent('download'), choose(of, entry)]);
  await expect(of.getByText(`Saved ${saved.suggestedFilename()}.`)).toBeVisible();
  return [saved.suggestedFilename(), readFileSync(await saved.path())];
}

/** Opens an SVG as a file, and returns its size, its texts and errors. */
function opened(page: Page, svg: string) {
  return page.evaluate((source) => {
    const found = new DOMParser().parseFromString(source, 'image/svg+xml');
    return {
      broken: found.querySelector('parsererror') !== null,
      size: ['width', 'height'].map((side) => Number(found.documentElement.getAttribute(side))),
      texts: [...found.querySelectorAll('text')].map((one) => one.textContent),
    };
  }, svg);
}

/** Counts the colours of large parts of a bitmap. A blank one has one. */
function coloursIn(page: Page, png: Buffer): Promise<number> {
  return page.evaluate(async (source) => {
    const image = new Image();
    image.src = `data:image/png;base64,${source}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.width;
    canvas.height = image.height;
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const counts = new Map<number, number>();
    for (const pixel of new Uint32Array(data.buffer)) {
      counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
    }
    return [...counts.values()].filter((count) => count > 1000).length;
  }, png.toString('base64'));
}

test('the menu saves files that open', async ({ page }, info) => {
  const shown = await open(page, info.outputPath('step.html'));
  await choose(shown, 'Expand all'); // more boxes are open than are visible
  const sizes: number[][] = [];
  for (const [part, suffix] of [
    ['the visible part', ''],
    ['everything that is open', '-all'],
  ]) {
    const [svgName, svg] = await exported(page, shown, `SVG of ${part}`);
    const { broken, size, texts } = await opened(page, svg.toString());
    expect([svgName, broken]).toEqual([`train_step${suffix}.svg`, false]);
    expect(texts[0]).toMatch(/^train_step\(params, batch\) → /);
    expect(texts).toContain('forward');
    sizes.push(size);

    const [pngName, png] = await exported(page, shown, `PNG of ${part}`);
    expect(pngName).toBe(`train_step${suffix}.png`);
    expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    const pixels = [png.readUInt32BE(16), png.readUInt32BE(20)];
    expect(pixels).toEqual(size.map((side) => 2 * side));
    expect(await coloursIn(page, png)).toBeGreaterThan(5);
  }
  expect(sizes[1]?.[1]).toBeGreaterThan(sizes[0]?.[1] ?? 0);

  const [textName, jaxpr] = await exported(page, shown, 'Text of the jaxpr');
  const [dotName, dot] = await exported(page, shown, 'DOT for Graphviz');
  const [jsonName, json] = await exported(page, shown, 'JSON for jaxviz.load');
  expect([textName, dotName, jsonName]).toEqual([
    'train_step.jaxpr.txt',
    'train_step.dot',
    'train_step.jaxviz.json',
  ]);
  expect(dot.toString()).toContain('digraph program {');
  const saved = info.outputPath('train_step.json');
  writeFileSync(saved, json);
  const check = `import sys, jaxviz
read, golden = jaxviz.load(sys.argv[1]), jaxviz.load('../tests/golden/train_step.json')
print(read == golden, end='')
assert sys.stdin.read() == golden.stage('jaxpr').text`;
  expect(execFileSync('python', ['-c', check, saved], { input: jaxpr }).toString()).toBe('True');
});

slow(test)('text and pictures are copied', async ({ page, context }, info) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const shown = await open(page, info.outputPath('step.html'));
  const copied = () => page.evaluate(() => navigator.clipboard.readText());

  await outline(shown)
    .getByRole('treeitem', { name: /^forward/ })
    .focus();
  await page.keyboard.press('Enter');
  await choose(shown, 'Expand all');
  await text(shown).getByText('reduce_sum').first().click();
  await expect(details(shown)).toContainText('reduce_sum');
  await choose(shown, 'Copy the text of the selection');
  await expect(shown.getByText('Copied the text of the selection.')).toBeVisible();
  expect(await copied()).toMatch(/^\w+:f32\[\] = reduce_sum\[axes=\(0, 1\)/);

  await choose(shown, 'Copy the picture');
  await expect(shown.getByText('Copied the picture.')).toBeVisible();
  const types = await page.evaluate(async () => {
    return (await navigator.clipboard.read()).flatMap((item) => item.types);
  });
  expect(types).toContain('image/png');

  await choose(shown, 'Offline page: copy');
  expect(await copied()).toBe("program.save('train_step.html')");

  await text(shown).click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.press('ControlOrMeta+C');
  const golden = JSON.parse(readFileSync('../tests/golden/train_step.json', 'utf8'));
  expect(await copied()).toBe(golden.stages[0].text);

  await text(shown).getByText('reduce_sum').first().click();
  const title = details(shown).locator('.jxv-title');
  await title.click({ clickCount: 3 });
  await page.keyboard.press('ControlOrMeta+C');
  expect((await copied()).trim()).toBe(await title.textContent());
});

slow(notebook.test)('in a notebook too the menu saves a picture', async ({ page, tmpPath }) => {
  await notebook.run(page, `${tmpPath}/lesson.ipynb`, [notebook.LOAD, notebook.LESSON]);
  const lesson = view(page, 'lesson');
  const [name, svg] = await exported(page, lesson, 'SVG of everything that is open');
  expect(name).toBe('lesson-all.svg');
  const { texts } = await opened(page, svg.toString());
  expect(texts).toContain('reduce_sumaxes=(0,)'); // a gap separates the axes
  const button = lesson.getByRole('button', { name: 'More', exact: true });
  await button.click();
  await expect(page.getByRole('menu')).toBeInViewport({ ratio: 1 });
  await passesAxe(page, '.jxv-menu');
  await page.keyboard.press('Escape');
  await expect(button).toBeFocused();
});
