import { h, render } from 'preact';
import type { Log, Opening, Program } from '../schema';
import type { Kernel } from '../state/kernel-requests';
import type { Preferring } from '../state/preferences';
import { type LogSource, MountedLog } from './log/mounted-log';
import { Mounted } from './mounted';
import { Preferred } from './preferred';

export { sentence as cannotShow } from './arrival';
export { EXPORT, EXPORTS } from './export';
export type { LogSource } from './log/mounted-log';
export {
  MAKE,
  type MakeEvent,
  POINT,
  type PointEvent,
  SELECT,
  SELECTED,
  type SelectedEvent,
  VIEWS,
} from './selection';
export {
  FILE,
  type FileEvent,
  LINES,
  type LinesEvent,
  SOURCE,
  type SourceEvent,
} from './source';

/** What a host gives: a program, perhaps still on its way. */
export interface ProgramSource {
  program: Promise<Program>;
  /** What was left out of a program too large to save, as one sentence. */
  partial: string | null;
  /** What its author chose of how it opens. */
  opening: Opening;
  /** Makes later stages; null where no kernel can. */
  kernel: Kernel | null;
  preferring?: Preferring;
}

/** Show a program in an element until the signal aborts. */
export function mount(element: HTMLElement, source: ProgramSource, signal: AbortSignal): void {
  if (signal.aborted) return;
  const { preferring } = source;
  render(h(Preferred, { preferring, children: h(Mounted, { source }) }), element);
  signal.addEventListener('abort', () => render(null, element), { once: true });
}

/**
 * Show a log in an element until the signal aborts.
 *
 * Returns what gives it a newer one, which leaves all that the reader did to the view as it is.
 */
export function mountLog(
  element: HTMLElement,
  source: LogSource,
  signal: AbortSignal,
): (log: Promise<Log>) => void {
  const show = (log: Promise<Log>) => {
    if (signal.aborted) return;
    const { preferring } = source;
    const children = h(MountedLog, { source: { ...source, log } });
    render(h(Preferred, { preferring, children }), element);
  };
  show(source.log);
  signal.addEventListener('abort', () => render(null, element), { once: true });
  return show;
}
