/** The page alone is told of settings, and what it sets is not kept: no other test meets it. */
import type { Page } from '@playwright/test';

export type Settings = Record<string, object>;

export const languageSettings = (language: 'en' | 'ko'): Settings => ({
  '@jupyterlab/translation-extension:plugin': { locale: language === 'ko' ? 'ko_KR' : 'en' },
});
export const DARK: Settings = {
  '@jupyterlab/apputils-extension:themes': { theme: 'JupyterLab Dark' },
};

/** From now on the page is told of these settings, by plugin, until others are told. */
export async function tell(page: Page, settings: Settings): Promise<void> {
  await page.route(/\/api\/settings\b/, async (route) => {
    if (route.request().method() !== 'GET') return route.fulfill({ status: 204 });
    const response = await route.fetch();
    const told = await response.json();
    const plugins: { id: string }[] = Array.isArray(told.settings) ? told.settings : [told];
    for (const plugin of plugins) {
      const own = settings[plugin.id];
      if (own) Object.assign(plugin, { raw: JSON.stringify(own), settings: own });
    }
    await route.fulfill({ response, json: told });
  });
}
