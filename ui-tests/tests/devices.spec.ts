/** Communication of absent devices, and its cause: in the details of a collective, and in the table. Both
 * languages, light and dark, three widths. */
import { type Locator, type Page, test } from '@playwright/test';
import { command, expect, LOAD, notebook, passesAxe, screenshot } from './notebook';
import { darken, openIn, screenshots } from './page-settings';
import { slow } from './slow';

const STEP = `from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec as P

mesh = AbstractMesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)

def split(shape, *axes):
    return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, P(*axes)))

def loss(params, x):
    hidden = jnp.tanh(x @ params["up"])
    return ((hidden @ params["down"]) ** 2).mean()

params = {"up": split((512, 2048), None, "model"), "down": split((2048, 512), "model")}
%jaxviz jax.grad(loss)(params, split((1024, 512), "data")) --stage hlo --memory 16`;

const LANGUAGES = {
  en: { details: 'Details', table: 'Table', find: 'Find', sent: 'sent', because: 'because' },
  ko: { details: '세부 정보', table: '표', find: '찾기', sent: '보냄', because: '이유' },
} as const;

for (const language of ['en', 'ko'] as const) {
  const words = LANGUAGES[language];
  slow(test)(`what devices send one another, and why (${language})`, async ({ page }) => {
    await page.setViewportSize({ width: 1400, height: 1100 });
    await openIn(page, language, `devices-${language}.ipynb`, notebook([LOAD, STEP]));
    await command(page, 'application:toggle-left-area');
    await expect(page.locator('.jxv-fit')).toContainText('16.0 GiB');
    const step = page.locator('.jp-jaxviz').first();

    const facts = step.getByRole('group', { name: words.details });
    await step.getByRole('tab', { name: 'Jaxpr', exact: true }).click();
    await select(page, step, words.find, "params['up']");
    await expect(facts.getByRole('table')).toContainText('model 0[:, 0:1024]');
    await screenshots(page, step, `devices-mesh-${language}`);
    await step.getByRole('tab', { name: 'HLO', exact: true }).click();
    await select(page, step, words.find, 'all-reduce');
    await expect(facts).toContainText(words.because);
    await expect(facts).toContainText('f32[1024,2048]');
    await screenshots(page, step, `devices-details-${language}`);

    await step.getByRole('searchbox', { name: words.find }).fill('');
    await step.getByRole('searchbox', { name: words.find }).blur();
    await step.getByRole('tab', { name: words.table, exact: true }).click();
    await expect(step.getByRole('columnheader', { name: words.sent })).toBeVisible();
    await screenshots(page, step, `devices-table-${language}`);
    await passesAxe(page);

    await darken(page, language);
    await screenshot(step, `devices-table-${language}-dark`);
    await select(page, step, words.find, 'all-reduce');
    await screenshot(step, `devices-details-${language}-dark`);
    await passesAxe(page);
  });
}

async function select(page: Page, of: Locator, find: string, what: string): Promise<void> {
  await of.getByRole('searchbox', { name: find }).fill(what);
  await page.keyboard.press('Enter');
}
