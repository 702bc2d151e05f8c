/** The pictures of the README: `make screenshots` renews those in `docs/`. */
import type { Locator, Page } from '@playwright/test';
import { cellAt, expect, FAILING, LOAD, notebook, open, runAll, tab, test, view } from './notebook';
import { slow } from './slow';
import { log } from './timeline';

const folder = process.env.SCREENSHOTS ? '../docs' : 'test-results/screenshots';

/** Until a kernel has run its cells, in ms. */
const LONGEST = 60_000;

const STEP = `def loss(params, batch):
    h = batch["x"]
    for layer in params:
        h = jax.nn.relu(h @ layer["w"] + layer["b"])
    return jnp.mean((h - batch["y"]) ** 2)

@jax.jit
def update(params, batch, rate):
    value, grads = jax.value_and_grad(loss)(params, batch)
    return jax.tree.map(lambda p, g: p - rate * g, params, grads), value

params = [{"w": jnp.ones((16, 16)), "b": jnp.ones(16)} for _ in range(2)]
batch = {"x": jnp.ones((32, 16)), "y": jnp.ones((32, 16))}
%jaxviz update(params, batch, 0.1)`;
const WIDE = `f32 = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
wide = [{"w": f32(8192, 8192), "b": f32(8192)} for _ in range(3)]
large = {"x": f32(65536, 8192), "y": f32(65536, 8192)}
%jaxviz update(wide, large, 0.1) --stage hlo --memory 16`;
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
const LAYERS = `import numpy as np

def mlp(layer, x, number):
    h = jax.nn.gelu(x @ layer["up"])
    if number == 3:
        h = h * np.float32(0.5)
    return (h @ layer["down"]).astype(x.dtype)

def model(layers, x):
    for number, layer in enumerate(layers):
        x = x + mlp(layer, x, number)
    return x

half = lambda *shape: jnp.ones(shape, jnp.bfloat16)
layers = [{"up": half(64, 256), "down": half(256, 64)} for _ in range(8)]
%jaxviz model(layers, half(16, 64))`;

type Box = { x: number; y: number; width: number; height: number };

interface Picture {
  cells: string[];
  /** The height at which the picture ends, px; what is below shows nothing more. */
  most?: number;
  /** Opens what the picture shows, and returns it. */
  shown: (page: Page) => Promise<Locator>;
}

const PICTURES: Record<string, Picture> = {
  step: {
    cells: [STEP],
    shown: async (page) => {
      const update = view(page, 'update');
      await expect(update).toBeVisible({ timeout: LONGEST });
      await tab(update, 'Source').click();
      await update.getByRole('button', { name: /^Line 5:/ }).click();
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
  casts: {
    cells: [LAYERS],
    most: 810,
    shown: async (page) => {
      const model = view(page, 'model');
      await tab(model, 'Casts').click();
      return model;
    },
  },
  card: {
    cells: [FAILING],
    most: 503,
    shown: async (page) => {
      const card = page.getByRole('article', { name: 'if or while on a traced value' });
      await expect(card.locator('.jxv-details')).toContainText('gt');
      return card;
    },
  },
  memory: {
    cells: [STEP, WIDE],
    most: 1042,
    shown: async (page) => {
      const update = view(cellAt(page, 2), 'update');
      await expect(update).toContainText('Does not fit into 16.0 GiB', { timeout: LONGEST });
      await tab(update, 'Memory').click();
      return cellAt(page, 2);
    },
  },
};

for (const [name, { cells, most = 2000, shown }] of Object.entries(PICTURES)) {
  slow(test)(`the picture ${name}`, async ({ page, tmpPath }) => {
    test.setTimeout(180_000);
    await page.setViewportSize({ width: 1300, height: 1800 });
    await open(page, `${tmpPath}/train.ipynb`, notebook([LOAD, ...cells]));
    await runAll(page);
    const seen = await shown(page);
    await expect(seen).toBeVisible({ timeout: LONGEST });
    await seen.scrollIntoViewIfNeeded();
    const { height, ...at } = (await seen.boundingBox()) as Box;
    const clip = { ...at, height: Math.min(height, most) };
    await page.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled', clip });
  });
}
