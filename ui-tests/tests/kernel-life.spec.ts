/** The panel and the outputs while kernels end, restart, or lose the connection. */
import { type Locator, type Page, test as plain } from '@playwright/test';
import { command, expect, LOAD, notebook, open, panel, put, run, test, view } from './notebook';
import { slow } from './slow';

const STEP = '@jax.jit\ndef step(x): return jnp.sin(x) * 2\n%jaxviz on';
const SHOWN = '%jaxviz step(jnp.ones(3))';
const LINES = [LOAD, STEP, SHOWN];
/** A loop that ends when the file `gate` is deleted. */
const LOOP = `import os
open("gate", "w").close()
for n in (6, 7): step(jnp.ones(n))
while os.path.exists("gate"): pass
step(jnp.ones(8));`;

// Galata's mocks of kernels and sessions do not follow restarts.
test.use({ kernels: null, sessions: null });

const rows = (page: Page): Locator => panel(page).locator('.jxv-panel-row');
const stepRow = (page: Page): Locator => rows(page).getByRole('button', { name: /^step/ });
const toLists = (page: Page): Locator => panel(page).getByRole('button', { name: '← Functions' });
/** The kernel has not loaded jaxviz. */
const expectUnloaded = (page: Page) =>
  expect(panel(page).locator('pre')).toHaveText('%load_ext jaxviz');

/** Changes to the notebook of that name. */
const toTab = (page: Page, name: string) =>
  page.locator('.lm-TabBar-tab[data-type="document-title"]', { hasText: name }).first().click();

interface Session {
  session: {
    kernel: {
      id: string;
      serverSettings: { WebSocket: typeof WebSocket };
      reconnect: () => Promise<void>;
      requestExecute: (content: { code: string }) => unknown;
    };
  };
  restartKernel: () => Promise<void>;
  shutdown: () => Promise<void>;
  startKernel: () => Promise<void>;
  changeKernel: (kernel: { id: string }) => Promise<void>;
}

/** Calls a function with the session of the current notebook or console. */
function inSession<T, A>(page: Page, work: (session: Session, arg: A) => T, arg?: A): Promise<T> {
  return page.evaluate(
    `(${work})(jupyterapp.shell.currentWidget.sessionContext, ${JSON.stringify(arg ?? null)})`,
  ) as Promise<T>;
}
const kernelId = (page: Page) => inSession(page, ({ session }) => session.kernel.id);

/** Runs the first cells. */
async function runFirst(page: Page, count: number): Promise<void> {
  for (let cell = 0; cell < count; cell++) await begin(page, cell);
}

/** Runs the cell with that number, from 0, and does not wait. */
const begin = (page: Page, cell: number) =>
  page.evaluate((cell) => {
    const { commands, shell } = window.jupyterapp;
    const { content } = shell.currentWidget as unknown as { content: { activeCellIndex: number } };
    content.activeCellIndex = cell;
    void commands.execute('notebook:run-cell');
  }, cell);

/** Cuts the connection, which does not come back by itself during the test. */
const cutOff = (page: Page) =>
  inSession(page, ({ session: { kernel } }) => {
    const settings = kernel.serverSettings;
    const { WebSocket: real } = settings;
    settings.WebSocket = class extends real {
      constructor() {
        super('ws://127.0.0.1:9');
      }
    };
    kernel.reconnect().catch(() => undefined);
    settings.WebSocket = real;
  });

test('the page is reloaded while a cell runs', async ({ page, tmpPath }) => {
  await open(page, `${tmpPath}/loop.ipynb`, notebook([...LINES, LOOP]));
  await command(page, 'jaxviz:open-panel');
  await expectUnloaded(page);
  await command(page, 'notebook:run-all-cells');
  await expect(rows(page)).toContainText(['2 traces (1 retrace)']);
  // An output that came during the first save has to be saved, too.
  await expect(async () => {
    await command(page, 'docmanager:save');
    await expect(page.locator('.jp-mod-dirty')).toHaveCount(0, { timeout: 2_000 });
  }).toPass();

  await page.evaluate(() => location.reload());
  await expect(rows(page)).toContainText(['2 traces (1 retrace)']);
  await stepRow(page).click();
  await expect(view(panel(page), 'step')).toBeVisible();
  const shown = view(page.locator('.jp-OutputArea'), 'step');
  await shown.getByRole('tab', { name: 'StableHLO' }).click();
  await expect(shown.getByRole('textbox', { name: 'Text of the stablehlo' })).toContainText('sine');
  const strip = page.getByRole('group', { name: 'What JAX traced' });
  await expect(strip).not.toContainText('This was saved while the cell ran');

  await page.contents.deleteFile(`${tmpPath}/gate`);
  await toLists(page).click();
  await expect(rows(page)).toContainText(['3 traces (2 retraces)']);
  await strip.getByRole('button').first().click();
  await expect(strip).toContainText('This was saved while the cell ran');
});

slow(plain)('Notebook 7: the page is reloaded while a cell runs', async ({ page, request }) => {
  await put(request, 'loop7.ipynb', notebook([...LINES, LOOP]));
  await page.goto('/notebooks/loop7.ipynb');
  await page.waitForFunction(() => window.jupyterapp?.shell.currentWidget);
  await command(page, 'jaxviz:open-panel');
  await expectUnloaded(page);
  await command(page, 'notebook:run-all-cells');
  await expect(rows(page)).toContainText(['2 traces (1 retrace)']);

  await page.evaluate(() => location.reload());
  await page.waitForFunction(() => window.jupyterapp?.shell.currentWidget);
  await command(page, 'jaxviz:open-panel');
  await expect(rows(page)).toContainText(['2 traces (1 retrace)']);
  await stepRow(page).click();
  await expect(view(panel(page), 'step')).toBeVisible();
  await request.delete('/api/contents/gate');
  await toLists(page).click();
  await expect(rows(page)).toContainText(['3 traces (2 retraces)']);
  await inSession(page, (session) => session.shutdown());
});

test('a kernel is interrupted, lost and found again, restarted and shut down', async ({
  page,
  tmpPath,
}) => {
  await open(page, `${tmpPath}/life.ipynb`, notebook([...LINES, LOOP, 'step(jnp.ones(9));']));
  await command(page, 'jaxviz:open-panel');
  await expectUnloaded(page);
  await command(page, 'notebook:run-all-cells');
  await expect(rows(page)).toContainText(['2 traces (1 retrace)']);
  await command(page, 'notebook:interrupt-kernel');
  await expect(page.locator('.jp-OutputArea')).toContainText(['KeyboardInterrupt']);
  await expect(rows(page)).toContainText(['2 traces (1 retrace)']);

  await stepRow(page).click();
  await expect(view(panel(page), 'step')).toBeVisible();
  await cutOff(page);
  await expect(view(panel(page), 'step')).toBeVisible();
  await toLists(page).click();
  await expect(rows(page)).toContainText(['2 traces (1 retrace)']);
  await inSession(page, ({ session }) => session.kernel.reconnect());
  await begin(page, 4);
  await expect(rows(page)).toContainText(['3 traces (2 retraces)']);

  await inSession(page, (session) => session.restartKernel());
  await expectUnloaded(page);
  await runFirst(page, 3);
  await expect(rows(page)).toContainText(['captured in cell 3']);

  await command(page, 'application:toggle-right-area');
  await inSession(page, (session) => session.restartKernel());
  await command(page, 'application:toggle-right-area');
  await expectUnloaded(page);

  await inSession(page, (session) => session.shutdown());
  await expect(panel(page)).toContainText('The notebook has no kernel');
  await inSession(page, (session) => session.startKernel());
  await expectUnloaded(page);
});

slow(test)('the panel forgets a kernel that dies', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/dies.ipynb`, [...LINES, 'import os']);
  await command(page, 'jaxviz:open-panel');
  await expect(rows(page)).toContainText(['captured in cell 3']);
  await inSession(page, ({ session }) => session.kernel.requestExecute({ code: 'os._exit(1)' }));
  await expectUnloaded(page);
});

slow(test)(
  'notebooks, consoles, tabs and pages each see their own kernel',
  async ({ page, tmpPath }) => {
    await run(page, `${tmpPath}/one.ipynb`, LINES);
    await command(page, 'jaxviz:open-panel');
    await expect(rows(page)).toContainText(['captured in cell 3']);
    const one = await kernelId(page);

    // A console on the same kernel.
    await command(page, 'notebook:create-console');
    await expect(page.locator('.jp-ConsolePanel .jp-CodeConsole-promptCell')).toBeVisible();
    await expect(rows(page)).toContainText(['captured in cell 3']);

    // A notebook with a kernel of its own.
    await run(page, `${tmpPath}/two.ipynb`, [LOAD, STEP, 'step(jnp.ones(4)); step(jnp.ones(5));']);
    await expect(rows(page)).toContainText(['2 traces (1 retrace)']);
    await toTab(page, 'one.ipynb');
    await expect(rows(page)).toContainText(['captured in cell 3']);
    await toTab(page, 'two.ipynb');
    await expect(rows(page)).toContainText(['2 traces (1 retrace)']);

    // The second notebook changes to the kernel of the first: both get answers.
    await inSession(page, (session, id) => session.changeKernel({ id }), one);
    await expect(rows(page)).toContainText(['captured in cell 3']);
    await begin(page, 2);
    await expect(rows(page)).toContainText(['2 traces']);
    await toTab(page, 'one.ipynb');
    await expect(rows(page)).toContainText(['2 traces']);

    // Another tab and another page have the notebook, too. The page restarts the kernel.
    await command(page, 'docmanager:clone');
    await expect(rows(page)).toContainText(['2 traces']);
    const other = await page.context().newPage();
    await other.goto(`/lab/workspaces/other/tree/${tmpPath}/one.ipynb`);
    await other.waitForFunction(() => window.jupyterapp?.shell.currentWidget);
    await command(other, 'jaxviz:open-panel');
    await expect(rows(other)).toContainText(['2 traces']);
    await inSession(other, (session) => session.restartKernel());
    await expectUnloaded(other);
    await expectUnloaded(page);
  },
);
