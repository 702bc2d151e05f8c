import type { Log } from '../../schema';

/** What the marks of the timeline mean, of those that are there. */
export function Legend({ log }: { log: Log }) {
  const any = (test: (event: Log['events'][number]) => boolean) => log.events.some(test);
  const marks: [string, string, boolean][] = [
    ['trace', 'trace', true],
    ['lower', 'lower', true],
    ['compile', 'compile', true],
    ['again', 'again', any(({ again }) => again)],
    ['error', 'failed', any(({ error }) => error !== null)],
    ['cached', 'from the persistent cache', any(({ cached }) => cached === true)],
    ['implied', 'not announced, time not known', any(({ implied }) => implied)],
    ['hits', 'hits: calls that were cached', log.functions.some(({ hits }) => hits !== null)],
    ['gap', `${log.omitted.toLocaleString('en')} not listed`, log.omitted > 0],
  ];
  return (
    <ul class="jxv-log-legend" aria-label="Legend">
      {marks.map(([name, text, is]) =>
        is ? (
          <li key={name}>
            <span class={`jxv-log-key jxv-log-key-${name}`} aria-hidden="true" />
            {text}
          </li>
        ) : null,
      )}
      <li class="jxv-log-keys" title={KEYS}>
        drag to zoom, arrow keys walk
      </li>
    </ul>
  );
}

const KEYS = [
  'Drag: zoom into a stretch; Shift and drag, or a wheel to the side: move',
  'Ctrl and the wheel, + − 0: zoom in, out, to all',
  'Double-click: zoom to the marks; beside them: all',
  '← → ↑ ↓ Home End: from event to event',
  'Shift+← Shift+→: move',
  'Enter: the program; p: compare with an earlier trace; c, or Shift and click: with another',
  'Escape: select nothing',
].join('\n');
