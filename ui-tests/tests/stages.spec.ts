/** Later stages, which a real kernel makes when they are first opened. */
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import { type Locator, test as plain } from '@playwright/test';
import {
  details,
  expect,
  LESSON,
  LOAD,
  notebook,
  open,
  pointAt,
  put,
  restart,
  run,
  runAll,
  screenshot,
  tab,
  test,
  view,
} from './notebook';
import { slow } from './slow';

/** An eqn whose lowering takes until `gate` is set. */
const GATE = `${LOAD}
import threading
from jax.extend.core import Primitive
from jax.interpreters import mlir
gate = threading.Event()
slow = Primitive('slow')
slow.def_abstract_eval(lambda x: x)
mlir.register_lowering(slow, lambda context, x: (gate.wait(), [x])[1])
def gated(x):
    y = jnp.sin(x) @ x
    return slow.bind(jnp.tanh(y)).sum()`;
const GATED = '%jaxviz gated(jnp.ones((8, 8)))';
const PALLAS = `from jax.experimental import pallas as pl
def double(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2
def pallas(x):
    return pl.pallas_call(double, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)
%jaxviz pallas(jnp.ones((8, 128)))`;

const graph = (of: Locator) => of.getByRole('img', { name: /^Graph of/ });

/** A notebook with these cells; the first two have run. */
async function prepared(
  page: IJupyterLabPageFixture,
  path: string,
  sources: string[],
): Promise<void> {
  await open(page, path, notebook(sources));
  await page.notebook.runCell(0);
  await page.notebook.runCell(1);
}

/** Wide enough for the text beside the graph. */
test.use({ viewport: { width: 1600, height: 900 } });

test('a stage is made when its tab is opened, and its progress is shown meanwhile', async ({
  page,
  tmpPath,
}) => {
  await prepared(page, `${tmpPath}/gate.ipynb`, [GATE, GATED, 'gate.set()']);
  const gated = view(page, 'gated');
  await tab(gated, 'HLO').click();
  await expect(gated.getByRole('status').filter({ hasText: 'lowering' })).toBeVisible();
  await expect(gated.getByRole('tabpanel', { name: 'jaxpr', exact: true })).toBeVisible();
  await screenshot(gated, 'stage-making');
  await gated.getByRole('button', { name: 'Stop' }).click();
  await expect(gated).toContainText('Stopped.');
  await screenshot(gated, 'stage-stopped');

  await gated.getByRole('button', { name: 'Try again' }).click();
  await expect(gated.getByRole('status').filter({ hasText: 'lowering' })).toBeVisible();
  await page.notebook.runCell(2);
  await expect(gated.getByRole('tabpanel', { name: 'hlo', exact: true })).toBeVisible();
  await screenshot(gated, 'stage-hlo');
});

slow(test)(
  'a stage that cannot be made shows the reason, and the others stay',
  async ({ page, tmpPath }) => {
    await run(page, `${tmpPath}/pallas.ipynb`, [LOAD, PALLAS]);
    const pallas = view(page, 'pallas');
    await tab(pallas, 'HLO').click();
    await expect(pallas).toContainText('Only interpret mode is supported on CPU backend');
    await screenshot(pallas, 'stage-refused');
    await tab(pallas, 'Jaxpr').click();
    await expect(graph(pallas)).toBeVisible();
  },
);

slow(plain)('in Notebook 7 a reloaded page requests stages again', async ({ page, request }) => {
  await put(request, 'reload7.ipynb', notebook([LOAD, LESSON]));
  await page.goto('/notebooks/reload7.ipynb');
  await runAll(page);
  const lesson = view(page.locator('.jp-jaxviz'), 'lesson');
  await tab(lesson, 'StableHLO').click();
  await expect(lesson.getByRole('tabpanel', { name: 'stablehlo', exact: true })).toBeVisible();
  const saved = page.waitForResponse(
    (one) => one.request().method() === 'PUT' && one.url().includes('/api/contents/reload7.ipynb'),
  );
  await page.keyboard.press('Control+s');
  expect((await saved).ok()).toBe(true);

  await page.reload();
  await tab(lesson, 'StableHLO').click();
  await expect(lesson.getByRole('tabpanel', { name: 'stablehlo', exact: true })).toBeVisible();
  await screenshot(lesson, 'stage-stablehlo');
});

test.describe('with kernels of their own', () => {
  test.use({ kernels: null, sessions: null });

  slow(test)(
    'after a restart the page shows how to make the stage again',
    async ({ page, tmpPath }) => {
      await prepared(page, `${tmpPath}/restart.ipynb`, [GATE, GATED]);
      const gated = view(page, 'gated');
      await tab(gated, 'StableHLO').click();
      await expect(gated.getByRole('button', { name: 'Stop' })).toBeVisible();
      await restart(page);
      await expect(gated).toContainText('The kernel that made this program has ended');
      await gated.getByRole('button', { name: 'Try again' }).click();
      await expect(gated).toContainText('Another kernel made this program');
      await screenshot(gated, 'stage-restarted');
    },
  );
});

test('the lines of what is selected are marked in the notebook, until the output is removed', async ({
  page,
  tmpPath,
}) => {
  await prepared(page, `${tmpPath}/lines.ipynb`, [GATE, GATED]);
  const gated = view(page, 'gated');
  await gated.getByRole('searchbox', { name: 'Find' }).fill('tanh');
  await page.keyboard.press('Enter');
  const marked = page.locator('.cm-line.jxv-marked-line');
  await expect(marked).toHaveText(['    return slow.bind(jnp.tanh(y)).sum()']);
  await screenshot(page.locator('.jp-Notebook'), 'stage-lines');
  await page.evaluate(() => window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs'));
  await expect(marked).toHaveCount(0);
});

test('another stage opens where the reader was, and its text at the program', async ({
  page,
  tmpPath,
}) => {
  const deep = `def block(p, x):
    h = jnp.tanh(x @ p['up'])
    return x + h @ p['down']

def deep(params, x):
    for p in params[:6]:
        x = block(p, x)
    for p in params[6:]:
        x = jnp.sin(block(p, x))
    return x.sum()
params = [{'up': jnp.ones((8, 16)), 'down': jnp.ones((16, 8))} for _ in range(12)]
%jaxviz deep(params, jnp.ones((4, 8))) --depth 9`;
  await run(page, `${tmpPath}/place.ipynb`, [LOAD, deep]);
  const program = view(page, 'deep');
  const graph = program.getByRole('img', { name: /^Graph of/ });
  await expect(pointAt(page, graph, /^sin /)).rejects.toThrow();
  const { x = 0, y = 0 } = (await graph.boundingBox()) ?? {};
  await page.mouse.move(x + 20, y + 350);
  await page.mouse.down();
  await page.mouse.move(x + 20, y - 1600, { steps: 4 });
  await page.mouse.up();
  await pointAt(page, graph, /^sin /);

  await program.getByRole('tab', { name: 'StableHLO' }).click();
  await expect(graph).toHaveAccessibleName(/^Graph of main/);
  await pointAt(page, graph, /^sine/);
  await expect(details(program)).toHaveCount(0);

  await program.getByRole('tab', { name: 'HLO', exact: true }).click();
  const code = program.getByRole('textbox', { name: 'Text of the hlo' });
  await expect(code).toContainText('ENTRY');
  const cut = () =>
    code.evaluate((content) => {
      const top = content.closest('.cm-scroller')?.getBoundingClientRect().top ?? 0;
      const lines = [...content.querySelectorAll('.cm-line')].map((one) =>
        one.getBoundingClientRect(),
      );
      const tabs = content.closest('.jxv-side')?.querySelector('.jxv-side-head');
      const gap = top - (tabs?.getBoundingClientRect().bottom ?? 0);
      const inHalf = lines.filter((line) => line.top < top - 1 && line.bottom > top + 1);
      return [gap >= 4, inHalf.length];
    });
  await expect.poll(cut).toEqual([true, 0]);
});
