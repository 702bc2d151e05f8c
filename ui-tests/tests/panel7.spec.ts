/** The panel in Notebook 7. */
import { test as plain } from '@playwright/test';
import {
  chooseCommand,
  expect,
  LOAD,
  notebook,
  passesAxe,
  put,
  runAll,
  screenshot,
  text,
  view,
} from './notebook';

const STEP = '@jax.jit\ndef step(x): return jnp.sin(x) * 2';
const CELLS = [LOAD, STEP, '%jaxviz step(jnp.ones(3))', 'for n in (4, 5): step(jnp.ones(n));'];

plain(
  'Notebook 7 has the panel, its commands and the inspector',
  async ({ page, request }, { repeatEachIndex }) => {
    const path = `panel7-${repeatEachIndex}.ipynb`; // each with a kernel of its own
    await put(request, path, notebook(CELLS));
    await page.goto(`/notebooks/${path}`);
    await page.waitForFunction(() => window.jupyterapp?.shell.currentWidget);
    const panel = page.locator('#jaxviz-panel');

    await page.evaluate(() => void window.jupyterapp.commands.execute('jaxviz:open-panel'));
    await expect(panel.locator('pre')).toHaveText('%load_ext jaxviz');
    await runAll(page);
    const row = panel.locator('.jxv-panel-row', { hasText: 'step' });
    await expect(row).toContainText('captured in cell 3');
    await passesAxe(page);

    await chooseCommand(page, 'Watch JAX Retraces');
    await expect(panel.getByRole('button', { name: 'Watching' })).toBeVisible();
    await runAll(page);
    await expect(row).toContainText('2 traces (1 retrace)');
    await screenshot(panel, 'panel-notebook-7');
    await chooseCommand(page, 'Stop Watching JAX Retraces');
    await expect(panel.getByRole('button', { name: 'Watch', exact: true })).toBeVisible();

    await panel.getByRole('tab', { name: 'Inspector' }).click();
    await text(view(page.locator('.jp-jaxviz'), 'step'))
      .getByText('sin')
      .first()
      .click();
    await expect(panel.locator('.jxv-title')).toHaveText(/= sin /);

    const cell = page.locator('.jp-Notebook .jp-Cell').nth(1);
    await cell.locator('.cm-line').nth(1).getByText('step').click();
    await page.keyboard.press('Alt+Shift+J');
    await expect(view(panel, 'step')).toBeVisible();

    const move = () => window.jupyterapp.commands.isVisible('jaxviz:move-panel');
    expect(await page.evaluate(move)).toBe(false);
  },
);
