import type { Locator } from '@playwright/test';
import { expect, LOAD, passesAxe, run, screenshot, test } from './notebook';

const PROGRAM = `import numpy as np
table = jnp.zeros((1024, 1024))

def block(x, w, scale, mask):
    h = x @ w / np.sqrt(64)
    y = jnp.tanh(x) * scale
    for _ in range(12):
        y = y - 0.1 * (jnp.sin(y) * jnp.cos(y))
    return h @ table + y

bf16 = jax.ShapeDtypeStruct((1024, 1024), "bfloat16")
row = jax.ShapeDtypeStruct((1024,), "float32")
mask = jax.ShapeDtypeStruct((1024, 1024), "float32")
%jaxviz block(bf16, bf16, row, mask)`;
const IGNORED = `def f(x):
    return x * np.float32(2)  # jaxviz: ignore upcast

%jaxviz f(bf16)`;

test('a quiet line in the bar opens to the findings, which lead to their eqns', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/findings.ipynb`, [LOAD, PROGRAM, IGNORED]);
  const view = page.getByRole('region', { name: 'JAX program block' });
  const count = view.getByRole('button', { name: '5 findings' });
  await expect(count).toHaveAttribute('aria-expanded', 'false');
  await screenshot(view, 'findings-closed');
  await count.click();
  const list = view.getByRole('list', { name: 'Findings' });
  await expect(list.locator('li b')).toHaveText([
    'An unexpected upcast',
    'An unexpected upcast',
    'An unrolled loop',
    'A captured constant',
    'An unused argument',
  ]);
  await expect(list).toContainText('because scale is f32[1024]');
  await expect(list).toContainText('the function closes over table, f32[1024,1024]: 4.0 MiB');
  await expect(list).toContainText('12 iterations of a Python loop are unrolled');
  await passesAxe(page, '.jxv-findings');
  for (const width of [600, 900, 1400]) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => outside(view.locator('.jxv-bar'))).toEqual([]);
    const name = view.locator('.jxv-name');
    expect(await name.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    await screenshot(view, `findings-${width}`);
  }
  await list.getByRole('button', { name: 'An unexpected upcast' }).nth(1).click();
  const details = view.getByRole('group', { name: 'Details' });
  await expect(details).toContainText('convert_element_type');
  await expect(details).toContainText('An unexpected upcast');
  await list.getByText('More about this').first().click();
  await expect(list.locator('.jxv-page').first()).toContainText('If it is intended');
  await screenshot(view, 'findings-more');
  const ignored = page.getByRole('region', { name: 'JAX program f', exact: true });
  await expect(ignored.locator('.jxv-bar')).toBeVisible();
  await expect(ignored.locator('.jxv-findings-count')).toHaveCount(0);
});

/** The controls of a bar that are not wholly in it, without those of the legend, which hides them where there is
 * no room. */
function outside(bar: Locator): Promise<string[]> {
  return bar.evaluate((node) => {
    const { left, right, top, bottom } = node.getBoundingClientRect();
    const isOut = (one: Element) => {
      const at = one.getBoundingClientRect();
      const isIn = at.left >= left && at.right <= right && at.top >= top && at.bottom <= bottom;
      return !isIn || at.width === 0;
    };
    return [...node.querySelectorAll('button:not(.jxv-legend *)')]
      .filter(isOut)
      .map((one) => one.textContent);
  });
}
