/** Retraces of a cell and their reasons: the timeline below it, or one line. */
import { cellAt, expect, LOAD, outputs, passesAxe, run, screenshot, test, view } from './notebook';
import { slow } from './slow';
import { causes, clickEvent, details, grid, log } from './timeline';

const TRAINING = `%%jaxviz --hits
from functools import partial

@partial(jax.jit, static_argnames="train")
def update(w, batch, rate, train):
    grad = jax.grad(lambda w: ((batch @ w) ** 2).mean())(w)
    return w - rate * grad if train else w

w = jnp.ones(4)
for epoch in range(2):
    for size in (8, 8, 5):
        w = update(w, jnp.ones((size, 4)), 0.1, train=True)
    print("epoch", epoch)
w = update(w, jnp.ones((8, 4)), jnp.float32(0.1), train=True)
update(w, jnp.ones((8, 4)), 0.1, train=False)`;

const DOUBLE = '@jax.jit\ndef double(x): return x * 2\ndouble(jnp.ones(8)).shape';

// High enough for all that the test looks at, which is drawn only in view.
test.use({ viewport: { width: 1280, height: 1500 } });

test('the strip of a training loop shows what was retraced, and why', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/training.ipynb`, [LOAD, TRAINING]);
  const shown = log(page, 1);
  await expect(outputs(page, 1)).toHaveText([
    /1 function · 4 traces \(3 retraces\) · 4 hits/,
    /^epoch 0\s+epoch 1\s+$/,
    /^Array/,
  ]);
  await expect(causes(shown)).toHaveCount(3);
  for (const why of [
    /shapebatch: f32\[8→5, 4\].*smaller last batch, pad it.*cell 2, line 12/,
    /weak typerate: ~f32\[\] \(float\) → f32\[\].*pass jnp\.float32.*cell 2, line 14/,
    /statictrain: True → False.*each value of train.*cell 2, line 15/,
  ]) {
    await expect(causes(shown).filter({ hasText: why })).toHaveCount(1);
  }
  await screenshot(cellAt(page, 1), 'retraces');
  await passesAxe(page);

  await page.notebook.runCell(1);
  await expect(shown).toContainText('cell 3, line 4'); // the functions that the cell defines are new
  await expect(shown).toContainText('4 traces (3 retraces)');
  await expect(causes(shown).filter({ hasText: 'a new function object' })).toHaveCount(0);
});

test('an event is selected by pointer and by key; its line and its program are there', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/event.ipynb`, [LOAD, TRAINING]);
  const shown = log(page, 1);
  await expect(shown).toContainText('4 traces');
  await clickEvent(shown, 3, /^update, retrace 1 of 3/);
  await expect(details(shown)).toContainText('retrace 1 of 3');
  await expect(details(shown)).toContainText('batch: f32[8→5, 4]');
  await expect(details(shown)).toContainText(
    'if this is a smaller last batch, pad it to the size of the others',
  );

  await grid(shown).press('End');
  await grid(shown).press('ArrowLeft');
  await grid(shown).press('ArrowLeft');
  await expect(details(shown)).toContainText('train: True → False');
  await details(shown).getByRole('button', { name: 'cell 2, line 15' }).click();
  const chosen = () => page.evaluate(() => getSelection()?.toString());
  await expect.poll(chosen).toBe('update(w, jnp.ones((8, 4)), 0.1, train=False)');
  await screenshot(cellAt(page, 1), 'retraces-selected');

  await grid(shown).press('Enter');
  const program = view(shown, 'update');
  await expect(program.getByRole('img', { name: /^Graph of/ })).toBeVisible();
  await expect(program.getByRole('tab', { name: 'StableHLO' })).toHaveCount(0);
  await screenshot(shown, 'retraces-program');
  await passesAxe(page);
  await page.setViewportSize({ width: 780, height: 1900 });
  await screenshot(shown, 'retraces-narrow');
  await page.theme.setDarkTheme();
  await screenshot(shown, 'retraces-dark');
  await passesAxe(page);
});

slow(test)('only a cell that traces again has a strip', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/strip.ipynb`, [
    LOAD,
    '%jaxviz on',
    DOUBLE,
    'double(jnp.ones(5)).shape',
    'double(jnp.ones(5)).shape',
    '%jaxviz off',
    'double(jnp.ones(6)).shape',
  ]);
  await expect(outputs(page, 6)).toHaveText(['(6,)']);
  await expect(outputs(page, 4)).toHaveText(['(5,)']);
  await expect(outputs(page, 2)).toHaveText(['(8,)']);
  const strip = cellAt(page, 3).getByRole('button', { name: /double retraced/ });
  await expect(strip).toContainText('x: f32[8→5]');
  await screenshot(cellAt(page, 3), 'strip');
  await strip.click();
  const shown = log(page, 3);
  await expect(causes(shown)).toContainText(['x: f32[8→5]']);
  await screenshot(cellAt(page, 3), 'strip-open');
  await passesAxe(page);
  await strip.click();
  await expect(grid(shown)).toHaveCount(0);
  await page.theme.setDarkTheme();
  await page.setViewportSize({ width: 780, height: 900 });
  await screenshot(cellAt(page, 3), 'strip-narrow');
  await passesAxe(page);
});

test('a cell that may not trace again fails, and Run All stops there', async ({
  page,
  tmpPath,
}) => {
  const limited = `%%jaxviz --max-retraces 0\n${DOUBLE}\ndouble(jnp.ones(5))\nprint("ran")`;
  await run(page, `${tmpPath}/limit.ipynb`, [LOAD, limited, 'print("not reached")']);
  await expect(outputs(page, 1)).toHaveText([
    /2 traces \(1 retrace\)/,
    /^ran\s$/,
    /RetraceError.*x: f32\[8→5\]/s,
  ]);
  await expect(cellAt(page, 2).locator('.jp-InputPrompt')).toHaveText('[ ]:');
  await screenshot(cellAt(page, 1), 'max-retraces');
});

slow(test)('ten thousand retraces are counted, and the page answers', async ({ page, tmpPath }) => {
  const flood = `%%jaxviz
for number in range(10_000):
    jax.jit(lambda x: x).trace(1.0)
    if number % 1_000 == 0: print(number)`;
  await run(page, `${tmpPath}/flood.ipynb`, [LOAD, flood]);
  const shown = log(page, 1);
  await expect(shown).toContainText('10,000 traces (9,999 retraces)', { timeout: 60_000 });
  const printed = [...Array(10).keys()].map((one) => String(one * 1000));
  await expect(outputs(page, 1).last()).toHaveText(printed.join('\n').concat('\n'));
  await grid(shown).press('Home');
  await grid(shown).press('End');
  await expect(details(shown)).toContainText('retrace 9,999 of 9,999');
  await screenshot(shown, 'flood');
});
