import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { Token } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';
import {
  DEFAULTS,
  type Preferences,
  type Preferring,
  preferencesIn,
} from '../../state/preferences';
import { translateSettings } from './settings-words';

/** As JupyterLab names what is in schema/panel.json. */
const ID = 'jupyterlab-jaxviz:panel';

/** What the reader chose in JupyterLab's settings editor, or by default. */
export class Settings implements Preferring {
  readonly ready: Promise<void>;
  readonly #changed = new Signal<this, void>(this);
  #now: Preferences = DEFAULTS;
  #watches = false;

  constructor(loading: Promise<ISettingRegistry.ISettings>) {
    this.ready = loading.then(
      (settings) => {
        this.#read(settings);
        settings.changed.connect(this.#read);
      },
      () => undefined, // without settings all is as by default
    );
  }

  now(): Preferences {
    return this.#now;
  }

  /** Notebooks are watched as soon as they have loaded jaxviz. */
  get watchesAtStart(): boolean {
    return this.#watches;
  }

  follow(changed: () => void, signal: AbortSignal): void {
    this.#changed.connect(changed);
    signal.addEventListener('abort', () => this.#changed.disconnect(changed));
  }

  readonly #read = ({ composite }: ISettingRegistry.ISettings): void => {
    this.#now = preferencesIn(composite);
    this.#watches = composite.watchAtStart === true;
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
    translateSettings(registry, ID, trans);
    return new Settings(registry.load(ID));
  },
};
