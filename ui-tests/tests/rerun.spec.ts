/** A program is read as text, edited, run again and compared, all without Python calls of jaxviz. */
import type { Page } from '@playwright/test';
import {
  cellAt,
  details,
  expect,
  LOAD,
  passesAxe,
  restart,
  run,
  screenshot,
  test,
  text,
  view,
} from './notebook';
import { slow } from './slow';

// Galata's mocks of kernels and sessions do not follow restarts.
test.use({
  kernels: null,
  sessions: null,
  viewport: { width: 1400, height: 1000 },
  permissions: ['clipboard-read', 'clipboard-write'],
});

const STEP = `def loss(params, x):
    h = x
    for p in params['layers']:
        h = jnp.tanh(h @ p['w'] + p['b'])
    return jnp.mean((h @ params['head'])**2)
def train(params, x, rate):
    return jax.tree.map(lambda p, g: p - rate * g, params, jax.grad(loss)(params, x))`;
const CALL = `layers = [{'w': jnp.ones((8, 8)), 'b': jnp.ones(8)} for _ in range(3)]
%jaxviz train({'layers': layers, 'head': jnp.ones((8, 4))}, jnp.ones((2, 8)), 0.1)`;

/** Replaces text in a cell, and runs the cell and those after it. */
async function edit(page: Page, cell: number, from: string, to: string): Promise<void> {
  await page.evaluate(
    async ([at, before, after]) => {
      const { commands, shell } = window.jupyterapp;
      const { content } = shell.currentWidget as unknown as {
        content: {
          activeCellIndex: number;
          widgets: { model: { sharedModel: { source: string; setSource(to: string): void } } }[];
        };
      };
      content.activeCellIndex = at as number;
      const shared = content.widgets[at as number]?.model.sharedModel;
      shared?.setSource(shared.source.replace(before as string, after as string));
      await commands.execute('notebook:run-all-below');
    },
    [cell, from, to],
  );
}

/** Wide enough for the text beside the graph. */
test.use({ viewport: { width: 1600, height: 900 } });

test('text begins with the program, copies exactly, and keeps the selection on reload', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/text.ipynb`, [LOAD, STEP, CALL]);
  const train = view(page, 'train');
  const shown = text(train);
  await expect(shown.locator('.cm-line').first()).toHaveText(
    /^\{ lambda ; params\(7\) x=h:f32\[2,8\] rate:~f32\[\]\. let$/,
  );
  await expect(shown).toContainText("params['head']");
  await expect(shown).not.toContainText('None');
  await shown.focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+c');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(/^\{ lambda ; a:f32\[8,4\] b:f32\[8\]/);
  expect(copied).toContain('out_sharding=None');
  await shown.locator('.jxv-short-list').first().click();
  await expect(shown.locator('.cm-line').first()).toContainText(
    "params['head']:f32[8,4] params['layers'][0]['b']:f32[8]",
  );
  await train.getByRole('button', { name: 'Exact text' }).click();
  await expect(shown.locator('.cm-line').first()).toContainText('{ lambda ; a:f32[8,4] b:f32[8]');
  await train.getByRole('button', { name: 'Exact text' }).click();
  const product = shown.locator('.cm-line', { hasText: 'dot_general' }).last();
  const line = (await product.textContent()) ?? '';
  await product.click();
  await expect(shown.locator('.jxv-l-selected').first()).toHaveText(line);
  await page.evaluate(() => window.jupyterapp.commands.execute('docmanager:save'));
  await page.evaluate(() => location.reload());
  await expect(details(train)).toContainText('dot_general');
  await expect(shown.locator('.jxv-l-selected').first()).toHaveText(line);
  await expect(shown.locator('.jxv-l-selected').first()).toBeInViewport();
});

test('after an edit the view shows what changed, and leads to the comparison and back', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/again.ipynb`, [LOAD, STEP, CALL]);
  const train = view(page, 'train');
  const since = cellAt(page, 2).locator('.jxv-since');
  await expect(text(train)).toContainText('tanh');
  await expect(since).toHaveCount(0);
  await edit(page, 0, 'jax, ', 'jax, ');
  await expect(cellAt(page, 2)).toContainText('[6]:');
  await expect(since).toHaveCount(0);
  await edit(page, 1, 'jnp.tanh', 'jnp.sin');
  await expect(since).toHaveText(/\d+ added, \d+ removed.* since the last run/);
  await screenshot(cellAt(page, 2), 'since-the-last-run');
  await passesAxe(page);
  await since.getByRole('button', { name: 'show' }).click();
  await expect(train.getByLabel('Comparison', { exact: true })).toContainText('added');
  await expect(text(train)).toContainText('tanh');
  await expect(text(train)).toContainText('sin');
  await screenshot(cellAt(page, 2), 'since-the-last-run-compared');
  await passesAxe(page);
  await since.getByRole('button', { name: 'back to the program' }).click();
  await expect(text(train)).not.toContainText('tanh');
  await edit(page, 1, '# ', '# ');
  await expect(since).toHaveCount(0);
  await edit(page, 1, 'h = x\n', 'h = x  # a comment\n');
  await expect(since).toHaveText('The same program as in the last run');
});

const MIXED = `def block(p, h):
    h = h + jnp.tanh(h @ p).astype(jnp.bfloat16)
    return h.astype(jnp.float32).sum()
step = jax.jit(block)`;
const WATCHED = `%%jaxviz
for rows in (2, 3, 4):
    step(jnp.ones((64, 64), jnp.bfloat16), jnp.ones((rows, 64), jnp.bfloat16))`;
const SHOWN = '%jaxviz step(jnp.ones((64, 64), jnp.bfloat16), jnp.ones((2, 64), jnp.bfloat16))';

slow(test)(
  'while the panel is open, the margin of a cell shows what its lines cost',
  async ({ page, tmpPath }) => {
    await run(page, `${tmpPath}/margin.ipynb`, [LOAD, MIXED, WATCHED, SHOWN]);
    await expect(view(page, 'block')).toBeVisible();
    const editor = cellAt(page, 1).locator('.cm-editor');
    const left = async () => (await editor.locator('.cm-line').first().boundingBox())?.x;
    const before = await left();
    await expect(editor.locator('.jxv-margin')).toHaveCount(0);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => window.jupyterapp.commands.hasCommand('jaxviz:open-panel'));
    await page.keyboard.press('Alt+j');
    const notes = editor.locator('.jxv-margin-note');
    await expect(notes).toHaveText(['⟳ 2×', /^\d+ %$/, /^bf16→f32( · \d+ %)?$/]);
    await expect(notes.nth(1)).toHaveAttribute('title', /% of the flops of block$/);
    await expect(editor.locator('.cm-content')).toHaveAttribute(
      'aria-description',
      /^Line 1: retraced 2 times\. Line 2: .* of block\. Line 3: casts bf16→f32/,
    );
    await screenshot(cellAt(page, 1), 'margin');
    await passesAxe(page);
    await editor.locator('.cm-line').nth(1).click();
    await page.keyboard.press('End');
    await page.keyboard.type(' * 2');
    await expect(notes).toHaveText([/^bf16→f32/]);
    await page.keyboard.press('Control+z');
    await expect(notes).toHaveCount(3);
    await restart(page);
    await expect(editor.locator('.jxv-margin')).toHaveCount(0);
    await page.evaluate(() => window.jupyterapp.commands.execute('notebook:run-all-cells'));
    await expect(notes.first()).toHaveText('⟳ 2×');
    await page.evaluate(() => window.jupyterapp.commands.execute('application:toggle-right-area'));
    await expect(editor.locator('.jxv-margin')).toHaveCount(0);
    expect(await left()).toBe(before);
  },
);
