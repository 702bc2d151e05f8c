/** A job of several processes that one notebook drives through ipyparallel: each process tells what it
 * holds, and one of them shows it. */
import { resolve } from 'node:path';
import { expect, nothingToMend, run, screenshot, test, view } from './notebook';
import { slow } from './slow';

const START = `import os, socket, sys
os.environ["PYTHONPATH"] = "${resolve('../.servers/ipyparallel')}"
sys.path.append(os.environ["PYTHONPATH"])
import ipyparallel as ipp
with socket.socket() as found:
    found.bind(("127.0.0.1", 0)); port = found.getsockname()[1]
cluster = ipp.Cluster(n=2, log_level=40)
engines = cluster.start_and_connect_sync()[:]
engines.block = True
engines.activate()
engines.scatter("index", range(2), flatten=True)
engines["port"] = port`;

const STEP = `%%px --no-stream
%load_ext jaxviz
import jax, jaxviz, jax.numpy as jnp
jax.distributed.initialize(f"127.0.0.1:{port}", 2, index)

def step(w, x):
    y = jnp.tanh(x @ w)
    if jax.process_index() == 1:
        y = y * 3.0
    return y.sum()`;

const AGREE = `%%px
program = jaxviz.inspect(step)(jnp.ones((3, 3)), jnp.ones((4, 3)))
jaxviz.agree(program, check=False)`;

const GATHER = `%%px
with jaxviz.watch() as log:
    for size in range(4, 6 + 3 * index):
        jax.jit(step)(jnp.ones((3, 3)), jnp.ones((size, 3)))
jaxviz.gather(log)`;

const EACH = `%%px
%jaxviz step(jnp.ones((3, 3)), jnp.ones((4, 3)))
%jaxviz jnp.tanh(jnp.ones(3)) --stage stablehlo`;

slow(test)(
  'an output of each engine is one with a switch of engines',
  async ({ page, tmpPath }) => {
    const stop = 'cluster.stop_cluster_sync()';
    await run(page, `${tmpPath}/engines.ipynb`, [START, STEP, EACH, stop]);
    const engines = page.getByRole('tablist', { name: 'Engines' });
    await expect(engines).toHaveCount(2);
    await expect(engines.nth(1).getByRole('tab')).toHaveText('engines 0, 1');
    await expect(page.locator('.jxv-frame:visible')).toHaveCount(2);
    await engines.nth(0).getByRole('tab', { name: 'engine 1' }).click();
    const step = view(page, 'step');
    await expect(step).toContainText('mul');
    const hlo = step.getByRole('tab', { name: 'HLO', exact: true });
    await expect(hlo).toHaveAttribute('title', /%px %jaxviz step\(…\) --stage hlo/);
    await nothingToMend(page);
    for (const width of [600, 1400]) {
      await page.setViewportSize({ width, height: 1800 });
      await screenshot(page.locator('.jp-Notebook'), `job-engines-${width}`);
    }
  },
);

slow(test)(
  'processes that ipyparallel drives: what differs, and one timeline',
  async ({ page, tmpPath }) => {
    await run(page, `${tmpPath}/job.ipynb`, [
      START,
      STEP,
      AGREE,
      GATHER,
      'cluster.stop_cluster_sync()',
    ]);
    const output = page.locator('.jp-Cell-outputArea');
    await expect(output.nth(2)).toContainText('Process 1 holds another program');
    await expect(output.nth(2)).toContainText('Process 0 says what all told.');
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
    await expect(lanes.nth(0)).toContainText('step · process 1');
    await expect(lanes.nth(0)).toContainText('5 traces');
    await expect(lanes.nth(1)).toContainText('step · process 0');
    await expect(lanes.nth(1)).toContainText('2 traces');
    await expect(page.locator('.jxv-log')).toHaveCount(1);
    await nothingToMend(page);
    await screenshot(compared, 'job-agreement');
    for (const width of [600, 1400]) {
      await page.setViewportSize({ width, height: 900 });
      await output.nth(3).scrollIntoViewIfNeeded();
      await screenshot(page.locator('.jxv-log'), `job-timeline-${width}`);
    }
  },
);
