/** Times of a run with a peak, savings of the persistent cache, and XLA's passes on a training step. Both
 * languages, light and dark, three widths. */
import { test } from '@playwright/test';
import { command, expect, LOAD, notebook, passesAxe, screenshot } from './notebook';
import { darken, openIn, screenshots } from './page-settings';
import { slow } from './slow';

const STEP = `import jaxviz

def loss(params, x, y):
    for w in params:
        x = jnp.tanh(x @ w)
    return ((x - y) ** 2).mean()

def step(params, x, y):
    grads = jax.grad(loss)(params, x, y)
    params = [w - 0.1 * g for w, g in zip(params, grads)]
    def power(_, v):
        return params[0] @ v / 100
    return params, lax.fori_loop(0, 6, power, x.T)

params = [jnp.ones((256, 256)) * 0.01] * 6
x = jnp.ones((512, 256))
program = jaxviz.inspect(step)(params, x, x).opened(stage="hlo")
program.profile(repeats=3, peak=(1e11, 2e10))(params, x, x)`;

const CACHED = `import tempfile
folder = tempfile.TemporaryDirectory()
jax.config.update("jax_compilation_cache_dir", folder.name)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)`;

const AGAIN = `%%jaxviz
for _ in range(2):
    jax.jit(lambda x: jnp.sort(jnp.sin(x)) @ x)(x[0])
    jax.clear_caches()`;

const LANGUAGES = {
  en: {
    details: 'Details',
    table: 'Table',
    find: 'Find',
    passes: 'Passes',
    peak: 'of the peak',
    saved: 'persistent cache: 1 hit, 1 miss',
  },
  ko: {
    details: '세부 정보',
    table: '표',
    find: '찾기',
    passes: '패스',
    peak: '최대 성능의',
    saved: '영구 캐시: 캐시 적중 1회, 캐시 미스 1회',
  },
} as const;

for (const language of ['en', 'ko'] as const) {
  const words = LANGUAGES[language];
  slow(test)(`what a run took (${language})`, async ({ page }) => {
    await page.setViewportSize({ width: 1400, height: 1100 });
    await openIn(page, language, `ran-${language}.ipynb`, notebook([LOAD, STEP, CACHED, AGAIN]));
    await command(page, 'application:toggle-left-area');
    const step = page.locator('.jp-jaxviz').first();
    await screenshots(page, step, `ran-${language}`);

    await step.getByRole('searchbox', { name: words.find }).fill('dot');
    await page.keyboard.press('Enter');
    await expect(step.getByRole('group', { name: words.details })).toContainText(words.peak);
    await screenshot(step, `ran-details-${language}`);
    await step.getByRole('searchbox', { name: words.find }).fill('');
    await step.getByRole('searchbox', { name: words.find }).blur();
    await step.getByRole('tab', { name: words.table, exact: true }).click();
    await screenshots(page, step, `ran-table-${language}`);

    await step.getByRole('tab', { name: words.passes, exact: true }).click();
    await expect(step.locator('.jxv-passes')).toContainText('fusion');
    await screenshots(page, step, `ran-passes-${language}`);
    const log = page.locator('.jp-jaxviz').last();
    await expect(log).toContainText(words.saved);
    await screenshots(page, log, `ran-cache-${language}`);
    await passesAxe(page);

    await darken(page, language);
    await screenshot(step, `ran-passes-${language}-dark`);
    await screenshot(log, `ran-cache-${language}-dark`);
    await passesAxe(page);
  });
}
