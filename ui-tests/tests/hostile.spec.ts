import type { Locator } from '@playwright/test';
import { choose, expect, LOAD, openOutline, run, test, view } from './notebook';
import { causes, details, grid, log } from './timeline';

const MARKUP = '<img src=x onerror=globalThis.fallen=1>';

/** The same markup as function name, scope, dict key and name of a callee. */
const HOSTILE = `markup = ${JSON.stringify(MARKUP)}
def inner(x):
    with jax.named_scope(markup):
        return jnp.sin(x)
inner.__name__ = markup
def loss(params):
    return jax.jit(inner)(params[markup]) + params['__proto__']
loss.__name__ = markup
%jaxviz loss({markup: 1.0, '__proto__': 2.0})`;

const TRACED = `%%jaxviz
markup = ${JSON.stringify(MARKUP)}
def traced(params, mode): return jnp.sin(params[markup])
traced.__name__ = markup
traced = jax.jit(traced, static_argnames="mode")
traced({markup: jnp.ones(8)}, "<b id=b>")
traced({markup: jnp.ones(5)}, "</script><img src=x>")`;

async function nothingCame(of: Locator): Promise<void> {
  expect(await of.locator('img[src]').count()).toBe(0);
  expect(await of.page().evaluate(() => Reflect.get(globalThis, 'fallen'))).toBeUndefined();
}

test('names of functions, scopes and keys are shown as text, also where they are markup', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/hostile.ipynb`, [LOAD, HOSTILE]);
  const shown = view(page, /^JAX program/);
  await choose(shown, 'Expand all');
  await expect(shown.getByText(MARKUP, { exact: false }).first()).toBeVisible();
  const tree = await openOutline(shown);
  await expect(tree.getByRole('treeitem', { name: /^sin/ })).toBeVisible();
  for (const item of await tree.getByRole('treeitem').all()) await item.click();
  await nothingCame(shown);
});

test('what was traced, and with which values, is text', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/traced.ipynb`, [LOAD, TRACED]);
  const shown = log(page, 1);
  await expect(shown).toContainText('2 traces (1 retrace)');
  await expect(causes(shown)).toContainText([MARKUP]);
  await grid(shown).press('Home');
  for (let times = 0; times < 3; times++) await grid(shown).press('ArrowRight');
  await expect(details(shown)).toContainText("'<b id=b>' → '</script><img src=x>'");
  await grid(shown).press('p');
  await expect(shown.getByLabel('Comparison', { exact: true })).toContainText('1 input differs');
  await nothingCame(shown);
});
