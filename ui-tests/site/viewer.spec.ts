/** The viewer of the built site: it opens files that are dropped, chosen or named in the address, runs nothing in them,
 * and gets nothing from elsewhere. */
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { expect, passesAxe, test } from './page';

const JSON_FILE = '../tests/golden/lesson.json';
const WIRE = /^lesson (.*)$/m.exec(readFileSync('../tests/golden/wire/programs.txt', 'utf8'))?.[1];
const HOSTILE = `<!doctype html><title>hostile</title>
  <script>parent.ran = window.ran = true; fetch('https://evil.example/')</script>
  <img src="https://evil.example/x.png" onerror="window.ran = true">
  <iframe src="https://evil.example/"></iframe><link rel="stylesheet" href="https://evil.example/x.css">
  <script type="application/octet-stream" id="data" data-what="program" data-opening="{}" data-report="null"
    onload="window.ran = true">${WIRE}</script>`;

const view = (page: Page) => page.getByRole('region', { name: /JAX program/ });
const alert = (page: Page) => page.getByRole('main').getByRole('alert');

test('a dropped file is shown', async ({ page }) => {
  await page.goto('en/view.html');
  const data = await page.evaluateHandle(
    (text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], 'lesson.jaxviz.json'));
      return data;
    },
    readFileSync(JSON_FILE, 'utf8'),
  );
  await page.getByText('Drop a .jaxviz.json').waitFor();
  await page.dispatchEvent('main', 'dragover', { dataTransfer: data });
  await page.dispatchEvent('main', 'drop', { dataTransfer: data });
  await expect(page.getByRole('status').first()).toHaveText('Opened lesson.jaxviz.json.');
  await expect(view(page).getByRole('tree')).toBeVisible();
});

test('a saved page is chosen with the keyboard, and nothing in it is run', async ({ page }) => {
  await page.goto('en/view.html');
  const button = page.getByRole('button', { name: 'Choose a file' });
  await button.focus();
  const chooser = page.waitForEvent('filechooser');
  await page.keyboard.press('Enter');
  const file = { name: 'hostile.html', mimeType: 'text/html', buffer: Buffer.from(HOSTILE) };
  await (await chooser).setFiles(file);
  await expect(view(page).getByRole('tree')).toBeVisible();
  expect(await page.evaluate(() => 'ran' in window)).toBe(false);
});

test('a file of the site is opened from the root', async ({ page }) => {
  await page.route('**/files/step.jaxviz.json', (route) => route.fulfill({ path: JSON_FILE }));
  await page.goto('view.html?file=files/step.jaxviz.json');
  await expect(page).toHaveURL(/\/en\/view\.html\?file=files\/step\.jaxviz\.json$/);
  await expect(view(page).getByRole('tree')).toBeVisible();
});

test('a program in the address is opened, and damaged data is not', async ({ page }) => {
  const data = deflateSync(readFileSync(JSON_FILE)).toString('base64url');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`view.html#data=${data}`);
  await expect(view(page).getByRole('tree')).toBeVisible();
  expect(asked.filter((url) => url.includes('data='))).toEqual([]);
  await page.evaluate(() => location.assign('#data=damaged'));
  await expect(alert(page)).toHaveText('Link could not be opened. Its data is damaged.');
});

for (const path of [
  'https://evil.example/a.json',
  '//evil.example/a.json',
  'javascript:alert(1)',
  '../a.json',
]) {
  test(`${path} is refused`, async ({ page }) => {
    await page.goto(`en/view.html?file=${encodeURIComponent(path)}`);
    await expect(alert(page)).toHaveText(
      `${path} could not be opened. The address must name a file of this site, such as ?file=step.jaxviz.json.`,
    );
  });
}

for (const [language, width, colorScheme] of [
  ['en', 1400, 'light'],
  ['ko', 600, 'dark'],
] as const) {
  test.describe(`${language}, ${width} px, ${colorScheme}`, () => {
    test.use({ colorScheme, viewport: { width, height: 900 } });
    test('it passes axe, before and after', async ({ page }) => {
      await page.goto(`${language}/view.html`);
      await expect(page.locator('.jxv-viewer-choose')).toBeVisible();
      await passesAxe(page);
      await page.locator('input[type=file]').setInputFiles(JSON_FILE);
      await expect(page.locator('.jxv').getByRole('tree').first()).toBeVisible();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      await passesAxe(page);
      await page.screenshot({ path: `test-results/screenshots/viewer-${language}-${width}.png` });
      await page.locator('input[type=file]').setInputFiles('package.json');
      await expect(alert(page)).not.toBeEmpty();
      await passesAxe(page);
    });
  });
}
