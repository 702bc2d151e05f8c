/** The settings of jaxviz in JupyterLab: reads and follows them, and translates the settings editor. */
import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator, type TranslationBundle } from '@jupyterlab/translation';
import { Token } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';
import {
  DEFAULT_PREFERENCES,
  type PreferenceSource,
  type Preferences,
  preferencesIn,
} from '../../state/preferences';

/** JupyterLab's name of the settings in schema/panel.json. */
const SETTINGS_ID = 'jupyterlab-jaxviz:panel';

/** The reader's choices in the settings editor, else the defaults. */
export class Settings implements PreferenceSource {
  readonly ready: Promise<void>;
  readonly #changed = new Signal<this, void>(this);
  #now: Preferences = DEFAULT_PREFERENCES;
  #watches = false;
  #margin: unknown = 'panel';
  #isPanelSeen = false;

  constructor(loading: Promise<ISettingRegistry.ISettings>) {
    this.ready = loading.then(
      (settings) => {
        this.#read(settings);
        settings.changed.connect(this.#read);
      },
      () => undefined, // the defaults stay
    );
  }

  now(): Preferences {
    return this.#now;
  }

  /** True if kernels are watched as soon as they have loaded jaxviz. */
  get watchesAtStart(): boolean {
    return this.#watches;
  }

  /** True if the margins of cells show costs now: always, never, or while the panel is visible. */
  get showsMargin(): boolean {
    return this.#margin === 'always' || (this.#margin === 'panel' && this.#isPanelSeen);
  }

  /** Call when the panel becomes visible or hidden. */
  set isPanelSeen(seen: boolean) {
    this.#isPanelSeen = seen;
    this.#changed.emit();
  }

  follow(changed: () => void, signal: AbortSignal): void {
    this.#changed.connect(changed);
    signal.addEventListener('abort', () => this.#changed.disconnect(changed));
  }

  readonly #read = ({ composite }: ISettingRegistry.ISettings): void => {
    this.#now = preferencesIn(composite);
    this.#watches = composite.watchAtStart === true;
    this.#margin = composite.margin;
    this.#changed.emit();
  };
}

export const ISettings = new Token<Settings>('jupyterlab-jaxviz:ISettings');

export const settingsPlugin: JupyterFrontEndPlugin<Settings> = {
  id: 'jupyterlab-jaxviz:settings',
  description: 'Reads the settings of jaxviz.',
  provides: ISettings,
  optional: [ISettingRegistry, ITranslator],
  activate: (_app, registry: ISettingRegistry | null, translator: ITranslator | null) => {
    if (!registry) return new Settings(Promise.reject(new Error('There are no settings.')));
    const trans = (translator ?? nullTranslator).load('jupyterlab_jaxviz');
    translateSettings(registry, SETTINGS_ID, trans);
    return new Settings(registry.load(SETTINGS_ID));
  },
};

/** Translates the settings of a plugin in the settings editor. JupyterLab's server does so only with
 * language packs, not with the translations of an extension. The contexts of the texts are those of
 * the server. */
function translateSettings(
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
        properties: translated(properties, (text) => trans._p('settings', text)),
      });
      return data;
    },
  });
}

const TRANSLATED_FIELDS = new Set(['title', 'description']);

/** A copy of a JSON schema with all titles and descriptions translated, at any depth. */
function translated<T>(value: T, translate: (text: string) => string): T;
function translated(value: unknown, translate: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => translated(one, translate));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [
    name,
    TRANSLATED_FIELDS.has(name) && typeof inner === 'string'
      ? translate(inner)
      : translated(inner, translate),
  ]);
  return Object.fromEntries(entries);
}
