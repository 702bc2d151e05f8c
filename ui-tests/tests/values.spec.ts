/** Statistics of the values of a run, and its times, in a notebook. */
import type { Page } from '@playwright/test';
import { details, expect, LOAD, run, screenshot, tab, test, text, view } from './notebook';
import { slow } from './slow';

test('a line that is not finite comes first, and leads to its operation', async ({
  page,
  tmpPath,
}) => {
  const cell = `def f(x):
    y = x * 1000.0
    return jnp.log(y)
%jaxviz f(jnp.array([1.0, -1.0, 0.0])) --statistics`;
  const findNan = `def g(x):
    return jnp.log(x).sum(), x * 2.0
%jaxviz g(jnp.array([1.0, -1.0])) --find-nan`;
  await run(page, `${tmpPath}/values.ipynb`, [LOAD, cell, findNan]);
  const program = view(page, 'f');
  const rows = program.getByRole('table', { name: /One result per line/ }).locator('tbody tr');
  await expect(rows).toHaveCount(2);
  await expect(rows.first().getByRole('cell')).toHaveText([
    '6.91',
    '1',
    '1',
    'log f32[3]',
    /return jnp\.log\(y\)/,
  ]);
  await expect(rows.last()).toContainText('1,000');
  const line = rows.first().getByRole('button');
  await line.click();
  await expect(line).toHaveAttribute('aria-pressed', 'true');
  await expect(text(program).locator('.jxv-l-linked')).toContainText('log');

  const nan = view(page, 'g');
  await expect(nan.getByText('A NaN comes from log. It reached result[0].')).toBeVisible();
  await nan.scrollIntoViewIfNeeded();
  await expect(text(nan).locator('.jxv-l-selected')).toContainText('log');
  await screenshot(nan, 'nan-way');
  await text(nan).getByText('mul').click();
  const path = nan.getByRole('button', { name: 'Show its path to result[0]' });
  await path.click();
  await expect(text(nan).locator('.jxv-l-selected')).toContainText('log');
});

test('a part shows how its values are spread, until its arrays are gone', async ({
  page,
  tmpPath,
}) => {
  const cell = `def grown(x):
    def turn(c, _):
        c = c * 1.5 - 1.0
        return c, c.sum()
    return lax.scan(turn, x, None, 30)
start = jnp.linspace(-1.0, 4.0, 200)
%jaxviz grown(start) --statistics`;
  await run(page, `${tmpPath}/part.ipynb`, [LOAD, cell]);
  const program = view(page, 'grown');
  await text(program).getByText('mul', { exact: true }).click();
  const ask = program.getByRole('button', { name: 'Distribution of its values' });
  await ask.click();
  const distribution = details(program).getByRole('region', { name: 'Distribution of its values' });
  await expect(distribution).toContainText(/-\S+ to \S+, mean \S+, deviation \S+/);
  await expect(distribution).toContainText('largest value in iterations 0 to 29');
  await program.scrollIntoViewIfNeeded();
  await distribution.locator('figcaption').last().scrollIntoViewIfNeeded();
  await screenshot(program, 'values-part');
  await tab(program, 'Table').click();
  await expect(program.getByRole('columnheader', { name: 'largest', exact: true })).toBeVisible();

  await execute(page, 'start.delete()');
  await tab(program, 'Text').click();
  await text(program).getByText('sub', { exact: true }).click();
  await ask.click();
  await expect(details(program)).toContainText('are gone: they were replaced, deleted or donated');
});

slow(test)(
  'the line that takes longest comes first, and leads to its operation',
  async ({ page, tmpPath }) => {
    const cell = `def f(x):
    y = jnp.sin(x[0])
    z = x @ x
    return z + y
%jaxviz f(jnp.ones((500, 500))) --profile`;
    await run(page, `${tmpPath}/times.ipynb`, [LOAD, cell]);
    const program = view(page, 'f');
    const rows = program.getByRole('table', { name: /Measured time of each line/ });
    const first = rows.locator('tbody tr').first();
    await expect(first).toContainText('dot_general');
    await expect(first).toContainText('z = x @ x');
    await first.getByRole('button').click();
    await expect(text(program).locator('.jxv-l-linked')).toContainText('dot_general');
  },
);

/** Runs code in the kernel of the notebook in front, in no cell. */
async function execute(page: Page, code: string): Promise<void> {
  await page.evaluate(async (code) => {
    const panel = window.jupyterapp.shell.currentWidget as unknown as {
      sessionContext: {
        session: { kernel: { requestExecute: (of: { code: string }) => { done: Promise<void> } } };
      };
    };
    await panel.sessionContext.session.kernel.requestExecute({ code }).done;
  }, code);
}
