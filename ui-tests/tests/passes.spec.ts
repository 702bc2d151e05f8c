/** XLA's passes in a real Lab: the list, the program after a pass, and what is agreed to first. */
import { expect, LOAD, run, screenshot, tab, test, view } from './notebook';
import { slow } from './slow';

const THERE_AND_BACK = `def there_and_back(x):
    y = jnp.sin(lax.rev(lax.rev(x, (0,)), (0,)))
    return jnp.tanh(y) + y

%jaxviz there_and_back(jnp.ones(8))`;

test('what each pass changed, and the program after one of them', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/passes.ipynb`, [LOAD, THERE_AND_BACK]);
  const program = view(page, 'there_and_back');
  await tab(program, 'Passes').click();
  const list = program.locator('.jxv-passes');
  const algsimp = list.getByRole('row', { name: /algsimp/ });
  await expect(algsimp).toContainText('no longer named: rev, rev');
  await expect(algsimp).toContainText('reverse −2');
  await expect(program.getByRole('tabpanel', { name: /^pass / })).toContainText('ENTRY');
  await screenshot(program, 'passes-last');

  await algsimp.getByRole('button', { name: 'algsimp' }).click();
  await expect(algsimp.getByRole('button', { name: 'algsimp' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
});

slow(test)('constants are written only once the reader agrees', async ({ page, tmpPath }) => {
  const cell = `table = np.arange(1000.0)
def looked_up(x):
    return x + jnp.asarray(table)

%jaxviz looked_up(jnp.ones(1000))`;
  await run(page, `${tmpPath}/constants.ipynb`, [LOAD, `import numpy as np\n${cell}`]);
  const program = view(page, 'looked_up');
  await tab(program, 'Passes').click();
  await expect(program).toContainText('3.9 KiB of constants');
  await screenshot(program, 'passes-agree');
  await program.getByRole('button', { name: 'Agree, and compile once more' }).click();
  await expect(program.locator('.jxv-passes')).toContainText('fusion');
});
