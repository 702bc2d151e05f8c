import { expect, LOAD, openOutline, run, test, view } from './notebook';

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

test('names of functions, scopes and keys are text, whatever they hold', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/hostile.ipynb`, [LOAD, HOSTILE]);
  const shown = view(page, /^JAX program/);
  await shown.getByRole('button', { name: 'Expand all' }).click();
  await expect(shown.getByText(MARKUP, { exact: false }).first()).toBeVisible();
  const tree = await openOutline(shown);
  await expect(tree.getByRole('treeitem', { name: /^sin/ })).toBeVisible();
  for (const item of await tree.getByRole('treeitem').all()) await item.click();
  expect(await shown.locator('img').count()).toBe(0);
  expect(await page.evaluate(() => Reflect.get(globalThis, 'fallen'))).toBeUndefined();
});
