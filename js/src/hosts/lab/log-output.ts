import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Panel } from '@lumino/widgets';
import { readLog } from '../../facts/log/read-log';
import { fromBase64 } from '../../facts/wire/index';
import { __ } from '../../language';
import { LOG_MIME, type Log, type LogDisplay } from '../../schema';
import { cannotShow, mountLog } from '../../view';
import { readLogDisplay } from './display';
import { showOtherwise } from './otherwise';
import type { Around } from './output';

/** A log that is shown. */
interface Shown {
  /** What the view was made for, and a newer log does not change. */
  key: string;
  strip: boolean;
  latest: Promise<Log>;
  show: (log: Promise<Log>) => void;
}

const cut = (): string => __('This was saved while the cell ran: what came later is not in it.');

/** A log: drawn from its own data, and as it grows with the outputs that take its place. */
export class LogOutput extends Panel implements IRenderMime.IRenderer {
  readonly #around: Around;
  readonly #closing = new AbortController();
  #ending = new AbortController();
  #shown: Shown | null = null;

  constructor(around: Around) {
    super();
    this.#around = around;
    around.listen(this.node, this.#closing.signal);
    this.addClass('jp-jaxviz');
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const display = readLogDisplay(model.data[LOG_MIME]);
    if (typeof display === 'string') {
      this.#clear();
      await showOtherwise(this, model, this.#around.rendermime, display);
      return;
    }
    const { key, strip } = display;
    const log = read(display);
    if (this.#shown?.key === key && this.#shown.strip === strip) {
      this.#shown.latest = log;
      this.#shown.show(log);
      return;
    }
    this.#clear();
    const { signal } = this.#ending;
    const { preferring } = this.#around;
    const kernel = this.#around.kernel(key, signal);
    const show = mountLog(this.node, { log, strip, kernel, preferring }, signal);
    this.#shown = { key, strip, latest: log, show };
    this.#end(this.#shown, signal).catch(() => undefined);
    log.catch((error) => {
      if (signal.aborted) return;
      this.#clear();
      return showOtherwise(this, model, this.#around.rendermime, cannotShow(error, 'log'));
    });
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.#clear();
    this.#closing.abort();
    super.dispose();
  }

  /** What a page does not hear of a cell that ran when it was opened will never come. */
  async #end(shown: Shown, signal: AbortSignal): Promise<void> {
    if (!(await shown.latest).running) return;
    await this.#around.run(signal);
    const log = await shown.latest;
    if (!log.running || signal.aborted) return;
    shown.show(Promise.resolve({ ...log, running: false, notes: [...log.notes, cut()] }));
  }

  #clear(): void {
    this.#around.forget(this.node);
    this.#ending.abort();
    this.#ending = new AbortController();
    this.#shown = null;
    for (const widget of [...this.widgets]) widget.dispose();
    this.node.replaceChildren();
  }
}

async function read({ log }: LogDisplay): Promise<Log> {
  return readLog(fromBase64(log));
}
