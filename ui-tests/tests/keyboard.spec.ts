/** The keys and the wheel of a view, in a notebook that has its own. */
import { type Page, test as plain } from '@playwright/test';
import {
  choose,
  details,
  expect,
  LESSON,
  LOAD,
  notebook,
  passesAxe,
  put,
  ROLLOUT,
  run,
  runAll,
  screenshot,
  test,
  view,
} from './notebook';
import { slow } from './slow';

const LONG = '\n'.repeat(30).replaceAll('\n', 'x = 1\n');

const cells = (page: Page) => page.locator('.jp-Notebook .jp-CodeCell');

test('Ctrl+S saves while the graph has the focus, plain keys stay in it', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/keys.ipynb`, [LOAD, LESSON, LONG]);
  const lesson = view(page, 'lesson');
  const canvas = lesson.getByRole('img', { name: /^Graph of lesson/ });
  await canvas.focus();
  const before = await cells(page).count();
  const active = () =>
    page.evaluate(() => {
      const panel = window.jupyterapp.shell.currentWidget as unknown as {
        content: { activeCellIndex: number; mode: string };
      };
      return [panel.content.activeCellIndex, panel.content.mode];
    });
  const at = await active();
  for (const key of ['d', 'd', 'j', 'k', 'a', 'b', 'x', 'm', 'Enter', 'Shift+Enter', 'z']) {
    await page.keyboard.press(key);
    expect([key, await cells(page).count(), await active()]).toEqual([key, before, at]);
  }

  const dirty = () =>
    page.evaluate(() => {
      const panel = window.jupyterapp.shell.currentWidget as unknown as {
        context: { model: { dirty: boolean } };
      };
      return panel.context.model.dirty;
    });
  expect(await dirty()).toBe(true);
  await page.keyboard.press('Control+s');
  await expect.poll(dirty).toBe(false);

  await canvas.focus();
  await page.keyboard.press('Control+f');
  await expect(lesson.getByRole('searchbox', { name: 'Find' })).toBeFocused();
  await page.keyboard.type('dd sin');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('sin');
  await page.keyboard.press('Control+z');
  expect(await cells(page).count()).toBe(before);
});

slow(plain)('in Notebook 7 too plain keys stay in the view', async ({ page, request }) => {
  await put(request, 'keys7.ipynb', notebook([LOAD, LESSON, LONG]));
  await page.goto('/notebooks/keys7.ipynb');
  await runAll(page);
  const lesson = view(page.locator('.jp-jaxviz'), 'lesson');
  await lesson.getByRole('img', { name: /^Graph of lesson/ }).focus();
  const before = await cells(page).count();
  for (const key of ['j', 'a', 'x', 'd', 'd']) {
    await page.keyboard.press(key);
    expect([key, await cells(page).count()]).toEqual([key, before]);
  }
  const saved = page.waitForResponse(
    (one) => one.request().method() === 'PUT' && one.url().includes('/api/contents/keys7.ipynb'),
  );
  await page.keyboard.press('Control+s');
  expect((await saved).ok()).toBe(true);
});

test('the wheel scrolls the notebook, before and after a click; in the whole window it zooms', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/wheel.ipynb`, [LOAD, LESSON, LONG, LONG]);
  const lesson = view(page, 'lesson');
  const canvas = lesson.getByRole('img', { name: /^Graph of lesson/ });
  await canvas.scrollIntoViewIfNeeded();
  await canvas.hover();
  const top = async () => (await canvas.boundingBox())?.y ?? 0;
  const first = await top();
  await page.mouse.wheel(0, 60);
  await expect.poll(top).toBeLessThan(first);

  await canvas.click();
  const clicked = await top();
  await page.mouse.wheel(0, 60);
  await expect.poll(top).toBeLessThan(clicked);

  const still = await top();
  const zoomed = lesson.locator('.jxv-zoom');
  await canvas.hover();
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -60);
  await page.keyboard.up('Control');
  await expect(zoomed).toHaveText(/^1\d\d %$/);
  await zoomed.click();
  await expect(zoomed).toHaveCount(0);
  expect(await top()).toBe(still);

  await canvas.focus();
  await page.keyboard.press('f');
  const size = page.viewportSize();
  await expect.poll(() => lesson.boundingBox()).toEqual({ x: 0, y: 0, ...size });
  await canvas.hover();
  await page.mouse.wheel(0, -60);
  await expect(zoomed).toHaveText(/^1\d\d %$/);
  await screenshot(lesson, 'whole-window');
  await expect(page.getByRole('dialog', { name: /lesson/ })).toBeVisible();
  const focused = () =>
    lesson.evaluate((view) => {
      const { activeElement: one, body } = document;
      return one === body || view.contains(one) ? 'within' : one?.className;
    });
  const focusedParts = new Set<string | undefined>();
  for (const key of [...Array(20).fill('Tab'), ...Array(30).fill('Shift+Tab')]) {
    await page.keyboard.press(key);
    focusedParts.add(await focused());
  }
  expect([...focusedParts]).toEqual(['within']);
  await page.keyboard.press('Escape');
  await expect.poll(top).toBe(still);
  await expect(canvas).toBeFocused();
  await expect(page.locator('[inert]')).toHaveCount(0);
});

test('a view that a cell draws again has the same boxes open and the same selection', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/again.ipynb`, [LOAD, ROLLOUT]);
  const rollout = view(page, /^JAX program/);
  await choose(rollout, 'Expand all');
  await rollout.getByRole('searchbox', { name: 'Find' }).fill('tanh');
  await page.keyboard.press('Enter');
  await expect(details(rollout)).toContainText('tanh');
  const old = await rollout.elementHandle();

  await runAll(page);
  await expect.poll(() => old?.evaluate((node) => node.isConnected)).toBe(false);
  await expect(details(view(page, /^JAX program/))).toContainText('tanh');
  await expect(rollout.getByRole('searchbox', { name: 'Find' })).toHaveValue('tanh');
});

for (const dark of [false, true]) {
  test(`axe finds nothing to fix in lists, breadcrumbs and help, ${dark ? 'dark' : 'light'}`, async ({
    page,
    tmpPath,
  }) => {
    await run(page, `${tmpPath}/axe.ipynb`, [LOAD, ROLLOUT]);
    if (dark) await page.theme.setDarkTheme();
    const rollout = view(page, /^JAX program/);
    const find = rollout.getByRole('searchbox', { name: 'Find' });
    await find.focus();
    await passesAxe(page);
    await find.fill('f32[8,64]');
    await page.keyboard.press('ArrowDown');
    await expect(rollout.getByRole('listbox', { name: 'Matches' })).toBeVisible();
    await screenshot(rollout, `matches-${dark ? 'dark' : 'light'}`);
    await passesAxe(page);
    await page.keyboard.press('Enter');
    await expect(rollout.getByRole('navigation', { name: 'Enclosing boxes' })).toBeVisible();
    await screenshot(rollout, `breadcrumb-${dark ? 'dark' : 'light'}`);
    await passesAxe(page);
    await choose(rollout, 'Keys');
    await screenshot(rollout, `keys-${dark ? 'dark' : 'light'}`);
    await passesAxe(page);
  });
}
