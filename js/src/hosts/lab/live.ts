import type { ISessionContext } from '@jupyterlab/apputils';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Connection } from './connection';

const WIDGET = 'application/vnd.jupyter.widget-view+json';

/** Who draws an output whole: its widget, where the notebook's kernel still holds it. */
export type Live = (model: IRenderMime.IMimeModel) => Promise<IRenderMime.IRenderer | null>;

/** A notebook or console. */
interface Held {
  content: { rendermime: IRenderMimeRegistry };
  sessionContext: ISessionContext;
}

export function liveWidget({ content, sessionContext }: Held): Live {
  return async (model) => {
    const id = widgetId(model);
    if (id === null || !model.trusted) return null;
    const kernel = await Connection.of(sessionContext).there();
    const reply = await kernel.requestCommInfo({ target_name: 'jupyter.widget' });
    const held = reply?.content.status === 'ok' && Object.hasOwn(reply.content.comms, id);
    const drawn = content.rendermime.mimeTypes.includes(WIDGET);
    return held && drawn ? content.rendermime.createRenderer(WIDGET) : null;
  };
}

function widgetId(model: IRenderMime.IMimeModel): string | null {
  const view = model.data[WIDGET] as { model_id?: unknown } | undefined;
  return typeof view?.model_id === 'string' ? view.model_id : null;
}
