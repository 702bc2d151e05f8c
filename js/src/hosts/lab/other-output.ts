/** What stands in place of an output that cannot be read: its picture or text, and why. */
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { type Panel, Widget } from '@lumino/widgets';
import { LOG_MIME, MIME } from '../../schema';

/** What is not shown instead: our own data, and a widget, which is an error if its model is gone. */
const NOT_SHOWN_INSTEAD: ReadonlySet<string> = new Set([
  MIME,
  LOG_MIME,
  'application/vnd.jupyter.widget-view+json',
]);

/** Draws the other data of an output, such as its picture. */
export type OtherRenderers = Pick<IRenderMimeRegistry, 'preferredMimeType' | 'createRenderer'>;

/** Shows the picture or text of an output whose data cannot be read, and below it the sentence that
 * says why. */
export async function showOtherwise(
  output: Panel,
  model: IRenderMime.IMimeModel,
  rendermime: OtherRenderers,
  sentence: string,
): Promise<void> {
  const reason = new Widget({ node: document.createElement('p') });
  reason.node.textContent = sentence;
  reason.addClass('jp-jaxviz-told');
  const data = Object.fromEntries(
    Object.entries(model.data).filter(([mime]) => !NOT_SHOWN_INSTEAD.has(mime)),
  );
  const mime = rendermime.preferredMimeType(data, model.trusted ? 'any' : 'ensure');
  if (mime !== undefined) {
    const other = rendermime.createRenderer(mime);
    output.addWidget(other);
    await other.renderModel(model);
  }
  output.addWidget(reason);
}
