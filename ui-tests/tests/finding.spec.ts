/** A reader finds things without knowing their names in few clicks, counted from the open notebook. All
 * counts of a program agree. `docs/finding.md` has the same tasks. */
import type { Locator } from '@playwright/test';
import { details, expect, passesAxe, run, screenshot, tab, test, view } from './notebook';
import { slow } from './slow';

/** Twelve layers in bfloat16 and a loss. The eighth layer computes its scores in float32. */
const STEP = `%load_ext jaxviz
import jax, jax.numpy as jnp

def norm(x, scale):
    y = x.astype(jnp.float32)
    y = y * jax.lax.rsqrt(jnp.mean(y * y, -1, keepdims=True) + 1e-6)
    return y.astype(x.dtype) * scale

def layer(p, x, wide):
    h = norm(x, p['n1'])
    s = jnp.einsum('bqd,bkd->bqk', h @ p['q'], h @ p['k'])
    if wide:
        s = s.astype(jnp.float32)
    a = jax.nn.softmax(s * 0.125, axis=-1)
    x = x + (a @ (h @ p['v'])).astype(x.dtype) @ p['o']
    return x + jax.nn.gelu(norm(x, p['n2']) @ p['up']) @ p['down']

def loss(params, tokens):
    x = params['embed'][tokens]
    for i, p in enumerate(params['layers']):
        with jax.named_scope(f'layers[{i}]'):
            x = layer(p, x, i == 7)
    return jnp.mean(jax.nn.logsumexp((x @ params['embed'].T).astype(jnp.float32), -1))

def step(params, tokens):
    value, grads = jax.value_and_grad(loss)(params, tokens)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), value

bf16 = lambda *s: jax.ShapeDtypeStruct(s, jnp.bfloat16)
W = 64
layers = [dict(n1=bf16(W), n2=bf16(W), q=bf16(W, W), k=bf16(W, W), v=bf16(W, W), o=bf16(W, W),
               up=bf16(W, 256), down=bf16(256, W)) for _ in range(12)]
params = dict(embed=bf16(512, W), layers=layers)
%jaxviz step(params, jax.ShapeDtypeStruct((8, 32), jnp.int32))`;

/** The lines of the cell with the cast, the gelu and the logits. */
const lineOf = (text: string) => STEP.split('\n').findIndex((line) => line.includes(text)) + 1;

const first = (of: Locator, list: string) =>
  of.getByRole('listbox', { name: list }).getByRole('option').first();

test('the four tasks: a stray upcast, the largest value, the costliest line, what fills the memory', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/finding.ipynb`, [STEP]);
  const step = view(page, 'step');

  // The stray upcast among twelve layers: two clicks.
  await tab(step, 'Casts').click();
  const stray = first(step, 'Casts');
  await expect(stray).toContainText('bf16 → f32');
  await expect(stray).toContainText('layers[7], not in 11 siblings');
  await expect(stray).toContainText(`cell 1, line ${lineOf('s = s.astype')}`);
  await stray.click();
  await expect(details(step)).toContainText('s = s.astype(jnp.float32)');
  await passesAxe(page);
  await screenshot(step, 'casts');

  // The largest value between inputs and results: two clicks.
  await tab(step, 'Memory').click();
  const largest = first(step, 'Largest intermediate values');
  await expect(largest).toContainText('f32[8,32,512]');
  await expect(largest).toContainText('512.0 KiB');
  await largest.click();
  await expect(largest).toHaveAttribute('aria-selected', 'true');
  await expect(details(step)).toContainText('f32[8,32,512]');

  // What keeps the memory at the peak: it is in the same list, one click from the notebook.
  const alive = step.getByRole('listbox', { name: 'Alive at the peak' });
  await expect(alive.getByRole('option').first()).toContainText(/KiB|MiB/);
  await expect(alive).toContainText(/cell 1, line \d+ · /);
  await alive.focus();
  for (let at = 0; at < 12; at++) await page.keyboard.press('ArrowDown');
  await expect(alive).toContainText('residual, kept for');
  await screenshot(step, 'peak');

  // The costliest line: one click.
  await tab(step, 'Table').click();
  const costliest = step
    .getByRole('treegrid', { name: /^Numbers of the/ })
    .getByRole('row')
    .nth(1);
  await expect(costliest).toContainText(`cell 1, line ${lineOf('jax.nn.gelu')}`);
  await screenshot(step, 'costliest');
});

slow(test)('one count of eqns: in bar, table, print and legend', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/counts.ipynb`, [
    STEP,
    'p = %jaxviz -o step(params, jax.ShapeDtypeStruct((8, 32), jnp.int32))\nprint(p)',
  ]);
  const step = view(page, 'step');
  const counted = await step.locator('.jxv-counts').textContent();
  const eqns = /[\d,]+ eqns/.exec(counted ?? '')?.[0] ?? 'none';
  await expect(page.locator('.jp-OutputArea-output pre', { hasText: '→' })).toContainText(eqns);
  await tab(step, 'Table').click();
  await expect(step.locator('.jxv-table-head')).toContainText(eqns);
});
