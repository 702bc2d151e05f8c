import { legendOf } from '../../facts/log/legend';
import { __ } from '../../language';
import type { Log } from '../../schema';

/** What the marks of the timeline mean, of those that are there. */
export function Legend({ log }: { log: Log }) {
  return (
    <ul class="jxv-log-legend" aria-label={__('Legend')}>
      {legendOf(log).map(({ mark, text }) => (
        <li key={mark}>
          <span class={`jxv-log-key jxv-log-key-${mark}`} aria-hidden="true" />
          {text}
        </li>
      ))}
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
