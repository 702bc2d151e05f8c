/** The player of a trace, in a notebook. */
import { expect, LOAD, run, test, text, view } from './notebook';

test('a trace is gone through line by line, forward and back', async ({ page, tmpPath }) => {
  const cell = `def f(x, n=2):
    print('x is', x.shape)
    for i in range(n):
        x = jnp.sin(x)
    return x * n
%jaxviz f(jnp.ones(3)) --steps`;
  await run(page, `${tmpPath}/steps.ipynb`, [LOAD, cell]);
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
  await expect(player).toContainText('It adds no eqn to the program.');
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
});
