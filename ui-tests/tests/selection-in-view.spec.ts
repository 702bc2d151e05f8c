/** No command of the reader puts the selection out of view. */
import { choose, details, expect, LOAD, pointAt, run, test, text, view } from './notebook';

/** One `rsqrt` among twelve loops within loops. */
const TOWER = `def row(c, x):
    c = jnp.tanh(c @ x)
    return c, c.sum()

def marked(c, x):
    c = lax.rsqrt(c @ x)
    return c, c.sum()

def tower(c, xs):
    for turn in range(12):
        step = marked if turn == 6 else row
        c, sums = lax.scan(lambda c, x: lax.scan(step, c, x), c, xs)
    return c, sums
%jaxviz tower(jnp.ones((8, 8)), jnp.ones((3, 4, 8, 8)))`;

/** Wide enough for the text beside the graph. */
test.use({ viewport: { width: 1600, height: 900 } });

test('what is selected stays in view, whatever is found, opened, closed, fitted or resized', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/place.ipynb`, [LOAD, TOWER]);
  const tower = view(page, 'tower');
  const graph = tower.getByRole('img', { name: /^Graph of/ });
  const expectVisible = (name = /^rsqrt/) =>
    expect(async () => void (await pointAt(page, graph, name))).toPass({ timeout: 20_000 });

  await test.step('find opens what hides it', async () => {
    await tower.getByRole('searchbox', { name: 'Find' }).fill('rsqrt');
    await page.keyboard.press('Enter');
    await expect(details(tower)).toContainText('rsqrt');
    await expectVisible();
  });

  await test.step('expand all, and collapse all, which leaves what holds it', async () => {
    await choose(tower, 'Expand all');
    await expectVisible();
    await choose(tower, 'Collapse all');
    await expectVisible(/^(scan|tower|section|for|marked)/);
    await choose(tower, 'Expand all');
    await expectVisible();
  });

  await test.step('fit', async () => {
    await choose(tower, 'Fit');
    await expectVisible();
  });

  await test.step('the text in another form', async () => {
    const line = text(tower).locator('.jxv-l-selected');
    await expect(line).toBeInViewport();
    for (const pressed of ['true', 'false']) {
      const exact = tower.getByRole('button', { name: 'Exact text' });
      await exact.click();
      await expect(exact).toHaveAttribute('aria-pressed', pressed);
      await expect(line).toBeInViewport();
    }
  });

  await test.step('a narrower and a wider window', async () => {
    for (const width of [900, 1500]) {
      await page.setViewportSize({ width, height: 900 });
      await expectVisible();
    }
  });
});

test('in a narrow view the text is below the graph, and the selection is visible in both', async ({
  page,
  tmpPath,
}) => {
  await page.setViewportSize({ width: 900, height: 1500 });
  await run(page, `${tmpPath}/narrow.ipynb`, [LOAD, TOWER]);
  const tower = view(page, 'tower');
  const graph = tower.getByRole('img', { name: /^Graph of/ });
  const side = tower.locator('.jxv-side');
  const line = text(tower).locator('.jxv-l-selected');
  const expectVisibleInBoth = async () => {
    await expect(async () => void (await pointAt(page, graph, /^rsqrt/))).toPass();
    await side.scrollIntoViewIfNeeded();
    await expect(line).toBeInViewport();
  };
  await tower.getByRole('searchbox', { name: 'Find' }).fill('rsqrt');
  await page.keyboard.press('Enter');
  await expectVisibleInBoth();
  const [above, below] = [await graph.boundingBox(), await side.boundingBox()];
  expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
  await choose(tower, 'Expand all');
  await expectVisibleInBoth();
  await page.setViewportSize({ width: 600, height: 1500 });
  await expectVisibleInBoth();
});
