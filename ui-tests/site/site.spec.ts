/** The site that `make docs` built. It sends requests only to its own server, nothing fails, and the outputs of
 * lessons are live and in the page's language. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, parse } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';

const SITE = '../.site/html';
const LESSONS = readdirSync('../jaxviz/lessons/en')
  .filter((file) => file.endsWith('.ipynb'))
  .map((file) => parse(file).name);
const PAGES = [
  'index',
  'how-to/reading',
  'how-to/running',
  'reference/functions',
  'reference/settings',
  'about/hosts',
  'pages/condition',
  ...LESSONS.map((name) => `lessons/${name}`),
];
const FEW = ['how-to/reading', 'lessons/2_tracers'];
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** A page of the site. Each test asserts that it sent requests to no other server, and that nothing
 * failed. */
const test = base.extend<{ ownServerOnly: undefined }>({
  ownServerOnly: [
    async ({ page, baseURL }, use) => {
      const wrong: string[] = [];
      page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
      page.on('pageerror', (error) => wrong.push(error.message));
      await page.route(/^https?:/, (route) => {
        const { origin, pathname } = new URL(route.request().url());
        const path = join(SITE, decodeURIComponent(pathname));
        if (`${origin}/` === baseURL && existsSync(path)) {
          return route.fulfill({
            body: readFileSync(path),
            contentType: TYPES[extname(path)] ?? '',
          });
        }
        wrong.push(route.request().url());
        return route.abort();
      });
      await use(undefined);
      expect(wrong).toEqual([]);
    },
    { auto: true },
  ],
});

const LOOKS = [
  { language: 'en', width: 1400, colorScheme: 'light', pages: PAGES },
  { language: 'ko', width: 600, colorScheme: 'dark', pages: PAGES },
  { language: 'en', width: 600, colorScheme: 'dark', pages: FEW },
  { language: 'ko', width: 1400, colorScheme: 'light', pages: FEW },
] as const;

for (const { language, width, colorScheme, pages } of LOOKS) {
  test.describe(`${language}, ${width} px, ${colorScheme}`, () => {
    test.use({ colorScheme, viewport: { width, height: 900 } });
    for (const name of pages) {
      test(name, async ({ page }) => {
        await page.goto(`${language}/${name}.html`);
        await waitForViews(page);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        await passesAxe(page);
        const shot = `site-${language}-${width}-${name.replace('/', '-')}`;
        await page.screenshot({ path: `test-results/screenshots/${shot}.png` });
      });
    }
  });
}

/** Waits until there is a live view for each output. */
async function waitForViews(page: Page): Promise<void> {
  const outputs = await page.locator('script.jaxviz-data').count();
  await expect(page.locator('.jxv:not(.jxv *)')).toHaveCount(outputs);
}

/** Runs axe without `preload`, with which axe itself requests styles. */
async function passesAxe(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).options({ preload: false }).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

for (const [language, aside, region, source] of [
  ['en', 'Section Navigation', 'JAX program rollout', 'With source'],
  ['ko', '이 부분의 페이지', 'JAX 프로그램 rollout', '소스와 함께'],
] as const) {
  test(`page and view have one language, and the outline has keys: ${language}`, async ({
    page,
  }) => {
    await page.goto(`${language}/how-to/reading.html`);
    await expect(page.getByText(aside).first()).toBeVisible();
    const view = page.getByRole('region', { name: region });
    await expect(view.getByRole('tab', { name: source })).toBeVisible();
    const tree = view.getByRole('tree');
    await tree.getByRole('treeitem', { name: /^reduce_sum/ }).focus();
    await page.keyboard.press('Enter');
    await expect(view.locator('.jxv-details')).toContainText('reduce_sum');
  });
}

test('a word is found, and the other language is one click away', async ({ page }) => {
  await page.goto('en/search.html?q=jaxviz_check');
  await page.locator('#search-results').getByRole('link', { name: 'pytest' }).first().click();
  await expect(page.getByRole('heading', { name: 'pytest', level: 1 })).toBeVisible();
  await page.getByRole('link', { name: '한국어' }).first().click();
  await expect(page).toHaveURL(/\/ko\/how-to\/pytest\.html/);
});
