/** The site that `make docs` built. It sends requests only to its own server, nothing fails, and the outputs of
 * lessons are live and in the page's language. */
import { readdirSync } from 'node:fs';
import { parse } from 'node:path';
import { expect, passesAxe, test, waitForViews } from './page';

const LESSONS = readdirSync('../jaxviz/lessons/en')
  .filter((file) => file.endsWith('.ipynb'))
  .map((file) => parse(file).name);
const PAGES = [
  'index',
  'install',
  'faq',
  'comparison',
  'develop/jax-developers',
  'how-to/reading',
  'how-to/running',
  'reference/functions',
  'reference/settings',
  'about/where',
  'develop/hosts',
  'pages/condition',
  ...LESSONS.map((name) => `lessons/${name}`),
];
const FEW = ['index', 'how-to/reading', 'lessons/2_tracers'];
const LOOKS = [
  { language: 'en', width: 1400, colorScheme: 'light', pages: PAGES },
  { language: 'ko', width: 600, colorScheme: 'dark', pages: PAGES },
  { language: 'en', width: 600, colorScheme: 'dark', pages: FEW },
  { language: 'ko', width: 1400, colorScheme: 'light', pages: FEW },
] as const;

for (const { language, width, colorScheme, pages } of LOOKS) {
  test.describe(`${language}, ${width} px, ${colorScheme}`, () => {
    test.use({ colorScheme, viewport: { width, height: 900 } });
    for (const name of pages) {
      test(name, async ({ page }) => {
        await page.goto(`${language}/${name}.html`);
        await waitForViews(page);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        await passesAxe(page);
        const shot = `site-${language}-${width}-${name.replace('/', '-')}`;
        await page.screenshot({ path: `test-results/screenshots/${shot}.png` });
      });
    }
  });
}

for (const [language, aside, region, source] of [
  ['en', 'Section Navigation', 'JAX program rollout', 'With source'],
  ['ko', '이 부분의 페이지', 'JAX 프로그램 rollout', '소스와 함께'],
] as const) {
  test(`page and view have one language, and the outline has keys: ${language}`, async ({
    page,
  }) => {
    await page.goto(`${language}/how-to/reading.html`);
    await expect(page.getByText(aside).first()).toBeVisible();
    const view = page.getByRole('region', { name: region });
    await expect(view.getByRole('tab', { name: source })).toBeVisible();
    const tree = view.getByRole('tree');
    await tree.getByRole('treeitem', { name: /^reduce_sum/ }).focus();
    await page.keyboard.press('Enter');
    await expect(view.locator('.jxv-details')).toContainText('reduce_sum');
  });
}

for (const [language, choice, wrong, right] of [
  ['en', 'np.asarray(x)', '✗ NumPy computes at once', '✓ The length is a part'],
  ['ko', 'np.asarray(x)', '✗ NumPy는 바로 계산하므로', '✓ 길이는 shape의 일부'],
] as const) {
  test(`a question of a lesson is answered on the page: ${language}`, async ({ page }) => {
    await page.goto(`${language}/lessons/2_tracers.html`);
    const asked = page.locator('.jxv-quiz').filter({ hasText: 'len(x)' });
    await asked.getByRole('button', { name: choice }).click();
    await expect(asked.getByRole('status')).toContainText(wrong);
    await asked.getByRole('button', { name: 'len(x)' }).click();
    await expect(asked.getByRole('status')).toContainText(right);
    await expect(page.getByText('quiz("')).toHaveCount(0); // the page shows no call
    await passesAxe(page);
    await asked.screenshot({ path: `test-results/screenshots/site-quiz-${language}.png` });
  });
}

test('a word is found, and the other language is one click away', async ({ page }) => {
  await page.goto('en/search.html?q=jaxviz_check');
  await page.locator('#search-results').getByRole('link', { name: 'pytest' }).first().click();
  await expect(page.getByRole('heading', { name: 'pytest', level: 1 })).toBeVisible();
  await page.getByRole('link', { name: '한국어' }).first().click();
  await expect(page).toHaveURL(/\/ko\/how-to\/pytest\.html/);
});

test('cells have the numbers that outputs mention', async ({ page }) => {
  await page.goto('en/index.html');
  await waitForViews(page);
  await expect(page.locator('.cell_input .jaxviz-count')).toHaveText('[2]');
  await expect(page.getByText('Highlighted for line 5 of cell 2')).toBeVisible();
});

test('the search does not find the texts of still pictures', async ({ page }) => {
  await page.goto('en/search.html?q=pip+reload');
  await expect(page.locator('#search-results li a').first()).toBeVisible();
  const found = page.locator('#search-results li a[href*="lessons/"]');
  await expect(found).toHaveCount(0);
});
