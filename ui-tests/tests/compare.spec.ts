/** Two programs as one: from a timeline, and from Python. */
import type { Locator } from '@playwright/test';
import {
  cellAt,
  expect,
  LOAD,
  openOutline,
  passesAxe,
  pointAt,
  run,
  screenshot,
  test,
  text,
  view,
} from './notebook';
import { slow } from './slow';
import { clickEvent, details, grid, log } from './timeline';

test.use({ viewport: { width: 1280, height: 1500 } });

const TRACES = `%%jaxviz
from functools import partial
@partial(jax.jit, static_argnames="act")
def layer(w, x, act): return getattr(jnp, act)(x @ w)
w = jnp.ones((4, 4))
layer(w, jnp.ones((8, 4)), "tanh")
layer(w, jnp.ones((5, 4)), "tanh")
layer(w, jnp.ones((8, 4)), "sin")
layer(w, jnp.ones((8, 4)), act="sin")`;

const PROGRAMS = `import jaxviz
def mean(x): return (x * 2.0).sum() / x.size
def upcast(x): return (jnp.asarray(x, jnp.float32) * 2.0).sum() / x.size
x = jax.ShapeDtypeStruct((8,), jnp.bfloat16)
before, after = jaxviz.inspect(mean)(x), jaxviz.inspect(upcast)(x)
jaxviz.compare(before, after)`;

const WATCHED = `with jaxviz.watch() as watched: jax.jit(mean)(jnp.ones(3))
watched`;

const button = (of: Locator, name: string) => of.getByRole('button', { name, exact: true });
const comparison = (of: Locator) => of.getByLabel('Comparison', { exact: true });

const position = (of: Locator) => comparison(of).locator('.jxv-compared-at');

test('any two traces of a timeline are compared', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/traces.ipynb`, [LOAD, TRACES]);
  const shown = log(page, 1);
  await expect(shown).toContainText('4 traces (3 retraces)');
  await clickEvent(shown, 6, /^layer, retrace 2 of 3/);
  await expect(details(shown)).toContainText('compared withfirst trace');
  await button(details(shown), 'Compare with the first trace').click();
  await expect(comparison(shown)).toContainText('1 added');
  await expect(comparison(shown)).toContainText('1 removed');
  const layer = view(shown, 'layer');
  await expect(text(layer)).toContainText('sin');
  await expect(text(layer)).toContainText('tanh');
  const tree = await openOutline(layer);
  for (const name of [
    'tanh, f32[8,4], cell 2, line 4, removed',
    'sin, f32[8,4], cell 2, line 4, added',
    'input x, f32[8,4]',
  ]) {
    await expect(tree.getByRole('treeitem', { name, exact: true })).toBeVisible();
  }
  await screenshot(shown, 'compare-traces');
  await passesAxe(page);

  await button(shown, 'Compare with…').click();
  await expect(shown).toContainText('Choose what to compare with layer, retrace 2 of 3');
  await grid(shown).press('End');
  await grid(shown).press('Enter');
  await expect(comparison(shown)).toContainText('Both programs are the same: 2 eqns');
});

slow(test)(
  'two programs of Python are one picture, and a log shows itself',
  async ({ page, tmpPath }) => {
    await run(page, `${tmpPath}/programs.ipynb`, [LOAD, PROGRAMS, WATCHED]);
    const shown = cellAt(page, 1);
    await expect(comparison(shown)).toContainText(/1 added.*2 removed.*1 result differs/);
    await expect(log(page, 2)).toContainText('1 function · 1 trace');
    await button(shown, 'Next change').click();
    await expect(position(shown)).toHaveText('1 of 4 places');
    await button(shown, 'Previous change').click();
    await expect(position(shown)).toHaveText('4 of 4 places');
    await screenshot(shown, 'compare');
    await passesAxe(page);
    await page.theme.setDarkTheme();
    await screenshot(shown, 'compare-dark');
    await passesAxe(page);
  },
);

const CASTS = `import jaxviz, numpy as np
def normalize(x, epsilon):
    return x / jnp.sqrt(jnp.mean(x * x, -1, keepdims=True) + epsilon)
x = jax.ShapeDtypeStruct((64, 512), jnp.bfloat16)
jaxviz.compare(jaxviz.inspect(normalize)(x, 1e-6), jaxviz.inspect(normalize)(x, np.float32(1e-6)))`;

for (const width of [600, 900, 1400]) {
  test(`a comparison opens whole, from its top, at ${width} px`, async ({ page, tmpPath }) => {
    await page.setViewportSize({ width, height: 1300 });
    await run(page, `${tmpPath}/casts.ipynb`, [LOAD, CASTS]);
    await page.evaluate(() => window.jupyterapp.commands.execute('application:toggle-left-area'));
    const shown = cellAt(page, 1);
    const graph = shown.getByRole('img', { name: /^Graph of/ });
    await expect(comparison(shown)).toContainText('1 removed');
    await expect(graph).toBeVisible();
    await screenshot(shown, `compare-casts-${width}`);
    expect(await pointAt(page, graph, /^(input )?x\b/)).toBeLessThan(0.2);
    expect(await pointAt(page, graph, /^(output )?result/)).toBeGreaterThan(0.6);
  });
}

const RETYPED = `import jaxviz, numpy as np
def normalize(x, epsilon):
    mean = (x * x).mean(axis=1, keepdims=True)
    return x / jnp.sqrt(mean + epsilon)
x = jax.ShapeDtypeStruct((64, 512), jnp.bfloat16)
before = jaxviz.inspect(normalize)(x, 1e-6)
after = jaxviz.inspect(normalize)(x, np.float32(1e-6))
jaxviz.compare(before, after)`;

test('a comparison is all in view at three widths, with removed eqns above their users', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/normalize.ipynb`, [LOAD, RETYPED]);
  await page.evaluate(() => window.jupyterapp.commands.execute('application:toggle-left-area'));
  const shown = view(page, /normalize/);
  const graph = shown.getByRole('img', { name: /^Graph of/ });
  for (const width of [1400, 900, 600]) {
    await page.setViewportSize({ width, height: 1500 });
    await expect(comparison(shown)).toContainText('1 removed');
    await expect(async () => {
      let last = 0;
      for (const name of [/^x\b/, /^convert_element_type .* bf16\[\]/, /^add/, /^result/]) {
        const share = await pointAt(page, graph, name);
        expect(share).toBeGreaterThan(last);
        last = share;
      }
    }).toPass({ timeout: 20_000 });
    await screenshot(shown, `compare-${width}`);
  }
});
