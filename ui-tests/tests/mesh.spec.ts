/** Devices that are not there: what each of them holds. */
import {
  details,
  expect,
  LOAD,
  openOutline,
  passesAxe,
  run,
  screenshot,
  test,
  view,
} from './notebook';
import { slow } from './slow';

const STEP = `from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec as P

mesh = AbstractMesh((32, 8), ("data", "model"), axis_types=(AxisType.Auto,) * 2)

def split(shape, *axes):
    return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, P(*axes)))

def loss(w, x):
    return (jnp.tanh(x @ w) ** 2).mean()

%jaxviz loss(split((512, 1024), "data", "model"), split((2048, 512), "data")) --stage jaxpr`;

slow(test)('what each of 256 devices that are not there holds', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/mesh.ipynb`, [LOAD, STEP]);
  const step = view(page, /loss/);
  const items = await openOutline(step);
  const table = details(step).getByRole('table');

  await items.getByRole('treeitem', { name: /^input x/ }).click();
  await expect(details(step)).toContainText('f32[64,512] 128.0 KiB');
  await expect(details(step)).toContainText('dimension 0 along data; the same along model');
  await expect(table.getByRole('row')).toHaveCount(6); // the axes, three, those between, the last
  await expect(table.getByRole('row').last()).toContainText('data 31[1984:2048, :]');

  await items.getByRole('treeitem', { name: /^input w/ }).click();
  await expect(table.getByRole('row').last()).toContainText('data 31[496:512, 0:128]');
  await passesAxe(page);
  await screenshot(step, 'mesh');
});
