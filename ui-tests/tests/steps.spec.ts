/** The player of a trace, in a notebook. */
import { expect, LOAD, run, test, text, view } from './notebook';

test('a trace is gone through line by line, forward and back', async ({ page, tmpPath }) => {
  const cell = `def f(x, n=2):
    print('x is', x.shape)
    for i in range(n):
        x = jnp.sin(x)
    return x * n
%jaxviz f(jnp.ones(3)) --steps`;
  const shown = `@jax.jit
def inner(x):
    return jnp.cos(x)
inner(jnp.ones(3))
def g(x):
    y = inner(x)
    return y.sum()
%jaxviz jax.grad(g)(jnp.ones(3))`;
  await run(page, `${tmpPath}/steps.ipynb`, [LOAD, cell, shown]);
  const program = view(page, 'f');
  const player = program.getByRole('group', { name: 'Steps of the trace' });
  const now = player.locator('[aria-current=step]');
  const forward = player.getByRole('button', { name: 'Step forward' });
  await expect(player).toContainText('step 1 of 8');
  await expect(now).toHaveText('1def f(x, n=2):');
  await expect(player.getByRole('row')).toHaveText(['xf32[3]traced', 'n2static']);

  await forward.click();
  await expect(now).toContainText("print('x is', x.shape)");
  await expect(player.locator('.jxv-player-printed')).toContainText('x is (3,)');
  await expect(player).toContainText('Adds no eqn to the program.');
  await forward.click();
  await forward.click();
  await expect(now).toContainText('x = jnp.sin(x)');
  await expect(player).toContainText('JAX records 1 eqn: sin');
  await expect(text(program).locator('.jxv-l-linked')).toContainText('sin');

  await player.getByRole('button', { name: 'past the loop' }).click();
  await expect(now).toContainText('return x * n');
  await expect(player).toContainText('JAX records 1 eqn: mul');
  await player.getByRole('slider').press('ArrowLeft');
  await expect(player).toContainText('step 7 of 8');
  await player.getByRole('slider').press('Home');
  await expect(player).toContainText('step 1 of 8');

  const plain = view(page, 'grad(g)');
  const choose = async (name: string) => {
    await plain.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await choose('Step through its trace runs its Python once more');
  const again = plain.getByRole('group', { name: 'Steps of the trace' });
  await expect(again).toContainText('step 1 of 4');
  await again.getByRole('button', { name: 'Step forward' }).click();
  await expect(again).toContainText('inner was already traced, so none of its Python runs here.');
  await expect(plain.getByRole('tab', { name: 'HLO', exact: true })).toBeVisible();
  await choose('Back to the program without steps');
  await expect(again).toHaveCount(0);
});
