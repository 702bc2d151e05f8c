/** JAX's own objects, which draw themselves as the last value of a cell. */
import { cellAt, expect, LOAD, MODEL, outputs, run, screenshot, tab, test, view } from './notebook';

const JAXPR = 'w = jnp.ones((8, 4)); x = jnp.ones((2, 8))\njax.make_jaxpr(loss)(w, x)';
const OBJECTS = [
  'step = jax.jit(loss)\nstep.trace(w, x)',
  'step.lower(w, x)',
  'step.lower(w, x).compile()',
  'from jax import export\nexport.export(step)(w, x)',
];
const OFF = ['%jaxviz off', 'jax.make_jaxpr(loss)(w, x)', '%jaxviz step.lower(w, x)'];

test('a jaxpr, and what is made of it, are views until they are switched off', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/objects.ipynb`, [LOAD, MODEL, JAXPR, ...OBJECTS, ...OFF]);
  await expect(outputs(page, 8)).toContainText('{ lambda ; ');
  await expect(view(cellAt(page, 8), 'loss')).toHaveCount(0);
  await expect(view(cellAt(page, 9), 'loss')).toBeVisible();

  for (let cell = 2; cell < 7; cell += 1) {
    const shown = view(cellAt(page, cell), 'loss');
    await shown.scrollIntoViewIfNeeded();
    await expect(shown.getByRole('img', { name: /^Graph of/ })).toBeVisible();
    await screenshot(shown, `object-${cell}`);
  }
  const jaxpr = view(cellAt(page, 2), 'loss');
  await expect(cellAt(page, 2).locator('.jp-OutputPrompt')).toHaveText('[3]:');
  await tab(jaxpr, 'HLO').click();
  await expect(jaxpr.getByRole('tabpanel', { name: 'hlo', exact: true })).toBeVisible();
});
