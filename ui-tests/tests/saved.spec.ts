import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { Locator } from '@playwright/test';
import {
  expect,
  LESSON,
  LOAD,
  type Notebook,
  openOutline,
  openWithoutKernel,
  run,
  screenshot,
  test,
  view,
} from './notebook';
import { slow } from './slow';

/** More eqns than a saved output can hold. */
const LONG = `def long(x):
    for i in range(5000):
        x = jnp.sin(x * (0.5 + i / 7)) + x
    return x
%jaxviz long(1.0)`;

test('a notebook that was run shows the same program again, untrusted and without a kernel', async ({
  page,
  request,
  baseURL,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/run.ipynb`, [LOAD, LESSON]);
  const before = await rows(view(page, 'lesson'));
  expect(before).toHaveLength(6);
  await page.notebook.save();
  await page.notebook.close();
  await page.notebook.openByPath(`${tmpPath}/run.ipynb`);
  await expect.poll(() => isColoured(view(page, 'lesson'))).toBe(true);
  await page.notebook.close();

  const reply = await request.get(`${baseURL}/api/contents/${tmpPath}/run.ipynb`);
  const { content } = (await reply.json()) as { content: Notebook };
  content.metadata = { title: 'A file from somewhere else' };
  await openWithoutKernel(page, `${tmpPath}/strange.ipynb`, content);
  expect(await rows(view(page, 'lesson'))).toEqual(before);
  await screenshot(view(page, 'lesson'), 'untrusted');
});

slow(test)(
  'a program too large to save is shown whole while its kernel lives',
  async ({ page, tmpPath }) => {
    await run(page, `${tmpPath}/long.ipynb`, [LOAD, LONG]);
    const long = view(page, 'long');
    await expect(long.getByText(/only an overview .* is saved/)).toHaveCount(0);
    const tree = await openOutline(long);
    await tree.getByRole('treeitem', { expanded: false }).first().click();
    await page.keyboard.press('ArrowRight');
    await expect(tree.getByRole('treeitem', { level: 2 }).first()).toBeVisible();
  },
);

slow(test)('nbconvert shows the picture', async ({ page, request, baseURL, tmpPath }, info) => {
  await run(page, `${tmpPath}/page.ipynb`, [LOAD, LESSON]);
  await page.notebook.save();
  const reply = await request.get(`${baseURL}/api/contents/${tmpPath}/page.ipynb`);
  const file = info.outputPath('page.ipynb');
  writeFileSync(file, JSON.stringify((await reply.json()).content));
  const body = execFileSync('jupyter', ['nbconvert', '--to', 'html', '--stdout', file], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exported = await page.context().newPage();
  await exported.route('**', (route) =>
    route.request().url() === 'http://export.test/'
      ? route.fulfill({ contentType: 'text/html', body })
      : route.abort(),
  );
  await exported.goto('http://export.test/', { waitUntil: 'domcontentloaded' });
  const picture = exported.getByRole('img', { name: /lesson/ });
  await expect(picture).toBeVisible();
  expect(await picture.evaluate((node: HTMLImageElement) => node.naturalWidth)).toBeGreaterThan(
    100,
  );
  await screenshot(picture, 'nbconvert');
});

async function rows(of: Locator): Promise<string[]> {
  const items = (await openOutline(of)).getByRole('treeitem');
  await expect(items.first()).toBeVisible();
  return items.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''));
}

/** True if the graph has the colours of families: without them it is grey. */
function isColoured(of: Locator): Promise<boolean> {
  return of
    .locator('canvas')
    .first()
    .evaluate((canvas: HTMLCanvasElement) => {
      const { width, height } = canvas;
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, width, height);
      for (let at = 0; at < data.length; at += 4) {
        const pixel = data.subarray(at, at + 3);
        if (Math.max(...pixel) - Math.min(...pixel) > 60) return true;
      }
      return false;
    });
}
