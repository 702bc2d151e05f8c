/** Opens files in which programs were saved, in tabs of their own. The page reads them: no kernel is
 * needed. */
import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin,
} from '@jupyterlab/application';
import { WidgetTracker } from '@jupyterlab/apputils';
import { ABCWidgetFactory, type DocumentRegistry, DocumentWidget } from '@jupyterlab/docregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { readSaved } from '../../facts/wire/saved-program';
import type { PreferenceSource } from '../../state/preferences';
import { mount } from '../../view';
import { icon } from './panel/panel-commands';
import { ISettings, type Settings } from './settings';

/** JupyterLab's name for files that open in a view when they are double-clicked. */
const FILE_TYPE = 'jaxviz-program';
/** JupyterLab's name for what opens them, which is kept with the layout of the page. */
const FACTORY = 'jaxviz program';

type Context = DocumentRegistry.IContext<DocumentRegistry.IModel>;

/** The program in a file, shown anew whenever the file is read again. */
class SavedProgram extends Widget {
  readonly #context: Context;
  readonly #preferring: PreferenceSource;
  #shown = new AbortController();

  constructor(context: Context, preferring: PreferenceSource) {
    super();
    this.#context = context;
    this.#preferring = preferring;
    this.addClass('jp-jaxviz-file');
    void context.ready.then(() => {
      if (this.isDisposed) return;
      context.model.contentChanged.connect(this.#show);
      this.#show();
    });
  }

  override dispose(): void {
    if (this.isDisposed) return;
    if (this.#context.isReady) this.#context.model.contentChanged.disconnect(this.#show);
    this.#shown.abort();
    super.dispose();
  }

  readonly #show = (): void => {
    this.#shown.abort();
    this.#shown = new AbortController();
    const preferring = this.#preferring;
    const program = preferring.ready.then(() => readSaved(this.#context.model.toString()));
    const source = { program, partial: null, opening: {}, kernel: null, preferring };
    mount(this.node, source, this.#shown.signal);
  };
}

/** Makes the tabs of files with programs. */
class SavedProgramFactory extends ABCWidgetFactory<DocumentWidget<SavedProgram>> {
  readonly #preferring: PreferenceSource;

  constructor(
    options: DocumentRegistry.IWidgetFactoryOptions<DocumentWidget<SavedProgram>>,
    preferring: PreferenceSource,
  ) {
    super(options);
    this.#preferring = preferring;
  }

  protected override createNewWidget(context: Context): DocumentWidget<SavedProgram> {
    const content = new SavedProgram(context, this.#preferring);
    const widget = new DocumentWidget({ content, context });
    widget.toolbar.hide();
    widget.title.icon = icon;
    return widget;
  }
}

export const savedProgramsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyterlab-jaxviz:saved-programs',
  description: 'Opens programs that jaxviz saved from the file browser.',
  autoStart: true,
  requires: [ISettings],
  optional: [ILayoutRestorer, ITranslator],
  activate: (
    { docRegistry }: JupyterFrontEnd,
    settings: Settings,
    restorer: ILayoutRestorer | null,
    translator: ITranslator | null,
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyterlab_jaxviz');
    docRegistry.addFileType({
      name: FILE_TYPE,
      displayName: trans.__('JAX program'),
      extensions: ['.jaxviz.json'],
      mimeTypes: ['application/json'],
      icon,
    });
    const factory = new SavedProgramFactory(
      {
        name: FACTORY,
        label: trans.__('JAX program'),
        modelName: 'text',
        fileTypes: [FILE_TYPE, 'json'],
        defaultFor: [FILE_TYPE],
        readOnly: true,
      },
      settings,
    );
    const tabs = new WidgetTracker<DocumentWidget<SavedProgram>>({ namespace: 'jaxviz-programs' });
    factory.widgetCreated.connect((_, widget) => void tabs.add(widget));
    // JupyterLab's own type of factories says less of what may be undefined than its class.
    docRegistry.addWidgetFactory(factory as DocumentRegistry.WidgetFactory);
    void restorer?.restore(tabs, {
      command: 'docmanager:open',
      args: ({ context }) => ({ path: context.path, factory: FACTORY }),
      name: ({ context }) => context.path,
    });
  },
};
