import { __ } from '../../model/language';
import { endedText, lookedText, tookText } from '../../model/log/words';
import type { EventLine } from '../../model/panel/event-list';
import type { Event } from '../../schema';
import { Middle } from '../log/middle';
import { clockText } from './clock';
import { Why } from './why';

interface Props {
  /** Which trace, lowering or compilation it is. */
  what: string;
  line: EventLine;
  /** Tab leads to it. */
  isCurrent: boolean;
  isOpen: boolean;
  choose: (event: Event, click: MouseEvent) => void;
}

/** Changes of a reason that are shown. */
const MOST_CHANGES = 2;
/** How deep rows are indented at most. */
const DEEPEST = 4;

/** JAX tells no time of what it does not announce. */
const isTimed = ({ implied, looked, seconds }: Event): boolean =>
  !(implied || looked) || seconds > 0;

/** One trace, lowering or compilation. */
export function EventRow({ what, line, isCurrent, isOpen, choose }: Props) {
  const { event, begins, follows } = line;
  const { number, kind, name, depth, again, looked, error } = event;
  const classes = `${begins ? ' jxv-begins' : ''}${follows ? ' jxv-follows' : ''}`;
  return (
    <li
      class={`jxv-panel-row jxv-panel-event${classes}`}
      data-row={number}
      style={`--jxv-depth:${Math.min(depth, DEEPEST)}`}
    >
      <button
        type="button"
        class="jxv-panel-open"
        tabIndex={isCurrent ? 0 : -1}
        aria-current={isOpen}
        title={__('Show its program, and the line that called it')}
        onClick={(click) => choose(event, click)}
      >
        <span class="jxv-panel-key">
          <span class={`jxv-log-key jxv-log-key-${kind}`} aria-hidden="true" />
        </span>
        <Middle text={name} />
        <span class="jxv-panel-what">{what}</span>
        <b title={tookText(event)}>{isTimed(event) ? tookText(event) : '–'}</b>
        <time>{clockText(event.start)}</time>
      </button>
      {error !== null && <p class="jxv-log-error">{endedText(event)}</p>}
      {looked && <p class="jxv-panel-line jxv-words">{lookedText(event)}</p>}
      {again && <Why {...event} most={MOST_CHANGES} />}
    </li>
  );
}
