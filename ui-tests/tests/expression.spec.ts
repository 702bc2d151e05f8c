/** The expression that an op comes from, as it is marked in the cell. */
import { cellAt, details, expect, LOAD, openOutline, run, test, text, view } from './notebook';
import { slow } from './slow';

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

slow(test)(
  'in 600 px a name is not cut, and details of a loop do not move the graph',
  async ({ page, tmpPath }) => {
    const cell = `def classifier(layers, x):
    for layer in layers:
        h = x @ layer['w']
        x = jnp.tanh(h) + x
        x = jnp.sin(x)
    return x.sum()
layers = [{'w': jnp.ones((8, 8))} for _ in range(12)]
%jaxviz classifier(layers, jnp.ones((4, 8)))`;
    await page.setViewportSize({ width: 755, height: 1100 });
    await run(page, `${tmpPath}/narrow.ipynb`, [LOAD, cell]);
    await page.evaluate(() => window.jupyterapp.commands.execute('application:toggle-left-area'));
    const classifier = view(page, /classifier/);
    const graph = classifier.getByRole('img', { name: /^Graph of/ });
    const name = classifier.locator('.jxv-name');
    await expect
      .poll(() =>
        name.evaluate((one) => one.scrollWidth <= one.clientWidth && one.clientWidth > 70),
      )
      .toBe(true);
    const tree = await openOutline(classifier);
    const before = await graph.boundingBox();
    await tree.getByRole('treeitem', { name: /0…11/ }).first().click();
    await expect(details(classifier)).toContainText('for ×12, line 2');
    expect(await graph.boundingBox()).toMatchObject({ x: before?.x, y: before?.y });
  },
);
