import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import type { Retraces } from './retraces';

/** In the status bar: how often functions were traced or compiled again since the last cell. */
export class RetracesItem extends Widget {
  constructor(retraces: Retraces, trans: TranslationBundle, open: () => void) {
    super({ node: document.createElement('button') });
    this.addClass('jp-jaxviz-status');
    this.node.title = trans.__(
      'How often JAX functions were traced or compiled again since the last cell began',
    );
    this.node.addEventListener('click', open);
    const show = () => {
      const count = retraces.since ?? 0;
      this.node.textContent = trans._n('⟳ %1 again', '⟳ %1 again', count);
      this.toggleClass('jp-jaxviz-some', count > 0);
    };
    retraces.changed.connect(show, this);
    show();
  }
}
