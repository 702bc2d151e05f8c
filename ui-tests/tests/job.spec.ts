/** A job of several processes that one notebook drives through ipyparallel: each process sends what it
 * has, and one of them shows it. */
import { resolve } from 'node:path';
import {
  cellAt,
  expect,
  notebook,
  open,
  passesAxe,
  run,
  runAll,
  screenshot,
  tab,
  test,
  view,
} from './notebook';
import { slow } from './slow';

const start = (count: number) => `import os, socket, sys
os.environ["PYTHONPATH"] = "${resolve('../.servers/ipyparallel')}"
sys.path.append(os.environ["PYTHONPATH"])
import ipyparallel as ipp
with socket.socket() as found:
    found.bind(("127.0.0.1", 0)); port = found.getsockname()[1]
cluster = ipp.Cluster(n=${count}, log_level=40)
engines = cluster.start_and_connect_sync()[:]
engines.block = True
engines.activate()
engines.scatter("index", range(${count}), flatten=True)
engines["port"], engines["count"] = port, ${count}`;

const STEP = `%%px --no-stream
%load_ext jaxviz
import jax, jaxviz, jax.numpy as jnp
jax.distributed.initialize(f"127.0.0.1:{port}", count, index)

def step(w, x):
    y = jnp.tanh(x @ w)
    if jax.process_index() == 1:
        y = y * 3.0
    if jax.process_index() == 3:
        y = jnp.sin(y)
    return y.sum()`;

const AGREE = `%%px
program = jaxviz.inspect(step)(jnp.ones((3, 3)), jnp.ones((4, 3)))
jaxviz.agree(program, check=False)`;

const GATHER = `%%px
with jaxviz.watch() as log:
    for size in range(4, 6 + 3 * index):
        jax.jit(step)(jnp.ones((3, 3)), jnp.ones((size, 3)))
jaxviz.gather(log)`;

const HLO = `%%px
%jaxviz step(jnp.ones((3, 3)), jnp.ones((4, 3))) --stage hlo`;

const WATCHED = `%%px
%%jaxviz
step = jax.jit(step)
for size in range(4, 6 + index):
    step(jnp.ones((3, 3)), jnp.ones((size, 3)))`;

const FAILING = `%%px
%jaxviz on
step(jnp.ones((3, 3)), jnp.ones((4, 2 if index == 2 else 3)))`;

const AGREED = `%%px
program = jaxviz.inspect(step)(jnp.ones((3, 3)), jnp.ones((4, 3)))
jaxviz.agree(program)`;

const SILENT = `%%px
if index != 3:
    jaxviz.agree(program, timeout=2)`;

const EACH = `%%px
%jaxviz step(jnp.ones((3, 3)), jnp.ones((4, 3)))
%jaxviz jnp.tanh(jnp.ones(3)) --stage stablehlo`;

slow(test)(
  'an output of each engine is one with a switch of engines',
  async ({ page, tmpPath }) => {
    const stop = 'cluster.stop_cluster_sync()';
    await run(page, `${tmpPath}/engines.ipynb`, [start(2), STEP, EACH, stop]);
    const engines = page.getByRole('tablist', { name: 'Engines' });
    await expect(engines).toHaveCount(2);
    await expect(engines.nth(1).getByRole('tab')).toHaveText('engines 0, 1');
    await expect(page.locator('.jxv-frame:visible')).toHaveCount(2);
    await engines.nth(0).getByRole('tab', { name: 'engine 1' }).click();
    const step = view(page, 'step');
    await expect(step).toContainText('mul');
    const hlo = step.getByRole('tab', { name: 'HLO', exact: true });
    await expect(hlo).toHaveAttribute('title', /%px %jaxviz step\(…\) --stage hlo/);
    await passesAxe(page);
    for (const width of [600, 1400]) {
      await page.setViewportSize({ width, height: 1800 });
      await screenshot(cellAt(page, 2), `job-engines-${width}`);
    }
  },
);

slow(test)(
  'processes that ipyparallel drives: what differs, and one timeline',
  async ({ page, tmpPath }) => {
    await run(page, `${tmpPath}/job.ipynb`, [
      start(2),
      STEP,
      AGREE,
      GATHER,
      'cluster.stop_cluster_sync()',
    ]);
    const output = page.locator('.jp-Cell-outputArea');
    await expect(output.nth(2)).toContainText('Process 1 holds another program');
    await expect(output.nth(2)).toContainText('Process 0 shows the reports of all.');
    const compared = view(page, 'step · process 1');
    await expect(compared).toContainText('step · process 0→step · process 1');
    await expect(compared).toContainText('1 added');
    await expect(page.locator('.jxv-frame')).toHaveCount(1);
    const processes = page.getByRole('tablist', { name: 'Processes' });
    await processes.getByRole('tab', { name: 'process 0' }).click();
    await expect(view(page, 'step · process 0')).toBeVisible();
    await expect(page.locator('.jxv-compared')).toHaveCount(0);
    await processes.getByRole('tab', { name: 'process 1' }).click();

    await output.nth(3).scrollIntoViewIfNeeded(); // a view is drawn once it comes near the screen
    const lanes = page.locator('.jxv-log-lane .jxv-log-name');
    // The lanes are in the order of their times, which differ from run to run.
    await expect(lanes.filter({ hasText: 'step · process 1' })).toContainText('5 traces');
    await expect(lanes.filter({ hasText: 'step · process 0' })).toContainText('2 traces');
    await expect(page.locator('.jxv-log')).toHaveCount(1);
    await passesAxe(page);
    await screenshot(compared, 'job-agreement');
    for (const width of [600, 1400]) {
      await page.setViewportSize({ width, height: 900 });
      await output.nth(3).scrollIntoViewIfNeeded();
      await screenshot(page.locator('.jxv-log'), `job-timeline-${width}`);
    }
  },
);

slow(test)(
  'four engines: a stage, logs, a card, and errors that say who differs and who is silent',
  async ({ page, tmpPath }) => {
    test.setTimeout(240_000);
    const path = `${tmpPath}/four.ipynb`;
    const stop = 'cluster.stop_cluster_sync()';
    const content = notebook([start(4), STEP, HLO, WATCHED, FAILING, AGREED, SILENT, stop]);
    for (const cell of content.cells) cell.metadata = { tags: ['raises-exception'] };
    await open(page, path, content);
    await runAll(page);
    const output = (cell: number) => cellAt(page, cell).locator('.jp-Cell-outputArea');
    await expect(cellAt(page, 7).locator('.jp-InputPrompt')).toHaveText('[8]:', {
      timeout: 200_000,
    });
    const seen = async () => {
      await output(2).scrollIntoViewIfNeeded();
      const tabs = output(2).getByRole('tablist', { name: 'Engines' }).getByRole('tab');
      await expect(tabs).toHaveText(['engines 0, 2', 'engine 1', 'engine 3']);
      await expect(
        output(2)
          .getByText(/\[output:\d\]/)
          .filter({ visible: true }),
      ).toHaveCount(0);
      const step = view(output(2), 'step');
      await expect(tab(step, 'HLO')).toHaveAttribute('aria-selected', 'true');
      await output(3).scrollIntoViewIfNeeded();
      for (const traces of ['2 traces', '3 traces', '4 traces', '5 traces']) {
        await expect(output(3).locator('.jp-jaxviz', { hasText: traces })).toHaveCount(1);
      }
      await expect(output(3)).not.toContainText('running');
      await output(4).getByText('These shapes do not fit together').scrollIntoViewIfNeeded();
      await expect(output(4).locator('.jxv-card')).toHaveCount(1);
    };
    await seen();
    const differs = 'AgreementError: Process 1 holds another program than the program of step';
    await expect(output(5)).toContainText(new RegExp(`(${differs}.*){4}`, 's'));
    await expect(output(5)).toContainText('within: if jax.process_index() == 1.');
    await expect(output(6)).toContainText(/(Process 3 reported nothing within 2 s.*){3}/s);
    await page.notebook.save();
    await page.notebook.close();
    await page.notebook.openByPath(path);
    await seen();
    await passesAxe(page);
  },
);
