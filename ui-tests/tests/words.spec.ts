/** Counts and sentences of a log: of a call that was captured before, of loops of three libraries with a smaller
 * last batch, and of ops that were compiled one by one. */
import { cellAt, expect, LOAD, passesAxe, run, screenshot, test } from './notebook';
import { slow } from './slow';
import { causes, clickEvent, details, log } from './timeline';

const DOUBLE = '@jax.jit\ndef double(x): return jnp.sin(x) * 2';

const LINEN = `import flax.linen as nn
dense = nn.Dense(3)
weights = dense.init(jax.random.key(0), jnp.ones((1, 4)))
apply = jax.jit(dense.apply)`;
const NNX = `from flax import nnx
linear = nnx.Linear(4, 3, rngs=nnx.Rngs(0))
@nnx.jit
def train(model, x):
    return nnx.value_and_grad(lambda model: (model(x) ** 2).mean())(model)[0]`;
const EQUINOX = `import equinox as eqx
layer = eqx.nn.Linear(4, 3, key=jax.random.key(0))
@eqx.filter_jit
def step(model, batch): return jax.vmap(model)(batch)`;
const batches = (call: string) => `%%jaxviz
for size in (8, 8, 5):
    ${call}
None`;

const OPS = `%%jaxviz
x = jnp.ones(3)
for size in (3, 4):
    y = jnp.sin(jnp.arange(size) * 0.5)
jnp.linalg.norm(x)
None`;

const PADDED = 'if this is a smaller last batch, pad it to the size of the others, or drop it';

// High enough for all that the test looks at, which is drawn only in view.
test.use({ viewport: { width: 1400, height: 1500 } });

slow(test)('a call that was captured first has its reason', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/looked.ipynb`, [
    LOAD,
    `${DOUBLE}\nx = jnp.ones(3)`,
    '%jaxviz double(x)',
    '%%jaxviz\ndouble(x); double(jnp.ones(4))\nNone',
  ]);
  const shown = log(page, 3);
  await expect(shown).toContainText('1 function · 2 traces (1 retrace)');
  await expect(causes(shown)).toHaveText([/x: f32\[3→4\]/]);
  await expect(causes(shown)).not.toContainText('pad');
  await clickEvent(shown, 0, /^double, first trace, already traced when jaxviz showed it/);
  await expect(details(shown)).toContainText('this call did not retrace it');
  await screenshot(cellAt(page, 3), 'words-looked');
  await passesAxe(page);
});

test('loops of libraries name the argument, and how to fix a smaller last batch', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/libraries.ipynb`, [
    LOAD,
    LINEN,
    batches('apply(weights, jnp.ones((size, 4)))'),
    NNX,
    batches('train(linear, jnp.ones((size, 4)))'),
    EQUINOX,
    batches('step(layer, jnp.ones((size, 4)))'),
  ]);
  for (const [cell, name, argument] of [
    [2, 'Dense.apply', 'inputs'],
    [4, 'train', 'x'],
    [6, 'step', 'batch'],
  ] as const) {
    const shown = log(page, cell);
    await expect(shown).toContainText('1 function · 2 traces (1 retrace)', { timeout: 60_000 });
    await expect(causes(shown)).toHaveCount(1);
    await expect(causes(shown)).toContainText(name);
    await expect(causes(shown)).toContainText(`${argument}: f32[8→5, 4]`);
    await expect(causes(shown)).toContainText(PADDED);
  }
  await passesAxe(page);
});

slow(test)(
  'what was compiled op by op is a lane, and a list by op and line',
  async ({ page, tmpPath }) => {
    await run(page, `${tmpPath}/ops.ipynb`, [LOAD, OPS, '%%jaxviz\n1 + 1\nNone']);
    const shown = log(page, 1);
    await expect(shown.locator('.jxv-log-ops')).toContainText('op by op');
    expect(await shown.locator('.jxv-log-ops i').count()).toBeGreaterThan(3);
    const ops = shown.locator('.jxv-log-oplist');
    await expect(ops).toContainText('repeats are not recorded');
    await expect(ops.locator('li').filter({ hasText: 'jnp.sin' })).toContainText('×2');
    await expect(ops.locator('li').filter({ hasText: 'jnp.sin' })).toContainText('cell 2, line 4');
    await expect(ops.locator('li').filter({ hasText: 'jnp.linalg.norm' })).toContainText('line 5');
    await expect(shown).not.toContainText('Nothing');
    await expect(log(page, 2)).toContainText('Nothing new was traced or compiled');
    for (const width of [1400, 900, 600]) {
      await page.setViewportSize({ width, height: 1500 });
      await screenshot(cellAt(page, 1), `words-ops-${width}`);
    }
    await passesAxe(page);
    await page.theme.setDarkTheme();
    await screenshot(cellAt(page, 1), 'words-ops-dark-600');
    await page.setViewportSize({ width: 1400, height: 1500 });
    await screenshot(cellAt(page, 1), 'words-ops-dark-1400');
    await passesAxe(page);
  },
);

slow(test)('all values of a cause, each with how often', async ({ page, tmpPath }) => {
  const sizes = `%%jaxviz
${DOUBLE}
for size in (256, 1024, 64, 8):
    double(jnp.ones((size, 4)))
    jax.jit(lambda x: x + 1)(jnp.ones(3))
None`;
  await run(page, `${tmpPath}/values.ipynb`, [LOAD, sizes]);
  const cause = causes(log(page, 1)).filter({ hasText: 'x: f32' });
  await expect(cause).toContainText('x: f32[256→1024, 4]');
  await expect(cause).toContainText('x: f32[1024→64, 4]');
  await expect(cause).toContainText('×3');
  await expect(cause).toContainText('pad x to one of a few sizes');
  await expect(causes(log(page, 1)).filter({ hasText: 'new function' })).toContainText(
    'move the jit out of the loop',
  );
  for (const width of [1400, 600]) {
    await page.setViewportSize({ width, height: 1500 });
    await screenshot(cellAt(page, 1), `words-values-${width}`);
  }
  await passesAxe(page);
});
