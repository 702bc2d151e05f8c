/** The panel and the outputs, whatever happens to kernels and to the connection with them. */
import type { Locator, Page } from '@playwright/test';
import { expect, LOAD, notebook, open, test, view } from './notebook';

const STEP = '@jax.jit\ndef step(x): return jnp.sin(x) * 2\n%jaxviz on';
const SHOWN = '%jaxviz step(jnp.ones(3))';
/** A loop that ends when the file `gate` is deleted. */
const LOOP = `import os
open("gate", "w").close()
for n in (6, 7): step(jnp.ones(n))
while os.path.exists("gate"): pass
step(jnp.ones(8));`;

// Galata's own kernels and sessions know nothing of restarts.
test.use({ kernels: null, sessions: null });

const panel = (page: Page): Locator => page.locator('#jaxviz-panel');
const rows = (page: Page): Locator => panel(page).locator('.jxv-panel-row');
const command = (page: Page, id: string) =>
  page.evaluate((id) => void window.jupyterapp.commands.execute(id), id);

test('the page is reloaded while a cell runs', async ({ page, tmpPath }) => {
  await open(page, `${tmpPath}/loop.ipynb`, notebook([LOAD, STEP, SHOWN, LOOP]));
  await command(page, 'jaxviz:open-panel');
  await expect(panel(page).locator('pre')).toHaveText('%load_ext jaxviz');
  await command(page, 'notebook:run-all-cells');
  await expect(rows(page)).toContainText(['3 traces, 2 again']);
  await command(page, 'docmanager:save');
  await page.waitForTimeout(300);

  await page.evaluate(() => location.reload());
  await page.waitForFunction(() => window.jupyterapp?.shell.currentWidget);
  await expect(rows(page)).toContainText(['3 traces, 2 again']);
  await rows(page).getByRole('button', { name: /^step/ }).click();
  await expect(view(panel(page), 'step')).toBeVisible();
  const shown = view(page.locator('.jp-OutputArea'), 'step');
  await shown.getByRole('tab', { name: 'StableHLO' }).click();
  await expect(shown.getByRole('textbox', { name: 'Text of the stablehlo' })).toContainText('sine');
  await page.contents.deleteFile(`${tmpPath}/gate`);
  await panel(page).getByRole('button', { name: '← Functions' }).click();
  await expect(rows(page)).toContainText(['4 traces, 3 again']);
});
