import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { outline, screenshot, view } from './notebook';

/** Saves a program that was captured before, so that no JAX is loaded here. */
const SAVE = `import sys, jaxviz
jaxviz.load('../tests/golden/train_step.json').save(sys.argv[1])`;

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
    const said: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    await page.goto(address);
    const shown = view(page, 'train_step');
    await expect(shown).toBeVisible();
    await expect(outline(shown).getByRole('treeitem', { name: /^forward/ })).toBeVisible();
    await shown.getByRole('button', { name: 'Expand all' }).click();
    await expect(outline(shown).getByRole('treeitem', { name: /^max/ }).first()).toBeVisible();
    const ground = await shown.locator('.jxv-frame').evaluate((frame) => {
      return getComputedStyle(frame).backgroundColor;
    });
    expect(ground).toBe(colorScheme === 'dark' ? 'rgb(22, 24, 27)' : 'rgb(255, 255, 255)');
    await screenshot(shown, `page-${colorScheme}`);
    expect(asked).toEqual([address]);
    expect(said).toEqual([]);
    await context.close();
  });
}

test('the policy of a saved page lets nothing in', async ({ page }, info) => {
  const file = info.outputPath('step.html');
  execFileSync('python', ['-c', SAVE, file]);
  await page.goto(pathToFileURL(file).href);
  await expect(view(page, 'train_step')).toBeVisible();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
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
