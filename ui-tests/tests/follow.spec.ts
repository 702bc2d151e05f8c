/** From views to lines of code and back, where the lines are far away, folded, or in other tabs, consoles and files. */
import { galata, type IJupyterLabPageFixture } from '@jupyterlab/galata';
import { type Locator, type Page, test as plain } from '@playwright/test';
import {
  cellAt,
  command,
  details,
  expect,
  LOAD,
  MODEL,
  notebook,
  open,
  openInspector,
  put,
  run,
  runAll,
  test,
  text,
  view,
} from './notebook';
import { slow } from './slow';

const SHOW = '%jaxviz loss(jnp.ones((8, 4)), jnp.ones((2, 8)))';
const FILLER = Array.from({ length: 40 }, (_, at) => `# ${at}\n${'\n'.repeat(6)}0`);

const title = (of: Locator): Locator => of.locator('.jxv-title');
const place = (of: Locator): Locator => of.locator('.jxv-source').getByRole('button');
const marked = (of: Page | Locator): Locator => of.locator('.jp-Cell .jxv-marked-line');
const toast = (page: Page): Locator => page.locator('.Toastify__toast');
const selected = (page: Page): Promise<string> =>
  page.evaluate(() => String(document.getSelection()));

/** Folds or unfolds a heading of the notebook in front. */
async function setFolded(page: Page, at: number, change: 'fold' | 'unfold'): Promise<void> {
  await page.evaluate(
    ([at, fold]) => {
      const { content } = window.jupyterapp.shell.currentWidget as unknown as {
        content: { widgets: { headingCollapsed: boolean }[] };
      };
      (content.widgets[at] as { headingCollapsed: boolean }).headingCollapsed = fold;
    },
    [at, change === 'fold'] as const,
  );
}

/** Scrolls the notebook in front to a cell. */
const scrollTo = (page: Page, at: number): Promise<void> =>
  page.evaluate((at) => {
    const { content } = window.jupyterapp.shell.currentWidget as unknown as {
      content: { scrollToItem: (at: number, align: string) => Promise<void> };
    };
    return content.scrollToItem(at, 'start');
  }, at);

async function far(page: IJupyterLabPageFixture, path: string): Promise<void> {
  const content = notebook([LOAD, '# Model', '## Layers', MODEL, ...FILLER, SHOW]);
  for (const at of [1, 2]) {
    const cell = content.cells[at]!;
    content.cells[at] = { ...cell, cell_type: 'markdown' };
    for (const key of ['outputs', 'execution_count']) {
      delete (content.cells[at] as unknown as Record<string, unknown>)[key];
    }
  }
  await open(page, path, content);
  await runAll(page);
}

test('a line far away, under folded headings, and after it was edited', async ({
  page,
  tmpPath,
}) => {
  await far(page, `${tmpPath}/far.ipynb`);
  const inspector = await openInspector(page);
  const loss = view(page, 'loss');
  await text(loss).getByText('dot_general').click();
  await expect(title(inspector)).toHaveText(/= dot_general /);
  await setFolded(page, 1, 'fold');
  await expect(cellAt(page, 1)).toHaveClass(/jxv-marked-cell/);
  await expect(cellAt(page, 3)).toBeHidden();

  await place(inspector).click();
  await expect(cellAt(page, 3)).toBeInViewport();
  await expect(marked(page)).toHaveText('    return jax.nn.relu(x @ w)');
  await expect(cellAt(page, 1)).not.toHaveClass(/jxv-marked-cell/);
  await expect.poll(() => selected(page)).toBe('    return jax.nn.relu(x @ w)');

  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('# new');
  await place(inspector).click();
  await expect.poll(() => selected(page)).toBe('    return jax.nn.relu(x @ w)');
  await page.keyboard.type('    return x');
  await place(inspector).click();
  await expect(toast(page)).toContainText('was edited after capture');
});

test.describe('where the page has only the cells in view', () => {
  const tracker = { '@jupyterlab/notebook-extension:tracker': { windowingMode: 'full' } };
  test.use({ mockSettings: { ...galata.DEFAULT_SETTINGS, ...tracker } });

  slow(test)(
    'a line is marked once it is scrolled to, also by a view that is out of sight',
    async ({ page, tmpPath }) => {
      await far(page, `${tmpPath}/windowed.ipynb`);
      const inspector = await openInspector(page);
      const loss = view(page, 'loss');
      await scrollTo(page, FILLER.length + 4);
      await text(loss).getByText('dot_general').click();
      await expect(title(inspector)).toHaveText(/= dot_general /);
      await expect(marked(page)).toHaveCount(0);
      await scrollTo(page, 3);
      await expect(marked(page)).toHaveText('    return jax.nn.relu(x @ w)');
      await expect(loss).not.toBeInViewport();
      await inspector.getByRole('button', { name: 'relu', exact: true }).click();
      await inspector.getByRole('button', { name: /integer_pow|square/ }).click();
      await expect(marked(page)).toHaveText('    return jnp.mean(layer(w, x) ** 2)');
      await inspector.getByRole('button', { name: 'Make StableHLO' }).click();
      await expect(inspector.locator('.jxv-fates')).toContainText('StableHLO: multiply');
    },
  );
});

slow(test)(
  'another tab of the notebook is marked as it opens; views of one name differ',
  async ({ page, tmpPath }) => {
    await run(page, `${tmpPath}/tabs.ipynb`, [LOAD, MODEL, SHOW, SHOW]);
    await expect(page.getByRole('region', { name: /^JAX program loss/ })).toHaveCount(2);
    await expect(page.getByRole('region', { name: 'JAX program loss', exact: true })).toHaveCount(
      1,
    );
    const inspector = await openInspector(page);
    await text(view(page, 'loss')).getByText('dot_general').click();
    await expect(marked(page)).toHaveCount(1);
    await command(page, 'docmanager:clone');
    const tabs = page.locator('.jp-NotebookPanel');
    await expect(tabs).toHaveCount(2);
    for (const tab of await tabs.all()) await expect(marked(tab)).toHaveCount(1);
    await expect(title(inspector)).toHaveText(/= dot_general /);
  },
);

test('a console of the notebook: its views lead to lines of both, and are reached from them', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/console.ipynb`, [LOAD, MODEL]);
  await expect(cellAt(page, 1).getByText('[2]:')).toBeVisible();
  await command(page, 'notebook:create-console');
  const console = page.locator('.jp-ConsolePanel');
  await expect(console.locator('.jp-CodeConsole-promptCell')).toBeVisible();
  const inspector = await openInspector(page);
  const inject = (code: string) =>
    page.evaluate(async (code) => {
      const found = [...window.jupyterapp.shell.widgets('main')].find(({ node }) =>
        node.classList.contains('jp-ConsolePanel'),
      );
      const { console, sessionContext } = found as unknown as {
        console: { inject: (code: string) => Promise<void> };
        sessionContext: { ready: Promise<void> };
      };
      await sessionContext.ready;
      await console.inject(code);
    }, code);
  await inject(SHOW);
  const loss = view(console, 'loss');
  await text(loss).getByText('dot_general').click();
  await expect(marked(page)).toHaveText('    return jax.nn.relu(x @ w)');
  await expect(title(inspector)).toHaveText(/= dot_general /);
  await inspector.getByRole('button', { name: 'Make StableHLO' }).click();
  await expect(inspector.locator('.jxv-fates')).toContainText('StableHLO: dot_general');
  await place(inspector).click();
  await expect.poll(() => selected(page)).toBe('    return jax.nn.relu(x @ w)');

  await page.keyboard.press('Escape');
  await text(loss).press('Escape');
  await expect(marked(page)).toHaveCount(0);
  await cellAt(page, 1)
    .locator('.cm-line')
    .nth(4)
    .hover({ position: { x: 90, y: 8 } });
  await expect(details(loss).locator('.jxv-details-text')).toContainText('Highlighted for line 5');
  await expect(title(inspector)).toHaveText('line 5');

  await inject('def own(x):\n    return jnp.tanh(x) * 2\n%jaxviz own(1.0)');
  await text(view(console, 'own')).getByText('tanh').click();
  await expect(marked(console)).toHaveText('    return jnp.tanh(x) * 2');
  await place(inspector).click();
  await expect.poll(() => selected(page)).toBe('    return jnp.tanh(x) * 2');

  await page.evaluate(() => {
    const widgets = [...window.jupyterapp.shell.widgets('main')];
    widgets.find(({ node }) => node.classList.contains('jp-NotebookPanel'))?.dispose();
  });
  await text(loss).getByText('dot_general').click();
  await place(inspector).click();
  await expect(toast(page)).toContainText('No open notebook or console contains that cell');
});

slow(test)(
  'later stages are made from the inspector, and lead to the view',
  async ({ page, tmpPath }) => {
    await run(page, `${tmpPath}/make.ipynb`, [LOAD, MODEL, SHOW]);
    const inspector = await openInspector(page);
    const loss = view(page, 'loss');
    await text(loss).getByText('dot_general').click();
    await inspector.getByRole('button', { name: 'Make HLO' }).click();
    await inspector.getByRole('button', { name: 'Make StableHLO' }).click();
    const fates = inspector.locator('.jxv-fates');
    await expect(fates).toContainText('StableHLO: dot_general');
    await expect(fates).toContainText('HLO: %');
    await expect(inspector.getByRole('button', { name: /^Make/ })).toHaveCount(0);
    await fates.getByRole('button', { name: /^%/ }).first().click();
    await expect(loss.getByRole('tab', { name: 'HLO', exact: true })).toHaveAttribute(
      'aria-selected',
      'true',
    );
    await expect(inspector.locator('.jxv-fact', { hasText: /made for|fused from/ })).toContainText(
      'line 2',
    );
  },
);

slow(test)('a line of a module opens its file, where Jupyter has it', async ({ page, tmpPath }) => {
  const module =
    '"""A module."""\nimport jax.numpy as jnp\n\n\ndef twice(x):\n    return jnp.sin(x) * 2\n';
  await page.contents.uploadContent(module, 'text', `${tmpPath}/twice_module.py`);
  const show = 'import twice_module\n%jaxviz twice_module.twice(1.0)';
  await run(page, `${tmpPath}/file.ipynb`, [LOAD, show]);
  const inspector = await openInspector(page);
  await text(view(page, 'twice')).getByText('sin').click();
  await expect(place(inspector).first()).toHaveText('twice_module.py:6');
  await place(inspector).first().click();
  const editor = page.locator('.jp-FileEditor');
  await expect(editor).toBeVisible();
  await expect.poll(() => selected(page)).toBe('    return jnp.sin(x) * 2');
});

plain('in Notebook 7 a view leads to a line and back', async ({ page, request }) => {
  await put(request, 'follow7.ipynb', notebook([LOAD, MODEL, SHOW]));
  await page.goto('/notebooks/follow7.ipynb');
  await runAll(page);
  const loss = view(page.locator('.jp-jaxviz'), 'loss');
  await text(loss).getByText('dot_general').click();
  await expect(marked(page)).toHaveText('    return jax.nn.relu(x @ w)');
  await details(loss)
    .getByRole('button', { name: /line 2$/ })
    .first()
    .click();
  await expect.poll(() => selected(page)).toBe('    return jax.nn.relu(x @ w)');
  await text(loss).press('Escape');
  await cellAt(page, 1)
    .locator('.cm-line')
    .nth(4)
    .hover({ position: { x: 90, y: 8 } });
  await expect(details(loss).locator('.jxv-details-text')).toContainText('Highlighted for line 5');
});
