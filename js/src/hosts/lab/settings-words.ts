import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { TranslationBundle } from '@jupyterlab/translation';

/** Has the settings editor show a plugin's settings in the page's language, under the contexts that
 * JupyterLab's server uses: that one looks into language packs alone. */
export function translateSettings(
  registry: ISettingRegistry,
  plugin: string,
  trans: TranslationBundle,
): void {
  registry.transform(plugin, {
    fetch: (data) => {
      const { title = '', description = '', properties = {} } = data.schema;
      Object.assign(data.schema, {
        title: trans._p('schema', title),
        description: trans._p('schema', description),
        properties: within(properties, (text) => trans._p('settings', text)),
      });
      return data;
    },
  });
}

const SAID = new Set(['title', 'description']);

/** A copy with all titles and descriptions said anew, those of choices too. */
function within<T>(value: T, say: (text: string) => string): T;
function within(value: unknown, say: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => within(one, say));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, held]) => [
    name,
    SAID.has(name) && typeof held === 'string' ? say(held) : within(held, say),
  ]);
  return Object.fromEntries(entries);
}
