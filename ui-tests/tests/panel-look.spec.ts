/** The look and the keys of the panel: at several widths, in each theme, empty, small and large. */
import type { Locator, Page } from '@playwright/test';
import {
  expect,
  LOAD,
  notebook,
  open,
  panel,
  passesAxe,
  runAll,
  screenshot,
  test,
  widen,
} from './notebook';
import { slow } from './slow';

const WATCH = `${LOAD}\n%jaxviz on`;
const SMALL = `@jax.jit
def normalize(x): return x / jnp.linalg.norm(x)
@jax.jit
def train_step(params, x, lr): return params - lr * normalize(x @ params).sum()
for n in (32, 32, 7): train_step(jnp.ones(8), jnp.ones((n, 8)), 0.1)
train_step(jnp.ones(8), jnp.ones((32, 8)), jnp.float32(0.1));`;
const LARGE = `def named(name, by):
    def f(x): return x * by
    f.__name__ = f.__qualname__ = name
    return jax.jit(f)
of = lambda *shape: jax.ShapeDtypeStruct(shape, 'float32')
for i in range(250): jax.eval_shape(named(f'a_layer_with_quite_a_long_name_of_its_own_{i}', i), of(3))
step = named('step', 2)
for n in range(400): jax.eval_shape(step, of(n + 1));`;
const MORE = 'for n in range(5): jax.eval_shape(step, of(n + 1, 2));';

test.use({ viewport: { width: 1500, height: 760 } });

const rows = (page: Page): Locator => panel(page).locator('.jxv-panel-row');
const tab = (page: Page, name: string): Locator => panel(page).getByRole('tab', { name });

async function openPanel(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { commands } = window.jupyterapp;
    await commands.execute('jaxviz:open-panel');
    const shell = window.jupyterapp.shell as unknown as { collapseLeft(): void };
    shell.collapseLeft();
  });
  await expect(panel(page)).toBeVisible();
}

/** Asserts that nothing is cut off at the panel's edge. */
async function expectUncut(page: Page): Promise<void> {
  const wider = await panel(page).evaluate((node) => {
    const { right } = node.getBoundingClientRect();
    const isOut = (one: Element) =>
      !one.closest('.jxv-frame') && one.getBoundingClientRect().right > right + 1;
    return [...node.querySelectorAll('*')].filter(isOut).map((one) => one.className);
  });
  expect(wider).toEqual([]);
}

/** Checks the panel: axe finds nothing to fix, nothing is cut off, and a screenshot is written. */
async function check(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await passesAxe(page);
  await expectUncut(page);
  await screenshot(panel(page), `panel-${name}`);
}

slow(test)(
  'empty and small it is complete at any width and in any theme',
  async ({ page, tmpPath }) => {
    await open(page, `${tmpPath}/look.ipynb`, notebook(['%load_ext jaxviz', WATCH, SMALL]));
    await openPanel(page);
    await widen(page, 250);
    await expect(panel(page).getByRole('heading', { name: 'Load jaxviz' })).toBeVisible();
    await page.notebook.runCell(0, true);
    await expect(panel(page).getByRole('button', { name: 'Watch all cells' })).toBeVisible();
    await check(page, 'empty-250');
    await panel(page).getByRole('button', { name: 'Watch all cells' }).click();
    await expect(panel(page).getByRole('button', { name: 'Watching' })).toBeVisible();

    await runAll(page);
    await expect(rows(page).first()).toContainText('weak type');
    await check(page, 'functions-250');
    await tab(page, 'Events').click();
    await page.theme.setDarkTheme();
    await widen(page, 400);
    await check(page, 'events-400-dark');
    await page.emulateMedia({ forcedColors: 'active' });
    await check(page, 'events-400-forced');
    await page.emulateMedia({ forcedColors: 'none' });
    await page.theme.setTheme('JupyterLab Dark High Contrast');
    await tab(page, 'Functions').click();
    await check(page, 'functions-400-contrast');
    await page.theme.setLightTheme();

    await widen(page, 900);
    const table = panel(page).getByRole('table', { name: 'Functions' });
    await table.getByRole('button', { name: 'Function' }).click();
    await expect(rows(page)).toHaveText([/^normalize/, /^train_step/]);
    await expect(table.getByRole('columnheader', { name: 'Function' })).toHaveAttribute(
      'aria-sort',
      'ascending',
    );
    await check(page, 'functions-900');
    await rows(page).filter({ hasText: 'train_step' }).getByRole('button').first().click();
    await expect(panel(page).getByRole('region', { name: 'JAX program train_step' })).toBeVisible();
    await expect(panel(page).getByRole('list', { name: 'Functions' })).toBeVisible();
    await check(page, 'opened-900');
    await panel(page).getByRole('button', { name: 'Previous trace of it' }).click();
    await expect(panel(page)).toContainText('2 of 3');

    await widen(page, 1150);
    await panel(page)
      .getByRole('img', { name: /^Graph of train_step/ })
      .focus();
    await page.keyboard.press('ArrowDown');
    const inspector = panel(page).getByRole('tabpanel', { name: 'Details of train_step' });
    await expect(inspector).toBeVisible();
    await expect(panel(page).getByRole('tab', { name: 'Inspector' })).toHaveCount(0);
    await check(page, 'opened-1150');
  },
);

slow(test)('the keyboard reaches all of it', async ({ page, tmpPath }) => {
  await open(page, `${tmpPath}/keys.ipynb`, notebook([WATCH, SMALL]));
  await openPanel(page);
  await runAll(page);
  await expect(rows(page)).toHaveCount(2);
  await tab(page, 'Functions').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(rows(page)).toHaveCount(11);
  await rows(page).first().getByRole('button').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
  const second = rows(page).nth(1).getByRole('button');
  await expect(second).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(panel(page).getByRole('region', { name: 'JAX program train_step' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(second).toBeFocused();
  await page.keyboard.press('End');
  await expect(rows(page).last().getByRole('button')).toBeFocused();
});

slow(test)(
  'large it is complete, and new events do not move what is read',
  async ({ page, tmpPath }) => {
    await open(page, `${tmpPath}/large.ipynb`, notebook([WATCH, LARGE, MORE]));
    await openPanel(page);
    await widen(page, 300);
    await page.notebook.runCell(0, true);
    await page.notebook.runCell(1, true);
    await expect(rows(page)).toHaveCount(251);
    await panel(page).getByRole('searchbox').fill('_own_7');
    await expect(rows(page)).toHaveCount(11);
    await check(page, 'large-300');

    await tab(page, 'Events').click();
    await expect(rows(page).first()).toContainText('retrace 399 of 399');
    const list = panel(page).locator('.jxv-panel-list');
    await list.hover();
    await page.mouse.wheel(0, 500);
    const read = rows(page).filter({ hasText: 'retrace 390 of 399' });
    const at = () => read.evaluate((row) => Math.round(row.getBoundingClientRect().top));
    await expect.poll(() => list.evaluate(({ scrollTop }) => scrollTop)).toBe(500);
    const before = await at();
    await page.notebook.runCell(2, true);
    const fresh = panel(page).getByRole('button', { name: '5 new' });
    await expect(fresh).toBeVisible();
    expect(await at()).toBe(before);
    await tab(page, 'Functions').click();
    await tab(page, 'Events').click();
    expect(await at()).toBe(before);
    await fresh.click();
    await expect(rows(page).first()).toContainText('retrace 404 of 404');
    await expect(rows(page).first()).toBeInViewport();
  },
);
