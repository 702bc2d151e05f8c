/** What hosts use of the views: to show a program or a log, and the DOM events between them. */
import { h, render } from 'preact';
import type { Log } from '../schema';
import { later } from './later';
import type { LogSource } from './log/mounted-log';
import { Mounted, type ProgramSource } from './mounted-program';
import { Preferred } from './view-root';

export { cannotShow } from './arrival';
export {
  EDIT,
  type EditEvent,
  EXPORT,
  EXPORTS,
  FILE,
  type FileEvent,
  LINES,
  type LinesEvent,
  MAKE,
  type MakeEvent,
  PAGE,
  type PageEvent,
  POINT,
  type PointEvent,
  SELECT,
  SELECTED,
  type SelectedEvent,
  SOURCE,
  type SourceEvent,
  VIEWS,
} from './host-events';
export type { LogSource } from './log/mounted-log';
export type { ProgramSource } from './mounted-program';

const MountedLog = later(async () => (await import('./log/mounted-log')).MountedLog);

/** Shows a program in an element until the signal aborts. */
export function mount(element: HTMLElement, source: ProgramSource, signal: AbortSignal): void {
  if (signal.aborted) return;
  const { preferring } = source;
  render(h(Preferred, { preferring, children: h(Mounted, { source }) }), element);
  signal.addEventListener('abort', () => render(null, element), { once: true });
}

/**
 * Shows a log in an element until the signal aborts.
 *
 * Returns a function that shows a newer log instead, and keeps all that the reader did in the view.
 */
export function mountLog(
  element: HTMLElement,
  source: LogSource,
  signal: AbortSignal,
): (log: Promise<Log>) => void {
  const show = (log: Promise<Log>) => {
    if (signal.aborted) return;
    log.catch(() => undefined); // told by the view, once its code is here
    const { preferring } = source;
    const children = h(MountedLog, { source: { ...source, log } });
    render(h(Preferred, { preferring, children }), element);
  };
  show(source.log);
  signal.addEventListener('abort', () => render(null, element), { once: true });
  return show;
}
