/** Costs and memory of a program in a real Lab: in the graph, the table, the source and *Memory*. */
import type { Locator } from '@playwright/test';
import {
  choose,
  details,
  expect,
  LOAD,
  passesAxe,
  run,
  screenshot,
  tab,
  test,
  view,
} from './notebook';
import { slow } from './slow';

const PRODUCTS = `def products(x, w):
    return lax.scan(lambda c, _: (c @ w, None), x, None, length=100)[0]
%jaxviz products(jnp.ones((16, 16)), jnp.ones((16, 16)))`;

const table = (of: Locator) => of.getByLabel(/^Numbers of the/);
const eachEqn = (of: Locator) => of.getByRole('combobox', { name: 'Rows' }).selectOption('none');
const row = (of: Locator, name: RegExp) => table(of).getByRole('row', { name });

test('100 products of f32[16,16] by f32[16,16] are 819,200 flops: in table, details, graph and total', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/products.ipynb`, [LOAD, PRODUCTS]);
  const products = view(page, 'products');
  await tab(products, 'Table').click();
  await eachEqn(products);
  await expect(row(products, /dot_general/)).toContainText('819,200');
  await expect(row(products, /dot_general/)).toContainText('100 %');
  await expect(products.locator('.jxv-table-foot')).toContainText('819,200 flops');
  await expect(products.locator('.jxv-totals')).toContainText('819,200 flops');

  await choose(products, 'Collapse all');
  await row(products, /dot_general/).click();
  await expect(row(products, /dot_general/)).toHaveAttribute('aria-selected', 'true');
  await expect(details(products)).toContainText('819,200 flops');
  await expect(details(products)).toContainText('× 100');

  await choose(products, 'flops');
  await page.keyboard.press('Escape');
  await products.getByRole('button', { name: 'Colour by flops' }).click();
  const legend = products.getByRole('menu').getByRole('group', { name: 'of 819,200 flops' });
  await expect(legend.getByRole('menuitemcheckbox', { name: /≥ 50 %/ })).toContainText('1');
  await page.keyboard.press('Escape');
  await screenshot(products, 'heat');

  await tab(products, 'Source').click();
  await expect(products.locator('.jxv-line-heat', { hasText: '100 %' })).toHaveCount(1);
});

slow(test)(
  'the table is sorted by its columns and put together by source line',
  async ({ page, tmpPath }) => {
    await page.setViewportSize({ width: 1600, height: 900 }); // with room for how often each runs
    await run(page, `${tmpPath}/sorted.ipynb`, [LOAD, PRODUCTS]);
    const products = view(page, 'products');
    await tab(products, 'Table').click();
    await eachEqn(products);
    const share = table(products).getByRole('columnheader', { name: '%', exact: true });
    const runs = table(products).getByRole('columnheader', { name: 'runs', exact: true });
    await expect(share).toHaveAttribute('aria-sort', 'descending');
    await runs.getByRole('button').click();
    await expect(runs).toHaveAttribute('aria-sort', 'descending');
    await expect(table(products).getByRole('row').nth(1)).toContainText('dot_general');
    await runs.getByRole('button').click();
    await expect(table(products).getByRole('row').nth(1)).toContainText('scan');

    await products.getByRole('combobox', { name: 'Rows' }).selectOption('line');
    const line = row(products, /^▸?cell 2, line 2/);
    await expect(line).toContainText('819,200');
    await line.click();
    await expect(row(products, /dot_general/)).toBeVisible();
    await page.keyboard.press('Tab');
    await screenshot(products, 'table');
  },
);

slow(test)(
  'memory is as XLA reports it, and XLA counts what a loop holds once',
  async ({ page, tmpPath }) => {
    await run(page, `${tmpPath}/memory.ipynb`, [LOAD, PRODUCTS]);
    const products = view(page, 'products');
    await tab(products, 'Memory').click();
    await expect(products.getByText('Open HLO.')).toBeVisible();
    await expect(products.getByText('unfused upper bound')).toBeVisible();
    await tab(products, 'HLO').click();
    await expect(products.getByRole('img', { name: /^Graph of/ })).toBeVisible({ timeout: 60_000 });
    await tab(products, 'Memory').click();
    const field = (name: string) => products.locator('.jxv-memory-fields > div', { hasText: name });
    await expect(field('arguments')).toContainText('2.0 KiB');
    await expect(field('outputs')).toContainText('1.0 KiB');

    const curve = products.getByRole('slider', { name: /bytes that are live/ });
    await curve.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await expect(details(products)).toBeVisible();
    await expect(products.locator('.jxv-live-selected')).toHaveCount(1);
    await screenshot(products, 'memory');

    await tab(products, 'Table').click();
    const foot = products.locator('.jxv-table-foot');
    await expect(foot).toContainText('total819,400 flops');
    await expect(foot).toContainText('XLA reports8,194 flops');
  },
);

slow(test)('axe finds nothing to fix in the table and the memory', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/axe.ipynb`, [LOAD, PRODUCTS]);
  const products = view(page, 'products');
  for (const name of ['Table', 'Memory', 'Source']) {
    await tab(products, name).click();
    await passesAxe(page);
  }
});
