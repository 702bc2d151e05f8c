/** Ten programs that fail and ten with findings, each in both
 * languages, light and dark. The texts of each kind are in its page of `jaxviz/pages`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Locator, type Page, test } from '@playwright/test';
import { command, expect, LOAD, notebook, screenshot } from './notebook';
import { darken, openIn, screenshots } from './page-settings';
import { slow } from './slow';

type Language = 'en' | 'ko';

const FAILING: Record<string, string> = {
  condition: `@jax.jit
def loss(w, x):
    h = jnp.tanh(x @ w)
    if h.sum() > 0:
        return h.sum()
    return -h.sum()

loss(jnp.ones((3, 2)), jnp.ones((4, 3)))`,
  static: `@partial(jax.jit, static_argnames=("sizes",))
def mlp(x, sizes):
    for n in sizes:
        x = jnp.tanh(x @ jnp.ones((x.shape[-1], n)))
    return x

mlp(jnp.ones((4, 3)), sizes=[8, 2])`,
  numpy: `@jax.jit
def wave(x):
    return np.sin(x) * 2

wave(jnp.ones(3))`,
  mask: `@jax.jit
def mean_of_positive(x):
    return x[x > 0].mean()

mean_of_positive(jnp.arange(4.0))`,
  'in-place': `@jax.jit
def first_to_zero(x):
    x[0] = 0
    return x

first_to_zero(jnp.ones(3))`,
  shapes: `@jax.jit
def 층(x, w):
    높이 = jnp.tanh(x)
    return 높이 @ w

층(jnp.ones((4, 3)), jnp.ones((4, 2)))`,
  carry: `def step(carry, x):
    total, largest = carry
    return (total + x, jnp.maximum(largest, x.max())), total

lax.scan(step, (jnp.zeros(3), jnp.zeros(3, int)), jnp.ones((5, 3)))`,
  branches: `@jax.jit
def scaled(x, large):
    return lax.cond(large, lambda x: x / 2, lambda x: x.sum(), x)

scaled(jnp.ones(3), True)`,
  leak: `seen = []

@jax.jit
def remember(x):
    y = jnp.sin(x)
    seen.append(y)
    return y * 2

remember(1.0)
seen[0] + 1`,
  nan: `jax.config.update("jax_debug_nans", True)

@jax.jit
def entropy(p):
    return -jnp.sum(p * jnp.log(p))

entropy(jnp.array([0.0, 0.5, 0.5]))`,
};

const ARRAYS = `import numpy as np
from functools import partial
f32, bf16 = [partial(jax.ShapeDtypeStruct, dtype=one) for one in ("float32", "bfloat16")]
def loss(params, x):
    for w in params:
        x = jnp.tanh(x @ w)
    return jnp.mean(x**2)`;
const FOUND: [kind: string, name: string, source: string][] = [
  [
    'upcast',
    'attention',
    `def attention(q, k):
    return jax.nn.softmax(q @ k.T / np.sqrt(64))

%jaxviz attention(bf16((1024, 64)), bf16((1024, 64)))`,
  ],
  [
    'constant',
    'embedded',
    `table = jnp.zeros((1024, 1024))

def embedded(x):
    return x @ table

%jaxviz embedded(f32((8, 1024)))`,
  ],
  [
    'unused',
    'masked',
    `def masked(x, mask):
    return jnp.tanh(x)

%jaxviz masked(f32((8, 8)), f32((1024, 1024)))`,
  ],
  [
    'callback',
    'watched',
    `def watched(x):
    def turn(_, x):
        jax.debug.print("{}", x.sum())
        return jnp.sin(x)
    return lax.fori_loop(0, 1000, turn, x)

%jaxviz watched(f32((8,)))`,
  ],
  [
    'donation',
    'sgd',
    `def sgd(params, x):
    grads = jax.grad(loss)(params, x)
    return [w - 0.1 * g for w, g in zip(params, grads)]

%jaxviz sgd([f32((4096, 4096))] * 2, f32((8, 4096)))`,
  ],
  [
    'donation',
    'narrowed',
    `@partial(jax.jit, donate_argnums=0)
def narrowed(x):
    return x.astype(jnp.bfloat16)

%jaxviz narrowed(f32((1024, 512)))`,
  ],
  [
    'residual',
    'trained',
    `def layer(x, p):
    return x + jax.nn.gelu(x @ p["up"]) @ p["down"], None

def trained(params, x):
    return jax.grad(lambda params: jnp.mean(lax.scan(layer, x, params)[0] ** 2))(params)

params = {"up": f32((8, 256, 1024)), "down": f32((8, 1024, 256))}
%jaxviz trained(params, f32((8192, 256)))`,
  ],
  [
    'unrolled',
    'integrated',
    `def integrated(y):
    for _ in range(100):
        y = y + 0.01 * jnp.sin(y)
    return y

%jaxviz integrated(f32((64,)))`,
  ],
  [
    'float64',
    'total',
    `def total(counts):
    return jnp.sum(counts.astype(jnp.float64))

%jaxviz total(jax.ShapeDtypeStruct((8,), "int32"))`,
  ],
  [
    'unlike',
    'model',
    `def block(x, p):
    with jax.named_scope("block"):
        y = jnp.tanh(x @ p["w"])
        return x + (y + p["b"]).astype(x.dtype)

def model(x, layers):
    for p in layers:
        x = block(x, p)
    return x

layers = [{"w": bf16((1024, 1024)), "b": bf16((1024,))} for _ in range(8)]
layers[5]["b"] = f32((1024,))
%jaxviz model(bf16((1024, 1024)), layers)`,
  ],
];

/** The paragraphs of the page of a kind: first its heading, which is what its card is called. */
const paragraphs = (language: Language, kind: string) =>
  readFileSync(join(__dirname, `../../jaxviz/pages/${language}/${kind}.md`), 'utf8')
    .split('\n\n')
    .map((text) => text.replace(/^# |`/g, ''));

for (const language of ['en', 'ko'] as const) {
  slow(test)(`ten cards, ${language}`, async ({ page }) => {
    const cells = ['%jaxviz on', ...Object.values(FAILING)];
    await open(page, `cards-${language}.ipynb`, language, cells);
    for (const kind of Object.keys(FAILING)) {
      const name = paragraphs(language, kind)[0] as string;
      const card = page.getByRole('article', { name, exact: true });
      await expect(card).toBeVisible();
      await expect(card.locator('.jxv-card-code mark').first()).toBeVisible();
      expect(await cutOff(card)).toEqual([]);
    }
    await expect(page.locator('.jxv-card')).toHaveCount(10);
    await looksOf(page, language, `ten-cards-${language}`);
  });

  slow(test)(`ten findings, ${language}`, async ({ page }) => {
    const cells = FOUND.map(([, , source]) => source);
    await open(page, `findings-${language}.ipynb`, language, cells);
    for (const [kind, name] of FOUND) {
      const view = page.getByRole('region', { name: new RegExp(`^JAX .* ${name}$`) });
      const picture = view.locator('canvas').first();
      const room = await picture.evaluate(({ clientHeight }) => clientHeight);
      await view.locator('.jxv-findings-count').click();
      await expect(view.locator('.jxv-findings li')).toHaveCount(1);
      await expect(picture).toHaveJSProperty('clientHeight', room);
      await view.locator('.jxv-page summary').click();
      const [, , more = ''] = paragraphs(language, kind);
      await expect(view.locator('.jxv-page')).toContainText(more);
      await view.locator('.jxv-page summary').click();
      expect(await cutOff(view.locator('.jxv-findings'))).toEqual([]);
    }
    await looksOf(page, language, `ten-findings-${language}`);
  });
}

/** The height of a page that shows all cells, px. */
const HEIGHT = 14_000;

async function open(page: Page, path: string, language: Language, cells: string[]): Promise<void> {
  const content = notebook([LOAD, ARRAYS, ...cells]);
  for (const cell of content.cells) cell.metadata = { tags: ['raises-exception'] };
  await page.setViewportSize({ width: 900, height: HEIGHT });
  await openIn(page, language, path, content);
}

/** Texts beyond the right edge that scrolling does not reach. */
async function cutOff(of: Locator): Promise<string[]> {
  return of.evaluate((own) => {
    const { right } = own.getBoundingClientRect();
    const scrolls = (one: Element | null): boolean =>
      one !== null && (getComputedStyle(one).overflowX !== 'visible' || scrolls(one.parentElement));
    return [...own.querySelectorAll('*')]
      .filter((one) => one.getBoundingClientRect().right > right + 1)
      .filter((one) => !scrolls(one.parentElement))
      .map((one) => `${one.className}: ${one.textContent}`);
  });
}

async function looksOf(page: Page, language: Language, name: string): Promise<void> {
  await command(page, 'application:toggle-left-area');
  const all = page.locator('.jp-Notebook');
  await screenshots(page, all, name, HEIGHT);
  await page.setViewportSize({ width: 900, height: HEIGHT });
  await darken(page, language);
  await screenshot(all, `${name}-dark`);
}
