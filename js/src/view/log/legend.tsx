import { __ } from '../../model/language';
import type { Log } from '../../schema';

/** What the marks of the timeline mean, of those that are there. */
export function Legend({ log }: { log: Log }) {
  const any = (test: (event: Log['events'][number]) => boolean) => log.events.some(test);
  const marks: [string, string, boolean][] = [
    ['trace', __('trace'), true],
    ['lower', __('lower'), true],
    ['compile', __('compile'), true],
    ['again', __('again'), any(({ again }) => again)],
    ['error', __('failed'), any(({ error }) => error !== null)],
    ['cached', __('from the persistent cache'), any(({ cached }) => cached === true)],
    ['implied', __('not announced, time not known'), any(({ implied }) => implied)],
    ['hits', __('hits: calls that were cached'), log.functions.some(({ hits }) => hits !== null)],
    ['gap', __('%1 not listed', log.omitted.toLocaleString('en')), log.omitted > 0],
  ];
  return (
    <ul class="jxv-log-legend" aria-label={__('Legend')}>
      {marks.map(([name, text, is]) =>
        is ? (
          <li key={name}>
            <span class={`jxv-log-key jxv-log-key-${name}`} aria-hidden="true" />
            {text}
          </li>
        ) : null,
      )}
      <li class="jxv-log-keys" title={keysText()}>
        {__('drag to zoom, arrow keys walk')}
      </li>
    </ul>
  );
}

const keysText = () =>
  [
    __('Drag: zoom into a stretch; Shift and drag, or a wheel to the side: move'),
    __('Ctrl and the wheel, + − 0: zoom in, out, to all'),
    __('Double-click: zoom to the marks; beside them: all'),
    __('← → ↑ ↓ Home End: from event to event'),
    __('Shift+← Shift+→: move'),
    __('Enter: the program; p: compare with an earlier trace; c, or Shift and click: with another'),
    __('Escape: select nothing'),
  ].join('\n');
