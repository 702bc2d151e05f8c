/** Where the time of a profiled cell went, in a notebook. */
import { expect, LOAD, run, test, view } from './notebook';

test('a profiled cell shows where its time went, and leads to the line that was slow', async ({
  page,
  tmpPath,
}) => {
  const setUp = `def layer(x, w):
    return jnp.tanh(x @ w)
@jax.jit
def step(x, ws):
    for w in ws:
        x = layer(x, w)
    return jnp.sin(x).sum()
x = jnp.ones((400, 400)); ws = [x * 0.01] * 3
_ = step(x, ws)`;
  const cell = `%%jaxviz --profile
for _ in range(20):
    step(x, ws)
jax.jit(lambda x: jnp.cos(x) + 1)(x).block_until_ready()`;
  await run(page, `${tmpPath}/cell-times.ipynb`, [LOAD, setUp, cell]);
  const log = page.getByRole('group', { name: 'What JAX traced' });
  const times = log.getByRole('region', { name: 'Where the time went' });
  await expect(times).toContainText('Measured: all of');
  await expect(times).toContainText('programs ran');
  await expect(times.getByRole('row', { name: /step/ })).toContainText('runs');
  await times.getByRole('row', { name: /step/ }).getByRole('button').click();
  const lines = view(page, 'step').getByRole('table', { name: /Measured time of each line/ });
  const first = lines.locator('tbody tr').first();
  await expect(first).toContainText('return jnp.tanh(x @ w)');
  await page.screenshot({ path: test.info().outputPath('cell-times.png') });
});
