/** Settings of one page only, which are not saved and so reach no other test. */
import { expect, type Locator, type Page } from '@playwright/test';
import { command, type Notebook, put, runAll, screenshot } from './notebook';

export type Settings = Record<string, object>;

export const languageSettings = (language: 'en' | 'ko'): Settings => ({
  '@jupyterlab/translation-extension:plugin': { locale: language === 'ko' ? 'ko_KR' : 'en' },
});
const DARK: Settings = {
  '@jupyterlab/apputils-extension:themes': { theme: 'JupyterLab Dark' },
};

/** Opens a notebook in JupyterLab, in a language, and runs it. */
export async function openIn(
  page: Page,
  language: 'en' | 'ko',
  path: string,
  content: Notebook,
): Promise<void> {
  await put(page.request, path, content);
  await setSettings(page, languageSettings(language));
  await page.goto(`/lab/tree/${path}?reset`);
  await runAll(page);
}

/** Gives the page the dark theme. */
export async function darken(page: Page, language: 'en' | 'ko'): Promise<void> {
  await setSettings(page, { ...languageSettings(language), ...DARK });
  await command(page, 'apputils:change-theme', { theme: 'JupyterLab Dark' });
  await expect(page.locator('body')).toHaveAttribute('data-jp-theme-light', 'false');
}

/** Takes screenshots at three widths. */
export async function screenshots(
  page: Page,
  of: Locator,
  name: string,
  height = 1100,
): Promise<void> {
  for (const width of [600, 900, 1400]) {
    await page.setViewportSize({ width, height });
    await screenshot(of, `${name}-${width}`);
  }
}

/** Gives the page these settings, each by its plugin, until the next call. */
export async function setSettings(page: Page, settings: Settings): Promise<void> {
  await page.route(/\/api\/settings\b/, async (route) => {
    if (route.request().method() !== 'GET') return route.fulfill({ status: 204 });
    const response = await route.fetch();
    const answer = await response.json();
    const plugins: { id: string }[] = Array.isArray(answer.settings) ? answer.settings : [answer];
    for (const plugin of plugins) {
      const own = settings[plugin.id];
      if (own) Object.assign(plugin, { raw: JSON.stringify(own), settings: own });
    }
    await route.fulfill({ response, json: answer });
  });
}
