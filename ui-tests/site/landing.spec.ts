/** The landing page: its program has all stages, and a line is one selection in code, jaxpr and HLO. */
import type { Locator, Page } from '@playwright/test';
import { expect, test, waitForViews } from './page';

test.use({ viewport: { width: 1400, height: 900 } });

const update = (page: Page): Locator => page.getByRole('region', { name: 'JAX program update' });

/** The marked lines of the page's code, from 1. */
const markedLines = (page: Page): Promise<number[]> =>
  page
    .locator('.jxv-page-line')
    .evaluateAll((all) =>
      all.map((one) => Number((one as HTMLElement).style.getPropertyValue('--jxv-line')) + 1),
    );

test('a line is one selection in the code, the graph and each stage', async ({ page }) => {
  await page.goto('en/index.html');
  await waitForViews(page);
  const view = update(page);
  await expect.poll(() => markedLines(page)).toEqual([5]);
  await expect(view).toContainText('Highlighted for line 5');
  await view.getByRole('tab', { name: 'All four' }).click();
  const marked = (stage: string) =>
    view.getByRole('region', { name: stage, exact: true }).locator('.jxv-l-linked').first();
  for (const stage of ['jaxpr', 'StableHLO', 'HLO']) await expect(marked(stage)).toBeVisible();
});

test('a click on a line of the code selects it in the picture, and a box marks its line', async ({
  page,
}) => {
  await page.goto('en/index.html');
  await waitForViews(page);
  await page.locator('.cell_input .n').getByText('tree', { exact: true }).click();
  await expect.poll(() => markedLines(page)).toEqual([10]);
  const view = update(page);
  await expect(view).toContainText('Highlighted for line 10');
  await view.getByRole('tab', { name: 'HLO', exact: true }).click();
  await view.getByRole('treeitem').first().focus();
  await page.keyboard.press('Enter');
  await expect(view.locator('.jxv-details')).toContainText('HLO');
});

test('the first screen says what it is, and how to get it', async ({ page }) => {
  await page.goto('en/index.html');
  await expect(page.getByRole('heading', { level: 1 })).toBeInViewport();
  const install = page.getByRole('article').getByRole('link', { name: 'Install' }).first();
  await expect(install).toBeInViewport();
  await install.click();
  await expect(page.getByRole('heading', { level: 1, name: 'Install' })).toBeVisible();
});
