/** What the values of a run were like, and what it took, in a notebook. */
import { expect, LOAD, run, screenshot, test, text, view } from './notebook';
import { slow } from './slow';

test('a line that is not finite stands first, and leads to its operation', async ({
  page,
  tmpPath,
}) => {
  const cell = `def f(x):
    y = x * 1000.0
    return jnp.log(y)
%jaxviz f(jnp.array([1.0, -1.0, 0.0])) --statistics`;
  const born = `def g(x):
    return jnp.log(x).sum(), x * 2.0
%jaxviz g(jnp.array([1.0, -1.0])) --find-nan`;
  await run(page, `${tmpPath}/values.ipynb`, [LOAD, cell, born]);
  const program = view(page, 'f');
  const rows = program.getByRole('table', { name: /One result of each line/ }).locator('tbody tr');
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

  const found = view(page, 'g');
  await expect(found.getByText('A NaN was born in log. It reached result[0].')).toBeVisible();
  await found.scrollIntoViewIfNeeded();
  await expect(text(found).locator('.jxv-l-selected')).toContainText('log');
  await screenshot(found, 'nan-way');
  await text(found).getByText('mul').click();
  const way = found.getByRole('button', { name: 'Show its way to result[0]' });
  await way.click();
  await expect(text(found).locator('.jxv-l-selected')).toContainText('log');
});

slow(test)(
  'the line that takes longest stands first, and leads to its operation',
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
