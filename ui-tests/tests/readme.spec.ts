/** The pictures of the README: `make screenshots` renews those in `docs/`. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import {
  cellAt,
  expect,
  FAILING,
  LOAD,
  type Notebook,
  notebook,
  open,
  panel,
  runAll,
  tab,
  test,
  view,
  widen,
} from './notebook';
import { slow } from './slow';
import { log } from './timeline';

const folder = process.env.SCREENSHOTS ? '../docs' : 'test-results/screenshots';

/** Until a kernel has run its cells, in ms. */
const LONGEST = 60_000;

const DEMO = JSON.parse(
  readFileSync('../jaxviz/lessons/en/0_see_what_jax_sees.ipynb', 'utf-8'),
) as Notebook;
const demo = (part: string) =>
  DEMO.cells
    .map(({ source }) => [source].flat().join(''))
    .filter((source) => source.includes(part));

const UPDATE = `%%jaxviz
@jax.jit
def update(w, batch, rate):
    grad = jax.grad(lambda w: ((batch @ w) ** 2).mean())(w)
    return w - rate * grad

w = jnp.ones(4)
for epoch in range(3):
    for size in (8, 8, 5):
        w = update(w, jnp.ones((size, 4)), 0.1)
w = update(w, jnp.ones((8, 4)), jnp.float32(0.1))`;
const COMPARED = `import jaxviz

def before(w, x):
    h = jnp.tanh(x @ w)
    return (h ** 2).mean()

def after(w, x):
    h = jax.nn.relu((x @ w).astype(jnp.bfloat16))
    return (h ** 2).mean()

w, x = jnp.ones((8, 4)), jnp.ones((16, 8))
jaxviz.compare(jaxviz.inspect(before)(w, x), jaxviz.inspect(after)(w, x))`;
const STEP = `def layer(p, x):
    return jax.nn.relu(x @ p["w"] + p["b"])

def loss(params, batch):
    h = layer(params["one"], batch["x"])
    y = layer(params["two"], h)
    return jnp.mean((y - batch["y"]) ** 2)

@jax.jit
def update(params, batch, rate):
    grads = jax.grad(loss)(params, batch)
    return jax.tree.map(lambda p, g: p - rate * g, params, grads)`;
const EPOCHS = `P = lambda a, b: {"w": jnp.ones((a, b)), "b": jnp.ones(b)}
params = {"one": P(4, 16), "two": P(16, 1)}
batch = lambda n: {"x": jnp.ones((n, 4)), "y": jnp.ones((n, 1))}

for epoch in range(2):
    for n in (32, 32, 17):
        params = update(params, batch(n), 0.1)

params = update(params, batch(32), jnp.float32(0.1))`;

interface Picture {
  cells: string[];
  width?: number;
  /** Opens what the picture shows, and returns it. */
  shown: (page: Page) => Promise<Locator>;
}

const PICTURES: Record<string, Picture> = {
  jaxviz: {
    cells: [...demo('class Transformer'), ...demo('def train_step')],
    width: 1800,
    shown: async (page) => view(page, 'train_step'),
  },
  stages: {
    cells: demo('def softmax'),
    shown: async (page) => {
      const softmax = view(page, 'softmax');
      await expect(softmax).toBeVisible({ timeout: LONGEST });
      await tab(softmax, 'All four').click();
      await softmax.getByRole('button', { name: 'Make StableHLO' }).click();
      await expect(softmax).toContainText('stablehlo.reduce');
      await softmax.getByRole('button', { name: /^Line 2:/ }).click();
      await expect(page.locator('.jxv-marked-line')).toBeVisible();
      return cellAt(page, 1);
    },
  },
  retraces: {
    cells: [UPDATE],
    shown: async (page) => {
      await expect(log(page, 1)).toContainText('3 traces (2 retraces)');
      return cellAt(page, 1);
    },
  },
  compare: {
    cells: [COMPARED],
    shown: async (page) => view(page, /^JAX program/),
  },
  card: {
    cells: [FAILING],
    shown: async (page) => {
      const card = page.getByRole('article', { name: 'if or while on a traced value' });
      await expect(card.locator('.jxv-details')).toContainText('gt');
      return card;
    },
  },
  panel: {
    cells: ['%jaxviz on', STEP, EPOCHS],
    width: 1440,
    shown: async (page) => {
      await page.evaluate(async () => {
        const { commands, shell } = window.jupyterapp;
        await commands.execute('jaxviz:open-panel');
        (shell as unknown as { collapseLeft(): void }).collapseLeft();
      });
      await widen(page, 800);
      await tab(panel(page), 'Events').click();
      await panel(page).getByText('retrace 2 of 2').click();
      await expect(view(panel(page), 'update')).toBeVisible();
      return page.locator('#main');
    },
  },
};

for (const [name, { cells, width = 1700, shown }] of Object.entries(PICTURES)) {
  slow(test)(`the picture ${name}`, async ({ page, tmpPath }) => {
    test.setTimeout(180_000);
    await page.setViewportSize({ width, height: name === 'panel' ? 900 : 1200 });
    await open(page, `${tmpPath}/train.ipynb`, notebook([LOAD, ...cells]));
    await runAll(page);
    const seen = await shown(page);
    await expect(seen).toBeVisible({ timeout: LONGEST });
    await seen.scrollIntoViewIfNeeded();
    await seen.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled' });
  });
}
