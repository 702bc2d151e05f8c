/** One event in the panel's list, and why JAX made something again. */

import { __, _n } from '../../language';
import type { Change, Event, Sentence } from '../../schema';
import type { EventLine } from '../../state/panel/panel-lists';
import { grouped } from '../../words/log/changes';
import { endedText, lookedText, tookText } from '../../words/log/log-words';
import { sentenceText } from '../../words/sentence-text';
import { ChangeKind, Difference, ShortenedName } from '../log/change-text';

interface RowProps {
  /** What it is: `retrace 3 of 9`. */
  what: string;
  line: EventLine;
  /** Whether Tab leads to it. */
  isCurrent: boolean;
  isOpen: boolean;
  choose: (event: Event, click: MouseEvent) => void;
}

/** How many changes of its reason a row shows. */
const CHANGES_IN_ROW = 2;
/** The depth from which rows are indented no further. */
const DEEPEST_INDENT = 4;

/** Whether the time of an event is known: JAX does not report it for traces that it does not
 * announce. */
const isTimed = ({ implied, looked, seconds }: Event): boolean =>
  !(implied || looked) || seconds > 0;

/** A trace, lowering or compilation. */
export function EventRow({ what, line, isCurrent, isOpen, choose }: RowProps) {
  const { event, begins, follows } = line;
  const { number, kind, name, depth, again, looked, error } = event;
  const classes = `${begins ? ' jxv-begins' : ''}${follows ? ' jxv-follows' : ''}`;
  return (
    <li
      class={`jxv-panel-row jxv-panel-event${classes}`}
      data-row={number}
      style={`--jxv-depth:${Math.min(depth, DEEPEST_INDENT)}`}
    >
      <button
        type="button"
        class="jxv-bare jxv-panel-open"
        tabIndex={isCurrent ? 0 : -1}
        aria-current={isOpen}
        title={__('Show its program, and the line that called it')}
        onClick={(click) => choose(event, click)}
      >
        <span class="jxv-panel-key">
          <span class={`jxv-log-key jxv-log-key-${kind}`} aria-hidden="true" />
        </span>
        <ShortenedName text={name} />
        <span class="jxv-panel-what">{what}</span>
        <b title={tookText(event)}>{isTimed(event) ? tookText(event) : '–'}</b>
        <time>{clockText(event.start)}</time>
      </button>
      {error !== null && <p class="jxv-log-error">{endedText(event)}</p>}
      {looked && <p class="jxv-panel-line jxv-words">{lookedText(event)}</p>}
      {again && <WhyAgain {...event} most={CHANGES_IN_ROW} />}
    </li>
  );
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** The time of day, from seconds since 1970. */
export const clockText = (seconds: number): string => clock.format(seconds * 1000);

interface WhyProps {
  reason: readonly Change[];
  /** How many changes the kernel left out of `reason`. */
  more: number;
  hint: Sentence;
  /** How many changes are shown. */
  most: number;
}

/** Why JAX made something again: a line for each change, and what to do about it. */
export function WhyAgain({ reason, more, hint: hintOfKernel, most }: WhyProps) {
  const hint = sentenceText(hintOfKernel);
  if (reason.length === 0) return null;
  const changes = grouped(reason).flatMap(({ kind, changes }) =>
    changes.map((change) => ({ kind, ...change })),
  );
  const left = Math.max(0, changes.length - most) + more;
  return (
    <div class="jxv-why">
      {changes.slice(0, most).map(({ kind, wheres, difference }, index) => (
        <p class="jxv-why-change" key={index}>
          <span class="jxv-why-where">
            <ChangeKind kind={kind} />
            {wheres[0] !== '' && (
              <span class="jxv-why-place">
                <ShortenedName text={wheres.join(', ')} />:{' '}
              </span>
            )}
          </span>
          <code>
            <Difference pieces={difference} />
          </code>
        </p>
      ))}
      {left > 0 && <p class="jxv-words">{_n('and %1 more change', 'and %1 more changes', left)}</p>}
      {hint !== '' && (
        <p class="jxv-log-hint" title={hint}>
          {hint}
        </p>
      )}
    </div>
  );
}
