/** XLA's passes in a real Lab: the list, the program after a pass, what it changed, where an eqn went. */
import {
  details,
  expect,
  LOAD,
  nothingToMend,
  run,
  screenshot,
  tab,
  test,
  text,
  view,
} from './notebook';

const THERE_AND_BACK = `def there_and_back(x):
    y = jnp.sin(lax.rev(lax.rev(x, (0,)), (0,)))
    return jnp.tanh(y) + y

%jaxviz there_and_back(jnp.ones(8))`;

test('the program after a pass, what it changed, and where an eqn went', async ({
  page,
  tmpPath,
}) => {
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
  const after = program.getByRole('tabpanel', { name: 'pass 1' });
  await expect(after).toContainText('sine(');
  await expect(after).not.toContainText('reverse(');
  await algsimp.getByRole('button', { name: 'changes' }).click();
  await expect(program.getByRole('group', { name: 'Comparison' })).toContainText('2 removed');
  await screenshot(program, 'passes-changes');

  await tab(program, 'Jaxpr').click();
  await text(program).locator('.cm-line').filter({ hasText: 'rev[' }).first().click();
  await tab(program, 'HLO').click();
  await expect(program.getByRole('tabpanel', { name: 'hlo' })).toContainText('ENTRY');
  await tab(program, 'Jaxpr').click();
  await expect(details(program)).toContainText('folded, removed or renamed by XLA: algsimp (1)');
  await tab(program, 'Passes').click();
  await expect(list.locator('caption')).toContainText('algsimp (1)');
  await nothingToMend(page);
  await screenshot(program, 'passes-went');
});

test('constants are written only once the reader agrees', async ({ page, tmpPath }) => {
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
