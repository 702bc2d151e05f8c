/** A page of the built site in a browser, for all tests of it. */
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';

const SITE = '../.site/html';
const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** A page of the site. Each test asserts that it sent requests to no other server, and that nothing
 * failed. */
export const test = base.extend<{ ownServerOnly: undefined }>({
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

/** Waits until there is a live view for each output. */
export async function waitForViews(page: Page): Promise<void> {
  const outputs = await page.locator('script.jaxviz-data').count();
  await expect(page.locator('.jxv:not(.jxv *)')).toHaveCount(outputs);
}

/** Runs axe without `preload`, with which axe itself requests styles. */
export async function passesAxe(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).options({ preload: false }).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

export { expect };
