/** The panel's tab of events: the live log, newest event first, filtered by kind and function. */
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { traceOf } from '../facts/events/log-events';
import { EVENT_KINDS, type EventKind } from '../facts/kinds';
import { sentenceText } from '../facts/text/sentence-text';
import { __, _n } from '../language';
import { ChangeKind, Difference, ShortenedName } from '../log/change-text';
import type { Change, Event, Log, Panel, Sentence } from '../schema';
import { Select } from '../shell/parts/data-table';
import { requestSource } from '../shell/parts/source-link';
import {
  ALL_EVENTS,
  comparisonOf,
  countNewer,
  type EventLine,
  filteredEvents,
  functionsOf,
  linesOf,
  listedLog,
} from '../state/panel/panel-lists';
import type { Action, PanelState } from '../state/panel/panel-state';
import { grouped } from '../words/events/changes';
import { endedText, tookText, tracedEarlierText, whatText } from '../words/events/log-words';
import { EmptyState, LineToRun } from './first-steps';
import { type ListRow, PanelList } from './panel-list';

interface RowProps {
  /** The kind of the event: `retrace 3 of 9`. */
  what: string;
  line: EventLine;
  /** True if Tab leads to it. */
  isCurrent: boolean;
  isOpen: boolean;
  choose: (event: Event, click: MouseEvent) => void;
}

/** The most changes of its reason in a row. */
const CHANGES_IN_ROW = 2;
/** The depth from which rows are not indented further. */
const DEEPEST_INDENT = 4;

/** True if the time of an event is known: JAX does not report it for traces that it does not
 * announce. */
const isTimed = ({ implied, looked, seconds }: Event): boolean =>
  !(implied || looked) || seconds > 0;

/** A trace, lowering or compilation. */
function EventRow({ what, line, isCurrent, isOpen, choose }: RowProps) {
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
      {looked && <p class="jxv-panel-line jxv-words">{tracedEarlierText(event)}</p>}
      {again && <RetraceReason {...event} most={CHANGES_IN_ROW} />}
    </li>
  );
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** The time of day, from seconds since 1970. */
export const clockText = (seconds: number): string => clock.format(seconds * 1000);

interface WhyProps {
  reason: readonly Change[];
  /** The number of changes that the kernel left out of `reason`. */
  more: number;
  hint: Sentence;
  /** The most changes that are shown. */
  most: number;
}

/** The reason for a retrace: a line for each change, and a hint. */
export function RetraceReason({ reason, more, hint: hintOfKernel, most }: WhyProps) {
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

interface TabProps {
  panel: Panel;
  state: PanelState;
  scrolls: Map<string, number>;
  dispatch: (action: Action) => void;
}

export function EventsTab({ panel: { log: newest }, state, scrolls, dispatch }: TabProps) {
  const list = useRef<HTMLDivElement>(null);
  const log = listedLog(newest, state.frozen);
  const lines = linesOf(filteredEvents(log, state.filter));
  const isWhole = lines.length <= state.most;
  const shown = lines.slice(0, state.most);
  const rows = rowsToList({ log, shown, state, dispatch });
  const { scrolled, focused, toNewest } = listHandlers(list, {
    log,
    shown,
    isWhole,
    state,
    dispatch,
  });
  const newer = log === newest ? 0 : countNewer(newest, log, state.filter);
  return (
    <>
      <Filters {...{ log, dispatch }} filter={state.filter} />
      {state.picked && <PickedTrace log={log} picked={state.picked} dispatch={dispatch} />}
      <PanelList
        name="events"
        {...{ scrolls, list, rows, scrolled, focused }}
        current={state.current.events}
        frame={(rows, handlers) => (
          <ol aria-label={__('Events, the newest first')} {...handlers}>
            {rows}
          </ol>
        )}
        above={
          <>
            {lines.length === 0 && <NoEvents log={log} dispatch={dispatch} />}
            {newer > 0 && (
              <button type="button" class="jxv-button jxv-panel-fresh" onClick={toNewest}>
                {_n('↑ %1 new', '↑ %1 new', newer)}
              </button>
            )}
          </>
        }
        below={isWhole && log.omitted > 0 && <Omitted count={log.omitted} />}
      />
    </>
  );
}

interface ShownEvents {
  log: Log;
  /** The rows that are listed so far. */
  shown: readonly EventLine[];
  state: PanelState;
  dispatch: (action: Action) => void;
}

function rowsToList({ log, shown, state, dispatch }: ShownEvents): ListRow[] {
  const opened = state.opened && 'event' in state.opened ? state.opened.event : null;
  const choose = (event: Event, click: MouseEvent) =>
    chooseEvent(event, click, log, state, dispatch);
  return shown.map((line) => {
    const { event, begins, follows } = line;
    const key = String(event.number);
    const isOpen = event.number === opened;
    const what = whatText(log, event);
    return {
      key,
      content: [log.start, what, begins, follows, isOpen, state.picked?.number],
      render: (isCurrent) => <EventRow key={key} {...{ what, line, isCurrent, isOpen, choose }} />,
    };
  });
}

/** Opens the program of an event, or compares it with the picked trace. A click also shows the
 * calling line in the notebook. A key does not, because the focus would move to the cell. */
function chooseEvent(
  event: Event,
  { currentTarget, detail }: MouseEvent,
  log: Log,
  { picked }: PanelState,
  dispatch: (action: Action) => void,
): void {
  const { site } = event;
  const isClick = detail > 0;
  if (site && site.cell !== null && isClick) requestSource(currentTarget, site, []);
  const trace = traceOf(log, event);
  if (picked && picked.number !== trace.number) {
    dispatch({ type: 'open', opened: comparisonOf(picked, trace) });
  } else if (!picked) {
    dispatch({ type: 'open', opened: { event: event.number } });
  }
}

/** Up to this many px from its top, the list counts as not scrolled, and follows the newest events. */
const TOP_MARGIN = 4;
/** With fewer px than this below, more events are listed. */
const END_MARGIN = 600;

/** The handlers of scrolling and focus. While the reader is not at the top of the list, the log is
 * frozen, so that rows stay in place while new events come. */
function listHandlers(
  list: RefObject<HTMLElement>,
  { log, shown, isWhole, state, dispatch }: ShownEvents & { isWhole: boolean },
) {
  const hold = (log: Log | null) => log !== state.frozen && dispatch({ type: 'hold', log });
  return {
    scrolled() {
      const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = list.current ?? {};
      if (clientHeight === 0) return;
      if (scrollTop > TOP_MARGIN) hold(log);
      else if (!hasFocusedRow(list.current)) hold(null);
      const isNearEnd = scrollHeight - scrollTop - clientHeight < END_MARGIN;
      if (isNearEnd && !isWhole) dispatch({ type: 'more' });
    },
    focused(key: string) {
      dispatch({ type: 'current', key });
      if (key !== String(shown[0]?.event.number)) hold(log);
    },
    toNewest() {
      hold(null);
      list.current?.scrollTo(0, 0);
      list.current?.focus({ preventScroll: true });
    },
  };
}

const hasFocusedRow = (list: HTMLElement | null): boolean =>
  list?.querySelector('li :focus') != null;

const Omitted = ({ count }: { count: number }) => (
  <p class="jxv-panel-more jxv-words">
    {_n(
      '%1 event between the first and the latest is counted, not listed.',
      '%1 events between the first and the latest are counted, not listed.',
      count,
    )}
  </p>
);

interface LogProps {
  log: Log;
  dispatch: (action: Action) => void;
}

/** Says that no event is listed: none came yet, or none passes the filter. */
const NoEvents = ({ log, dispatch }: LogProps) =>
  log.events.length === 0 ? (
    <EmptyState>
      <h3>{__('No event yet.')}</h3>
      <p>{__('To see what JAX traces and compiles from now on, run in a cell:')}</p>
      <LineToRun line="%jaxviz on" />
    </EmptyState>
  ) : (
    <EmptyState>
      <p>{__('There are no events of these kinds.')}</p>
      <p>
        <button
          type="button"
          class="jxv-button"
          onClick={() => dispatch({ type: 'filter', filter: ALL_EVENTS })}
        >
          {__('Show all')}
        </button>
      </p>
    </EmptyState>
  );

/** Asks the reader to choose a trace for the comparison with the picked one. */
const PickedTrace = ({ log, picked, dispatch }: LogProps & { picked: Event }) => (
  <p class="jxv-panel-line jxv-panel-picked" role="status">
    <span>{__('Choose what to compare with %1, %2.', picked.name, whatText(log, picked))}</span>
    <button
      type="button"
      class="jxv-button"
      onClick={() => dispatch({ type: 'pick', picked: null })}
    >
      {__('Stop')}
    </button>
  </p>
);

type FilterProps = LogProps & Pick<PanelState, 'filter'>;

/** The filter of events. */
function Filters({ log, filter, dispatch }: FilterProps) {
  return (
    <div class="jxv-panel-line jxv-panel-tools">
      <KindButtons filter={filter} dispatch={dispatch} />
      <button
        type="button"
        class="jxv-button jxv-panel-only"
        aria-pressed={filter.again}
        title={__('Only functions that were retraced or compiled again')}
        onClick={() => dispatch({ type: 'filter', filter: { again: !filter.again } })}
      >
        {__('retraces')}
      </button>
      <FunctionMenu {...{ log, filter, dispatch }} />
    </div>
  );
}

const KindButtons = ({ filter, dispatch }: Pick<FilterProps, 'filter' | 'dispatch'>) => (
  <fieldset class="jxv-panel-kinds" aria-label={__('Kinds of events')}>
    {EVENT_KINDS.map((kind) => (
      <button
        type="button"
        key={kind}
        class="jxv-button"
        aria-pressed={filter.kinds.has(kind)}
        onClick={() => dispatch({ type: 'kind', kind })}
      >
        <span class={`jxv-log-key jxv-log-key-${kind}`} aria-hidden="true" /> {kindText(kind)}
      </button>
    ))}
  </fieldset>
);

function kindText(kind: EventKind): string {
  switch (kind) {
    case 'trace':
      return __('trace');
    case 'lower':
      return __('lower');
    case 'compile':
      return __('compile');
  }
}

const FunctionMenu = ({ log, filter, dispatch }: FilterProps) => (
  <Select
    label={__('Function')}
    value={filter.of}
    choices={[
      ['', __('all functions')],
      ...functionsOf(log).map(({ key, name }): [string, string] => [key, name]),
    ]}
    choose={(of) => dispatch({ type: 'filter', filter: { of } })}
  />
);
