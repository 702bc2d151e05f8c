/** The panel's inspector, and lines of the notebook under the pointer. No selection sends a message. */
import type { Locator, Page } from '@playwright/test';
import {
  cellAt,
  details,
  expect,
  LOAD,
  MODEL,
  openInspector,
  passesAxe,
  run,
  screenshot,
  test,
  text,
  view,
} from './notebook';
import { slow } from './slow';

const CELLS = [LOAD, MODEL, '%jaxviz loss(jnp.ones((8, 4)), jnp.ones((2, 8)))'];

const title = (of: Locator): Locator => of.locator('.jxv-title');
const line = (page: Page, number: number): Locator =>
  cellAt(page, 1)
    .locator('.cm-line')
    .nth(number - 1);
const marked = (page: Page): Locator => page.locator('.jp-Cell-inputWrapper .jxv-marked-line');
const hint = (of: Locator): Locator => details(of).locator('.jxv-details-text');

test('shows the selection of an output, and selects there', async ({ page, tmpPath }) => {
  const sent: string[] = [];
  page.on('websocket', (socket) => {
    if (socket.url().includes('/channels')) socket.on('framesent', () => sent.push(socket.url()));
  });
  await run(page, `${tmpPath}/inspect.ipynb`, CELLS);
  const loss = view(page, 'loss');
  const inspector = await openInspector(page);
  await text(loss).getByText('dot_general').click();
  await expect(title(inspector)).toHaveText(/= dot_general /);
  await expect(inspector).toContainText('Sums products along dimension 1 of lhs and 0 of rhs.');
  await expect(marked(page)).toHaveText('    return jax.nn.relu(x @ w)');
  await passesAxe(page);
  await screenshot(inspector, 'inspector');
  expect(sent.length).toBeGreaterThan(0);
  sent.length = 0;
  await inspector.getByRole('button', { name: 'relu', exact: true }).click();
  await expect(title(inspector)).toHaveText(/= custom_jvp_call relu /);
  await expect(title(details(loss))).toHaveText(/= custom_jvp_call relu /);
  expect(sent).toEqual([]);
});

slow(test)(
  'a line that is pointed at is marked in the output, until it is edited',
  async ({ page, tmpPath }) => {
    await run(page, `${tmpPath}/point.ipynb`, CELLS);
    const loss = view(page, 'loss');
    const inspector = await openInspector(page);
    await expect(loss.locator('.jxv-hint')).toContainText('Select a box');
    await line(page, 2).hover({ position: { x: 90, y: 8 } });
    await expect(hint(loss)).toContainText('Highlighted for line 2 dot_general');
    await expect(title(inspector)).toHaveText('line 2');
    await expect(inspector).toContainText('return jax.nn.relu(x @ w)');
    await expect(inspector.locator('.jxv-fates')).toContainText('jaxpr: dot_general relu');
    await expect(marked(page)).toHaveCount(0);
    await page.mouse.move(1, 1);
    await expect(hint(loss)).toHaveCount(0);

    await inspector.getByRole('tab', { name: 'Functions' }).click();
    await inspector.getByRole('button', { name: /^loss/ }).first().click();
    const opened = view(inspector, /^JAX program loss/);
    await expect(opened.getByRole('img')).toBeVisible();
    await line(page, 2).hover({ position: { x: 90, y: 8 } });
    await expect(hint(opened)).toContainText('Highlighted for line 2 dot_general');
    await inspector.getByRole('tab', { name: 'Inspector' }).click();
    await page.mouse.move(1, 1);

    await line(page, 5).click();
    await page.mouse.move(1, 1);
    await expect(hint(loss)).toContainText('Highlighted for line 5');
    await inspector.getByRole('button', { name: 'reduce_sum' }).click();
    await expect(title(hint(loss))).toHaveText(/= reduce_sum /);
    await line(page, 5).click();
    await page.keyboard.press('End');
    await page.keyboard.type(' * 2');
    await expect(hint(loss)).toContainText('was edited after capture');
    await expect(title(hint(loss))).toHaveText(/= reduce_sum /);
  },
);

slow(test)('a line in a folded cell is marked on its placeholder', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/folded.ipynb`, CELLS);
  const loss = view(page, 'loss');
  const inspector = await openInspector(page);
  await expect(loss).toBeVisible();
  await page.evaluate(() => {
    const { content } = window.jupyterapp.shell.currentWidget as unknown as {
      content: { widgets: { inputHidden: boolean }[] };
    };
    (content.widgets[1] as { inputHidden: boolean }).inputHidden = true;
  });
  await text(loss).getByText('dot_general').click();
  await expect(cellAt(page, 1)).toHaveClass(/jxv-marked-cell/);
  await inspector
    .getByRole('button', { name: /line 2$/ })
    .first()
    .click();
  await expect(marked(page)).toHaveText('    return jax.nn.relu(x @ w)');
});
