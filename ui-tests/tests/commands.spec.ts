/** Commands in JupyterLab's palette, menus, launcher and settings. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import {
  cellAt,
  chooseCommand,
  command,
  expect,
  LOAD,
  type Notebook,
  notebook,
  open,
  outline,
  panel,
  passesAxe,
  ROLLOUT,
  run,
  runAll,
  screenshot,
  test,
  view,
} from './notebook';
import { slow } from './slow';

const MODEL = `def layer(w, x):
    return jax.nn.relu(x @ w)

@jax.jit
def loss(w, x):
    return jnp.mean(layer(w, x) ** 2)`;
const CALL = 'w = jnp.ones((8, 4)); x = jnp.ones((2, 8))\nloss(w, x)';
const CELLS = [LOAD, MODEL, CALL, '%jaxviz layer(w, x)'];
const DEMO = JSON.parse(
  readFileSync('../jaxviz/lessons/en/0_see_what_jax_sees.ipynb', 'utf-8'),
) as Notebook;

const inPanel = (page: Page, name: string): Locator => view(panel(page), name);
const line = (page: Page, cell: number, index: number): Locator =>
  cellAt(page, cell).locator('.jp-InputArea-editor .cm-line').nth(index);
const isEnabled = (page: Page, id: string) =>
  page.evaluate((id) => window.jupyterapp.commands.isEnabled(id), id);

async function chooseIn(page: Page, menu: Locator, name: string): Promise<void> {
  await menu.click({ button: 'right' });
  await page.locator('.lm-Menu-itemLabel', { hasText: name }).click();
}

/** The areas of the shell that hold the panel. */
const area = (page: Page) =>
  page.evaluate(() => {
    const { shell } = window.jupyterapp;
    return ['left', 'main', 'right'].filter((area) =>
      [...shell.widgets(area)].some(({ id }) => id === 'jaxviz-panel'),
    );
  });

test('the function at the cursor is inspected, and captured where it was not', async ({
  page,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/inspect.ipynb`, CELLS);
  await expect(view(page, 'layer')).toBeVisible();
  await line(page, 1, 0).getByText('layer').click();
  await chooseCommand(page, 'Inspect JAX Function at Cursor');
  await expect(inPanel(page, 'layer')).toBeVisible();

  // In a cell that is not active, the function under the pointer is inspected.
  const call = line(page, 2, 1);
  await call.click({ button: 'right', position: { x: 12, y: 8 } });
  await page.locator('.lm-Menu-itemLabel', { hasText: 'Inspect JAX Function' }).click();
  const answer = panel(page).locator('.jxv-panel-looking');
  await expect(answer).toContainText('jaxviz has seen no program of loss yet.');
  await expect(answer.locator('pre')).toHaveText('%jaxviz loss(w, x)');
  await passesAxe(page);
  await screenshot(panel(page), 'panel-looking');
  await answer.getByRole('button', { name: 'Run in a new cell' }).click();
  await expect(inPanel(page, 'loss')).toBeVisible();
  await expect(answer).toBeHidden();
  await expect(cellAt(page, 3).locator('.jp-InputArea-editor')).toHaveText('%jaxviz loss(w, x)');

  await line(page, 1, 4).click();
  await page.keyboard.press('Alt+Shift+J');
  await expect(inPanel(page, 'loss')).toBeVisible();

  await line(page, 0, 0).click();
  await page.keyboard.press('Alt+Shift+J');
  await expect(page.locator('.Toastify__toast')).toContainText('no function at the cursor');
});

slow(test)('a program is exported from the palette', async ({ page, tmpPath }) => {
  await open(page, `${tmpPath}/export.ipynb`, notebook(CELLS));
  expect(await isEnabled(page, 'jaxviz:export')).toBe(false);
  await runAll(page);
  await expect(view(page, 'layer')).toBeVisible();
  await cellAt(page, 3).locator('.jp-InputPrompt').click();
  const menu = page.getByRole('menu', { name: 'More' });
  await chooseCommand(page, 'Export JAX Program…');
  const first = menu.getByRole('menuitem', { name: 'SVG of the visible part' });
  await expect(first).toBeFocused();
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.keyboard.press('Enter'), // on the first entry that exports
  ]);
  expect(saved.suggestedFilename()).toBe('layer.svg');

  // The program in the panel comes first. Its bar is narrow.
  await line(page, 3, 0).getByText('layer').click();
  await page.keyboard.press('Alt+Shift+J');
  await expect(inPanel(page, 'layer')).toBeVisible();
  await chooseCommand(page, 'Export JAX Program…');
  await expect(inPanel(page, 'layer').getByRole('menu', { name: 'More' })).toBeVisible();
});

slow(test)('there is one panel, on either side or in the main area', async ({ page, tmpPath }) => {
  const frames: string[] = [];
  page.on('websocket', (socket) => {
    if (!socket.url().includes('/channels')) return;
    socket.on('framesent', () => frames.push('sent'));
    socket.on('framereceived', () => frames.push('came'));
  });
  await run(page, `${tmpPath}/move.ipynb`, CELLS);
  await command(page, 'jaxviz:open-panel');
  await panel(page).getByRole('button', { name: 'layer' }).click();
  await expect(inPanel(page, 'layer')).toBeVisible();
  expect(await area(page)).toEqual(['right']);

  await chooseCommand(page, 'Move JAX Panel to the Main Area');
  await expect(inPanel(page, 'layer')).toBeVisible(); // it still shows what it showed
  expect(await area(page)).toEqual(['main']);
  await screenshot(page.locator('#jp-main-dock-panel'), 'panel-main');
  const tab = page.locator('#jp-main-dock-panel .lm-TabBar-tab', { hasText: 'JAX' });
  await page.evaluate(() => {
    const { shell } = window.jupyterapp;
    const [one] = [...shell.widgets('main')].filter(({ id }) => id === 'jaxviz-panel');
    const { currentWidget } = shell;
    if (!one || !currentWidget) return;
    shell.add(one, 'main', { mode: 'tab-after', ref: currentWidget.id });
    shell.activateById(currentWidget.id);
  });
  await expect(panel(page)).toBeHidden();
  await page.waitForTimeout(1000); // until the messages that this caused have come
  frames.length = 0;
  await page.waitForTimeout(2000);
  expect(frames).toEqual([]);

  await page.evaluate(() => location.reload());
  await expect(tab).toBeVisible();
  await expect.poll(() => area(page)).toEqual(['main']);
  await tab.locator('.lm-TabBar-tabCloseIcon').click();
  await expect.poll(() => area(page)).toEqual(['right']);

  const side = page.locator('.jp-SideBar .lm-TabBar-tab[data-id="jaxviz-panel"]');
  await chooseIn(page, side, 'Switch Sidebar Side');
  await expect.poll(() => area(page)).toEqual(['left']);
  await command(page, 'jaxviz:move-panel');
  await expect.poll(() => area(page)).toEqual(['main']);
  await command(page, 'jaxviz:move-panel');
  await expect.poll(() => area(page)).toEqual(['left']);
  await expect(panel(page)).toBeVisible();
});

test('settings hold for views that are drawn from then on', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/settings.ipynb`, [LOAD, ROLLOUT]);
  const boxes = (of: Locator) => outline(of).getByRole('treeitem').count();
  const rollout = view(page, /^JAX program/);
  await expect(rollout.getByRole('tab', { name: 'Jaxpr', selected: true })).toBeVisible();
  await expect(outline(rollout).getByRole('treeitem').first()).toBeAttached();
  const many = await boxes(rollout);

  await page.evaluate(() =>
    window.jupyterapp.commands.execute('settingeditor:open', { query: 'JAX' }),
  );
  const settings = page.locator('.jp-SettingsPanel');
  await expect(settings).toContainText('Boxes at first');
  await screenshot(settings, 'settings');
  await settings.locator('input[type=text]').fill('10');
  const choice = (label: string) => settings.locator('select', { hasText: label });
  await choice('StableHLO').selectOption({ label: 'HLO' });
  await choice('None').selectOption({ label: 'None' });
  const motionless = page.locator('.jxv-motionless').first(); // the panel takes it without a reload
  await expect(motionless).toBeAttached();
  await expect(motionless).toHaveCSS('white-space', 'normal'); // nothing else about it changes
  await page.locator('#jp-main-dock-panel .lm-TabBar-tab', { hasText: 'settings.ipynb' }).click();
  await expect(rollout.getByRole('tab', { name: 'Jaxpr', selected: true })).toBeVisible();
  expect(await boxes(rollout)).toBe(many);

  await runAll(page);
  await expect(rollout.getByRole('tab', { name: 'HLO', selected: true })).toBeVisible();
  await rollout.getByRole('tab', { name: 'Jaxpr' }).click();
  await expect.poll(() => boxes(rollout)).toBeLessThan(many);
});

slow(test)(
  'the launcher copies the lessons, and leaves copies that were edited',
  async ({ page, tmpPath, baseURL }) => {
    await page.locator('.jp-LauncherCard', { hasText: 'JAX Lessons' }).first().click();
    await expect(cellAt(page, 0)).toContainText('See what JAX sees');
    const path = `${tmpPath}/jaxviz-lessons/0_see_what_jax_sees.ipynb`;
    const sources = (content: Notebook) =>
      content.cells.map(({ source }) => [source].flat().join(''));
    const read = async () => {
      const { content } = await (await page.request.get(`${baseURL}/api/contents/${path}`)).json();
      return sources(content as Notebook);
    };
    expect(await read()).toEqual(sources(DEMO));

    await page.contents.uploadContent(JSON.stringify(notebook(['kept = 1'])), 'text', path);
    await command(page, 'docmanager:reload');
    await command(page, 'jaxviz-lessons:open');
    await expect(cellAt(page, 0)).toContainText('kept = 1');
    expect(await read()).toEqual(['kept = 1']);
  },
);

test('our shortcuts share no keys with others', async ({ page }) => {
  const shared = await page.evaluate(() => {
    const { keyBindings } = window.jupyterapp.commands;
    const isOurs = ({ command }: { command: string }) => command.startsWith('jaxviz:');
    const keys = keyBindings.filter(isOurs).map(({ keys }) => keys.join(' '));
    return {
      keys,
      others: keyBindings
        .filter((one) => !isOurs(one) && keys.includes(one.keys.join(' ')))
        .map(({ command }) => command),
    };
  });
  expect(shared).toEqual({ keys: ['Alt Shift J', 'Alt J'], others: [] });
});
