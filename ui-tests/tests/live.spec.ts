/** The timeline of a cell while the cell runs, and after its kernel has ended. */
import { test as plain } from '@playwright/test';
import {
  cellAt,
  expect,
  LOAD,
  type Notebook,
  notebook,
  open,
  openWithoutKernel,
  put,
  restart,
  run,
  runAll,
  screenshot,
  test,
  view,
} from './notebook';
import { slow } from './slow';
import { causes, details, grid, log } from './timeline';

const SCALED = `%%jaxviz
@jax.jit
def scaled(x, by): return jnp.tanh(x) * by
for size in (8, 5):
    scaled(jnp.ones(size), 2.0)`;
const WAITING = `${SCALED}
input("more? ")
scaled(jnp.ones(3), 2.0)
input("end? ")
print("at the end")`;

test.use({ viewport: { width: 1280, height: 1200 } });

test('a timeline grows while its cell runs, and what is open in it stays open', async ({
  page,
  tmpPath,
}) => {
  await open(page, `${tmpPath}/live.ipynb`, notebook([LOAD, WAITING]));
  await page.notebook.runCell(0);
  await page.notebook.selectCells(1);
  await page.evaluate(() => {
    void window.jupyterapp.commands.execute('notebook:run-cell');
  });
  const shown = log(page, 1);
  const asked = cellAt(page, 1).locator('.jp-Stdin-input').last();
  await expect(shown).toContainText('2 traces (1 retrace)');
  await expect(shown).toContainText('running');
  await expect(asked).toBeFocused(); // it takes the focus when it appears, and would get the keys
  await grid(shown).press('Home');
  await grid(shown).press('Enter');
  const program = view(shown, 'scaled');
  await expect(program.getByRole('img', { name: /^Graph of/ })).toBeVisible();
  await screenshot(cellAt(page, 1), 'retraces-running');

  await asked.press('Enter');
  await expect(shown).toContainText('3 traces (2 retraces)');
  await expect(shown).toContainText('running');
  await expect(details(shown)).toContainText('first trace');
  await expect(program.getByRole('img', { name: /^Graph of/ })).toBeVisible();

  await expect(cellAt(page, 1).locator('.jp-Stdin-input')).toHaveCount(1);
  await asked.press('Enter');
  await expect(cellAt(page, 1)).toContainText('at the end');
  await expect(shown).not.toContainText('running');
  await expect(shown).toContainText('3 traces (2 retraces)');
  await expect(details(shown)).toContainText('first trace');
});

test('a saved timeline is drawn without a kernel by whoever opens it', async ({
  page,
  request,
  baseURL,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/run.ipynb`, [LOAD, SCALED]);
  await expect(log(page, 1)).toContainText('2 traces (1 retrace)');
  await page.notebook.save();
  await page.notebook.close();

  const reply = await request.get(`${baseURL}/api/contents/${tmpPath}/run.ipynb`);
  const { content } = (await reply.json()) as { content: Notebook };
  content.metadata = { title: 'A file from somewhere else' };
  await openWithoutKernel(page, `${tmpPath}/strange.ipynb`, content);
  const shown = log(page, 1);
  await expect(shown).toContainText('2 traces (1 retrace)');
  await grid(shown).press('End');
  await grid(shown).press('Enter');
  await expect(shown).toContainText(
    'The notebook has no kernel: choose one, and run the cell again',
  );
  await screenshot(cellAt(page, 1), 'retraces-saved');
});

test.describe('with kernels of their own', () => {
  test.use({ kernels: null, sessions: null });

  slow(test)(
    'after a restart the timeline shows how to make a program again',
    async ({ page, tmpPath }) => {
      await run(page, `${tmpPath}/restart.ipynb`, [LOAD, SCALED]);
      const shown = log(page, 1);
      await expect(shown).toContainText('2 traces (1 retrace)');
      await restart(page);
      await grid(shown).press('Home');
      await grid(shown).press('Enter');
      await expect(shown).toContainText('Another kernel made this');
      await runAll(page);
      await expect(shown.getByText('Another kernel')).toHaveCount(0);
      await grid(shown).press('Home');
      await grid(shown).press('Enter');
      await expect(view(shown, 'scaled').getByRole('img', { name: /^Graph of/ })).toBeVisible();
    },
  );
});

slow(plain)(
  'Notebook 7 shows timelines and strips, and requests them again after a reload',
  async ({ page, request }) => {
    const again = 'scaled(jnp.ones(3), 2.0).shape';
    await put(request, 'traces7.ipynb', notebook([LOAD, SCALED, '%jaxviz on', again]));
    await page.goto('/notebooks/traces7.ipynb');
    await runAll(page);
    await expect(log(page, 1)).toContainText('2 traces');
    const strip = log(page, 3).getByRole('button', { name: /scaled retraced/ });
    await strip.click();
    await expect(causes(log(page, 3))).toContainText(['x: f32[5→3]']);
    await screenshot(page.locator('.jp-Notebook'), 'notebook-7-retraces');
    const saved = page.waitForResponse(
      (one) =>
        one.request().method() === 'PUT' && one.url().includes('/api/contents/traces7.ipynb'),
    );
    await page.keyboard.press('Control+s');
    expect((await saved).ok()).toBe(true);

    await page.reload();
    await grid(log(page, 1)).press('Home');
    await grid(log(page, 1)).press('Enter');
    const program = view(log(page, 1), 'scaled');
    await expect(program.getByRole('img', { name: /^Graph of/ })).toBeVisible();
  },
);
