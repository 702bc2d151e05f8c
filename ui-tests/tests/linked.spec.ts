/** One selection across source, jaxpr, StableHLO and HLO, in a real Lab with a real kernel. */
import type { Locator } from '@playwright/test';
import {
  choose,
  details,
  expect,
  LOAD,
  openOutline,
  passesAxe,
  run,
  screenshot,
  tab,
  test,
  view,
} from './notebook';
import { slow } from './slow';

const MODEL = `def block(w, x):
    h = jnp.tanh(x @ w)
    return jax.nn.relu(h) * 2.0

def model(w, x):
    def step(carry, _):
        return block(w, carry), None

    last, _ = lax.scan(step, x, None, length=3)
    return jax.nn.softmax(last).sum()

%jaxviz model(jnp.ones((16, 16)), jnp.ones((8, 16)))`;

const column = (of: Locator, name: string) => of.getByRole('region', { name, exact: true });
const lit = (of: Locator, name: string) => column(of, name).locator('.jxv-l-linked, .jxv-l-guess');
const line = (of: Locator, number: number) =>
  column(of, 'Source').getByRole('button', { name: new RegExp(`^Line ${number}:`) });

/** The source with all stages, which the kernel makes on request. They fill the whole window, as a cell has no
 * room for them. */
async function openAll(of: Locator): Promise<void> {
  await choose(of, 'Whole window');
  await tab(of, 'All four').click();
  await of.getByRole('button', { name: 'Make StableHLO' }).click();
  await expect(column(of, 'StableHLO')).toContainText('stablehlo.dot_general');
  await of.getByRole('button', { name: 'Make HLO' }).click();
  await expect(column(of, 'HLO')).toContainText('HloModule');
}

test('a line of the source is lit in all four, and in the cell', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/four.ipynb`, [LOAD, MODEL]);
  const model = view(page, 'model');
  await openAll(model);
  await line(model, 2).click();
  await expect(lit(model, 'jaxpr').filter({ hasText: 'dot_general' })).toHaveCount(1);
  await expect(lit(model, 'jaxpr').filter({ hasText: 'tanh' })).toHaveCount(1);
  await expect(lit(model, 'StableHLO').filter({ hasText: 'stablehlo.tanh' })).toBeVisible();
  await expect(lit(model, 'HLO').first()).toBeVisible();
  await expect(page.locator('.jp-Cell-inputWrapper .jxv-marked-line')).toHaveText(
    'h = jnp.tanh(x @ w)',
  );
  await screenshot(model, 'four');

  await line(model, 2).press('ArrowDown');
  await expect(line(model, 3)).toHaveAttribute('aria-pressed', 'true');
  await expect(lit(model, 'jaxpr').filter({ hasText: 'mul' })).toHaveCount(1);

  const product = column(model, 'HLO').locator('.cm-line', { hasText: /= f32\S* dot\(/ });
  await product.click({ position: { x: 60, y: 8 } });
  await expect(line(model, 2)).toHaveAttribute('aria-pressed', 'true');
  await expect(lit(model, 'StableHLO').filter({ hasText: 'dot_general' })).toHaveCount(1);
  await screenshot(model, 'four-from-hlo');
  await passesAxe(page);
});

test('a fusion is opened, and shows what it was fused from; its links lead back', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/fusion.ipynb`, [LOAD, MODEL]);
  const model = view(page, 'model');
  await tab(model, 'HLO').click();
  await expect(model.getByRole('tabpanel', { name: 'hlo', exact: true })).toBeVisible();
  const tree = await openOutline(model);
  await choose(model, 'Expand all');
  const fusion = tree.getByRole('treeitem', { name: /^fusion.*tanh/ });
  await fusion.click();
  await expect(details(model)).toContainText('fused from');
  await expect(details(model)).toContainText(/tanh.*on lines? 2/);
  await expect(tree.getByRole('treeitem', { name: /^tanh/ })).toBeVisible();
  await screenshot(model, 'fusion');

  await details(model).locator('.jxv-fates').getByRole('button', { name: 'tanh' }).first().click();
  await expect(tab(model, 'Jaxpr')).toHaveAttribute('aria-selected', 'true');
  await expect(details(model)).toContainText('tanh');
  await expect(details(model)).toContainText('HLO:');

  await tab(model, 'HLO').click();
  await expect(details(model)).toContainText('Highlighted for');
  await screenshot(model, 'lit');
});

slow(test)('the four views in dark and in narrow', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/narrow.ipynb`, [LOAD, MODEL]);
  const model = view(page, 'model');
  await openAll(model);
  await line(model, 3).click();
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 760, height: 900 });
  await expect(tab(model, 'With source')).toHaveAttribute('aria-selected', 'true');
  await expect(column(model, 'jaxpr')).toBeVisible();
  await model.getByRole('button', { name: 'HLO', exact: true }).click();
  await expect(column(model, 'HLO')).toBeVisible();
  await expect(column(model, 'jaxpr')).toHaveCount(0);
  await screenshot(model, 'four-narrow');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.theme.setDarkTheme();
  await screenshot(model, 'four-dark');
  await passesAxe(page);
});
