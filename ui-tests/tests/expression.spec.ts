/** The expression that an op comes from, as it is marked in the cell. */
import { cellAt, expect, LOAD, run, test, text, view } from './notebook';

test('the expression of an op is marked in its line, among Korean and emoji', async ({
  page,
  tmpPath,
}) => {
  const cell = [
    'def 손실(값, 비율):',
    "    이름 = '🎈', jnp.sin(값) * 비율 + jnp.sum(",
    '        jnp.cos(값))',
    '    return 이름[1]',
  ].join('\n');
  await run(page, `${tmpPath}/expression.ipynb`, [
    LOAD,
    cell,
    '%jaxviz 손실(jnp.ones(3), jnp.ones(3))',
  ]);
  const loss = view(page, '손실');
  const expression = page.locator('.jp-Cell .jxv-marked-expression');
  await text(loss).getByText('sin').hover();
  await expect(expression).toHaveText(['jnp.sin(값)']);
  await text(loss).getByText('reduce_sum').click();
  await expect(expression).toHaveText(['jnp.sum(', 'jnp.cos(값))']);
  await expect(page.locator('.jp-Cell .jxv-marked-line')).toHaveClass(/jxv-quiet/);
  await text(loss).getByText('sin').hover();
  await expect(expression).toHaveText(['jnp.sin(값)']);
  await cellAt(page, 2).locator('.cm-line').first().hover();
  await expect(expression).toHaveText(['jnp.sum(', 'jnp.cos(값))']);

  await cellAt(page, 1).locator('.cm-line').first().click();
  await page.keyboard.press('Home');
  await page.keyboard.type('# 🎉\n');
  await expect(expression).toHaveText(['jnp.sum(', 'jnp.cos(값))']);
  await text(loss).getByText('sin').click();
  await expect(expression).toHaveText(['jnp.sin(값)']);
  await cellAt(page, 1).locator('.cm-line').nth(2).click();
  await page.keyboard.press('End');
  await page.keyboard.type(' # 고침');
  await text(loss).getByText('mul').click();
  await expect(expression).toHaveCount(0);
  await expect(cellAt(page, 1)).toHaveClass(/jxv-edited-cell/);
});
