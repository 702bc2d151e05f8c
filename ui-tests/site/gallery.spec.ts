/** The gallery of the built site: cards, and pages on which a line of the code and the picture are one selection. */
import { readFileSync } from 'node:fs';
import { expect, passesAxe, test, waitForViews } from './page';

const NAMES = [...readFileSync('../gallery/gallery.toml', 'utf8').matchAll(/^name = "(.*)"/gm)].map(
  ([, name]) => name,
);

for (const [language, width, colorScheme] of [
  ['en', 1400, 'light'],
  ['ko', 900, 'light'],
  ['en', 600, 'dark'],
] as const) {
  test.describe(`${language}, ${width} px, ${colorScheme}`, () => {
    test.use({ colorScheme, viewport: { width, height: 900 } });
    for (const page of ['index', 'nnx_transformer', 'rnn_unrolled']) {
      test(page, async ({ page: shown }) => {
        await shown.goto(`${language}/gallery/${page}.html`);
        await waitForViews(shown);
        expect(await shown.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        await passesAxe(shown);
        const path = `test-results/screenshots/gallery-${page}-${language}-${width}.png`;
        await shown.screenshot({ path });
      });
    }
  });
}

test('each program has a card with a picture that leads to its page', async ({ page }) => {
  await page.goto('en/gallery/index.html');
  await expect(page.locator('.gallery-card img')).toHaveCount(NAMES.length);
  await page.locator('.gallery-card', { hasText: 'GPT-2, forward pass' }).click();
  await expect(page.getByRole('heading', { name: 'GPT-2, forward pass' })).toBeVisible();
});

test('a click on a line selects it in the picture, in each stage', async ({ page }) => {
  await page.goto('en/gallery/mlp_grad.html');
  await waitForViews(page);
  await page.locator('.cell_input pre').getByText('tanh').click();
  await expect(page.locator('.jxv-page-line')).toHaveCount(1);
  await page.getByRole('tab', { name: 'HLO', exact: true }).click();
  await expect(page.locator('.jxv-page-line')).toHaveCount(1);
});
