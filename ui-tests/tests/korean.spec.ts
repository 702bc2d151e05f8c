/** JupyterLab and Notebook 7 in Korean: what jaxviz adds to them, and all texts of its views. */
import { type Page, test } from '@playwright/test';
import { command, expect, LOAD, notebook, panel, put, runAll, screenshot, widen } from './notebook';
import { languageSettings, setSettings } from './page-settings';
import { slow } from './slow';

const LOSS = `@jax.jit
def loss(w, x): return jnp.sum(jnp.tanh(x @ w))
%jaxviz on
%jaxviz loss(jnp.ones((4, 8)), jnp.ones((16, 4)))`;
const RETRACES = 'for n in (16, 8, 5): loss(jnp.ones((4, 8)), jnp.ones((n, 4)))';

async function openNotebook(page: Page, path: string): Promise<void> {
  await put(page.request, path, notebook([LOAD, LOSS, RETRACES]));
  await setSettings(page, languageSettings('ko'));
}

test('the menus, the palette, the panel and the views of JupyterLab', async ({ page }) => {
  await openNotebook(page, 'korean.ipynb');
  await page.goto('/lab/tree/korean.ipynb?reset');
  await page.waitForFunction(() => window.jupyterapp?.shell.currentWidget);
  await command(page, 'jaxviz:open-panel');
  await expect(panel(page).locator('pre')).toHaveText('%load_ext jaxviz');
  await expect(panel(page)).toContainText('커널에 jaxviz가 로드되지 않았습니다.');
  await screenshot(panel(page), 'korean-empty');

  await runAll(page);
  const output = page.locator('.jp-Notebook').getByRole('region', { name: 'JAX 프로그램 loss' });
  await output.getByRole('button', { name: '더 보기' }).click();
  await expect(output.getByRole('menuitem', { name: '모두 펼치기' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(output.locator('.jxv-hint')).toContainText('상자나 줄을 선택');
  await expect(page.locator('.jp-jaxviz-status')).toHaveText('⟳ retrace 2회');

  await expect(panel(page).getByRole('tab')).toHaveText(['함수', '이벤트', '검사기']);
  const rows = panel(page).locator('.jxv-panel-row');
  await expect(rows).toContainText([/trace 3회 \(retrace 2회\).*셀 2에서 캡처됨/s]);
  await expect(rows).toContainText([/x: 몇 가지 크기 중 하나로 패딩하세요/]);
  await widen(page, 250);
  await screenshot(panel(page), 'korean-functions');

  await panel(page).getByRole('tab', { name: '이벤트' }).click();
  await expect(rows.filter({ hasText: 'retrace 2회 중 2번째' })).toBeVisible();
  await screenshot(panel(page), 'korean-events');

  await output.getByRole('textbox', { name: 'jaxpr 텍스트' }).getByText('dot_general').click();
  await panel(page).getByRole('tab', { name: '검사기' }).click();
  await expect(panel(page)).toContainText('두 배열의 곱');
  await expect(panel(page)).toContainText('이동량');
  await widen(page, 400);
  await screenshot(panel(page), 'korean-inspector');
  await screenshot(output, 'korean-output');

  await page.getByRole('menuitem', { name: '커널', exact: true }).click();
  await expect(page.getByRole('menuitem', { name: 'JAX retrace 감시 중지' })).toBeVisible();
  await page.keyboard.press('Escape');
  await command(page, 'apputils:activate-command-palette');
  await page.locator('.lm-CommandPalette-input').fill('JAX 패널');
  await expect(page.locator('.lm-CommandPalette-itemLabel').first()).toContainText('JAX 패널');
  await page.keyboard.press('Escape');

  await command(page, 'settingeditor:open');
  await page.locator('.jp-PluginList').getByText('JAX', { exact: true }).click();
  await expect(page.locator('.jp-SettingsPanel')).toContainText('시작할 때 감시');
});

slow(test)('Notebook 7', async ({ page }) => {
  await openNotebook(page, 'korean7.ipynb');
  await page.goto('/notebooks/korean7.ipynb');
  await page.waitForFunction(() => window.jupyterapp?.shell.currentWidget);
  await command(page, 'jaxviz:open-panel');
  await runAll(page);
  await expect(panel(page).locator('.jxv-panel-row')).toContainText(['셀 2에서 캡처됨']);
  await page.getByRole('menuitem', { name: '보기', exact: true }).click();
  await expect(page.getByRole('menuitem', { name: 'JAX 패널 표시' })).toBeVisible();
});

slow(test)('a file that holds no program', async ({ page, baseURL }) => {
  const data = { type: 'file', format: 'text', content: '{' };
  await page.request.put(`${baseURL}/api/contents/korean.jaxviz.json`, { data });
  await setSettings(page, languageSettings('ko'));
  await page.goto('/lab/tree/korean.jaxviz.json?reset');
  await expect(page.getByRole('alert')).toHaveText(
    'jaxviz가 이 프로그램을 표시할 수 없습니다. Program.save로 저장한 파일이 아니거나 일부가 빠져 있습니다.',
  );
});
