import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { TranslationBundle } from '@jupyterlab/translation';

type Said = Pick<ISettingRegistry.IProperty, 'title' | 'description'>;

/** Has the settings editor show a plugin's settings in the page's language, under the contexts that
 * JupyterLab's server uses: that one looks into language packs alone. */
export function translateSettings(
  registry: ISettingRegistry,
  plugin: string,
  trans: TranslationBundle,
): void {
  const said = (context: string, { title = '', description = '' }: Said): Said => ({
    title: trans._p(context, title),
    description: trans._p(context, description),
  });
  registry.transform(plugin, {
    fetch(data) {
      const properties = Object.entries(data.schema.properties ?? {}).map(([name, property]) => [
        name,
        { ...property, ...said('settings', property) },
      ]);
      Object.assign(data.schema, said('schema', data.schema), {
        properties: Object.fromEntries(properties),
      });
      return data;
    },
  });
}
