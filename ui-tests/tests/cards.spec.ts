import { cellAt, expect, FAILING, LOAD, panel, passesAxe, run, screenshot, test } from './notebook';
import { slow } from './slow';

const SHAPES = `@jax.jit
def 층(x, w):
    높이 = jnp.tanh(x)
    return 높이 @ w

층(jnp.ones((4, 3)), jnp.ones((4, 2)))`;
const OWN = 'raise KeyError("mine")';

test('an error has a card below its traceback, and a fix goes into the cell', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/cards.ipynb`, [LOAD, FAILING]);
  const card = page.getByRole('article', { name: 'if or while on a traced value' });
  await expect(card).toContainText('argument x f32[4,3] → dot_general line 3 → tanh line 3');
  await expect(card.locator('.jxv-card-code mark')).toHaveText('h.sum() > 0');
  await expect(card.locator('ins')).toHaveText(
    '    return jnp.where(h.sum() > 0, h.sum(), -h.sum())',
  );
  await expect(card.getByRole('img', { name: /^Graph of loss/ })).toBeVisible();
  await expect(card.locator('.jxv-details')).toContainText('gt');
  await passesAxe(page, '.jxv-card');
  await screenshot(card, 'card');
  for (const width of [600, 900, 1400]) {
    await page.setViewportSize({ width, height: 900 });
    await screenshot(card, `card-${width}`);
  }
  await card.getByRole('button', { name: 'Try: trace it' }).click();
  const made = card.locator('.jxv-card-tried');
  await expect(made.getByRole('img', { name: /^Graph of loss/ })).toBeVisible();
  await expect(made).toContainText('With this, JAX makes:');
  await card.getByText('More about this').click();
  await expect(card.locator('.jxv-page')).toContainText('What to write instead');
  await screenshot(card, 'card-tried');
  await card.getByRole('button', { name: 'Open it in the panel' }).click();
  const read = panel(page).getByRole('tabpanel', { name: 'More about this' });
  await expect(read).toContainText('What to write instead');
  await expect(read).toBeFocused();
  await screenshot(panel(page), 'page-in-panel');
  await read.getByRole('button', { name: 'Close' }).click();
  await expect(panel(page)).not.toContainText('What to write instead');
  await card.getByRole('button', { name: 'Put into the cell' }).click();
  const code = cellAt(page, 1).locator('.jp-InputArea .cm-content');
  await expect(code).toContainText('return jnp.where(h.sum() > 0, h.sum(), -h.sum())');
  await code.click();
  await page.keyboard.press('Control+z');
  await expect(code).toContainText('if h.sum() > 0: return h.sum()');
});

slow(test)(
  'shapes are below one another, and an error of the user has no card',
  async ({ page, tmpPath }) => {
    await run(page, `${tmpPath}/own.ipynb`, [LOAD, `%%jaxviz\n${OWN}`]);
    await expect(page.getByText('KeyError').first()).toBeVisible();
    await expect(page.locator('.jxv-card')).toHaveCount(0);
    await run(page, `${tmpPath}/shapes.ipynb`, [LOAD, `%%jaxviz\n${SHAPES}`]);
    const card = page.getByRole('article', { name: 'These shapes do not fit together' });
    await expect(card.locator('.jxv-card-code mark')).toHaveText('높이 @ w');
    await expect(card.locator('.jxv-card-sides')).toContainText('높이');
    await screenshot(card, 'card-shapes');
  },
);
