/** The panel beside the notebook: it lists what its kernel traced, and sends no message when idle. */
import type { Locator, Page } from '@playwright/test';
import { messages, ofPanel } from './messages';
import {
  command,
  expect,
  LOAD,
  notebook,
  open,
  panel,
  passesAxe,
  run,
  runAll,
  screenshot,
  test,
} from './notebook';
import { slow } from './slow';

const STEP = '@jax.jit\ndef step(x): return jnp.sin(x) * 2\n%jaxviz on';
const RETRACES = 'for n in (3, 4, 5): step(jnp.ones(n));';
const CELLS = [LOAD, STEP, RETRACES, '%jaxviz step(jnp.ones(3))'];
const LOOP = `import os
open("gate", "w").close()
for n in (6, 7): step(jnp.ones(n))
while os.path.exists("gate"): pass`;

// Galata's mocks of kernels and sessions do not follow restarts.
test.use({ kernels: null, sessions: null });

const rows = (page: Page): Locator => panel(page).locator('.jxv-panel-row');

/** Runs code in the kernel of the notebook in front. */
const execute = (page: Page, code: string) =>
  page.evaluate(async (code) => {
    const { sessionContext } = window.jupyterapp.shell.currentWidget as unknown as {
      sessionContext: { session: { kernel: Kernel } };
    };
    await sessionContext.session.kernel.requestExecute({ code }).done;
  }, code);

interface Kernel {
  requestExecute: (content: { code: string }) => { done: Promise<unknown> };
}

// Three ways to hide the panel.
const collapsed = () => void window.jupyterapp.commands.execute('application:toggle-right-area');
const behindAnother = () => window.jupyterapp.shell.activateById('jp-property-inspector');
function inMain(): void {
  const { shell } = window.jupyterapp;
  const widgets = [...shell.widgets('right')];
  const panel = widgets.find(({ id }) => id === 'jaxviz-panel');
  const ref = shell.currentWidget?.id;
  if (!panel || !ref) throw new Error('there is no panel, or no notebook');
  shell.add(panel, 'main', { mode: 'tab-after', ref });
  shell.activateById(ref);
}

test('it shows the first steps, and lists what was traced', async ({ page, tmpPath }) => {
  await open(page, `${tmpPath}/a.ipynb`, notebook(CELLS));
  await command(page, 'jaxviz:open-panel');
  await expect(panel(page).locator('pre')).toHaveText('%load_ext jaxviz');
  await runAll(page);
  await expect(rows(page)).toHaveText([
    /^step.*3 traces \(2 retraces\).*captured in cell 4.*cell 2, line.*shapex: f32\[4→5\].*pad x/,
  ]);
  await passesAxe(page);
  await screenshot(panel(page), 'panel-functions');

  await panel(page).getByRole('tab', { name: 'Events' }).click();
  await expect(rows(page).first()).toContainText('compilation');
  await passesAxe(page);
  await screenshot(panel(page), 'panel-events');
  await rows(page).filter({ hasText: 'retrace 2 of 2' }).getByRole('button').first().click();
  await expect(panel(page).getByRole('region', { name: 'JAX program step' })).toBeVisible();
  await panel(page).getByRole('button', { name: 'Compare with the one before' }).click();
  await expect(panel(page)).toContainText('compared: retrace 1 of 2 → retrace 2 of 2');
});

slow(test)('it sends no message while hidden or idle', async ({ page, tmpPath }) => {
  const sent = messages(page);
  await open(page, `${tmpPath}/quiet.ipynb`, notebook(CELLS));
  await command(page, 'jaxviz:open-panel');
  await runAll(page);
  await expect(rows(page)).toContainText(['captured in cell 4']);
  await expect(page.locator('.jp-jaxviz-status')).toHaveText('⟳ 0 retraces');
  await page.waitForTimeout(1000); // until the messages of the last cell have come
  sent.length = 0;
  await page.waitForTimeout(2000);
  expect(sent).toEqual([]);

  for (const [time, hide] of [collapsed, behindAnother, inMain].entries()) {
    await command(page, 'jaxviz:open-panel');
    await expect(panel(page)).toBeVisible();
    await page.evaluate(hide);
    await expect(panel(page)).toBeHidden();
    await page.waitForTimeout(500);
    sent.length = 0;
    await execute(page, `for n in range(3): step(jnp.ones(${10 * time + 10} + n))`);
    await page.waitForTimeout(500);
    expect(sent).toContain('came status');
    expect(ofPanel(sent), hide.name).toEqual([]);
  }
  await command(page, 'jaxviz:open-panel');
  await expect(rows(page)).toContainText(['f32[31→32]']);
});

test('it is updated while a cell runs, and can request programs meanwhile', async ({
  page,
  tmpPath,
}) => {
  await open(page, `${tmpPath}/loop.ipynb`, notebook([...CELLS.slice(0, 2), LOOP]));
  await command(page, 'jaxviz:open-panel');
  await expect(panel(page).locator('pre')).toHaveText('%load_ext jaxviz');
  await command(page, 'notebook:run-all-cells');
  await expect(rows(page)).toContainText(['2 traces (1 retrace)']);
  await expect(page.locator('.jp-jaxviz-status')).toHaveText('⟳ 1 retrace');
  await rows(page).getByRole('button', { name: /^step/ }).click();
  await expect(panel(page).getByRole('region', { name: 'JAX program step' })).toBeVisible();
  await page.contents.deleteFile(`${tmpPath}/gate`);
});

test('restarts, reloads and other notebooks are followed', async ({ page, tmpPath }) => {
  await open(page, `${tmpPath}/one.ipynb`, notebook(CELLS));
  await command(page, 'jaxviz:open-panel');
  await runAll(page);
  await expect(rows(page)).toContainText(['3 traces']);
  await command(page, 'docmanager:save');

  await open(page, `${tmpPath}/two.ipynb`, notebook([LOAD]));
  await expect(panel(page).locator('pre')).toHaveText('%load_ext jaxviz');
  await page.locator('#jp-main-dock-panel .lm-TabBar-tab', { hasText: 'one.ipynb' }).click();
  await expect(rows(page)).toContainText(['3 traces']);

  await page.evaluate(() => location.reload());
  await expect(rows(page)).toContainText(['3 traces']);

  await page.evaluate(async () => {
    const { currentWidget } = window.jupyterapp.shell;
    const { sessionContext } = currentWidget as unknown as {
      sessionContext: { restartKernel: () => Promise<void> };
    };
    await sessionContext.restartKernel();
  });
  await expect(panel(page).locator('pre')).toHaveText('%load_ext jaxviz');
});

/** The last cell has a strip, and turns watching off. */
const ENDS = [`${LOAD}\nf = jax.jit(lambda x: x + 1)\n%jaxviz on`, 'f(1)', 'f(1.0)\n%jaxviz off'];

slow(test)('watching is turned on and off from the palette', async ({ page, tmpPath }) => {
  await open(page, `${tmpPath}/watch.ipynb`, notebook([LOAD]));
  await runAll(page);
  await command(page, 'jaxviz:watch-on');
  await expect(page.locator('.jp-jaxviz-status')).toHaveText('⟳ 0 retraces');
  await command(page, 'jaxviz:open-panel');
  await expect(panel(page).getByRole('button', { name: 'Watching' })).toBeVisible();
  await command(page, 'jaxviz:watch-off');
  await expect(panel(page).getByRole('button', { name: 'Watch', exact: true })).toBeVisible();
  await expect(page.locator('.jp-jaxviz-status')).toBeHidden();

  await run(page, `${tmpPath}/ends.ipynb`, ENDS);
  await expect(page.locator('.jxv-strip-line')).toBeVisible(); // the strip comes after that
  await expect(page.locator('.jp-jaxviz-status')).toBeHidden();
});
