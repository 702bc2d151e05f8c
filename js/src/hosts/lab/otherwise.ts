import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { type Panel, Widget } from '@lumino/widgets';
import { LOG_MIME, MIME } from '../../schema';

/** What we cannot read, and a widget, which is an error where its model is gone. */
const NOT: ReadonlySet<string> = new Set([
  MIME,
  LOG_MIME,
  'application/vnd.jupyter.widget-view+json',
]);

/** Who draws what else an output holds. */
export type Others = Pick<IRenderMimeRegistry, 'preferredMimeType' | 'createRenderer'>;

/** Shows what else an output holds whose data cannot be read, its picture or text, and under it the
 * sentence that says why. */
export async function showOtherwise(
  output: Panel,
  model: IRenderMime.IMimeModel,
  rendermime: Others,
  sentence: string,
): Promise<void> {
  const told = new Widget({ node: document.createElement('p') });
  told.node.textContent = sentence;
  told.addClass('jp-jaxviz-told');
  const data = Object.fromEntries(Object.entries(model.data).filter(([mime]) => !NOT.has(mime)));
  const mime = rendermime.preferredMimeType(data, model.trusted ? 'any' : 'ensure');
  if (mime !== undefined) {
    const other = rendermime.createRenderer(mime);
    output.addWidget(other);
    await other.renderModel(model);
  }
  output.addWidget(told);
}
