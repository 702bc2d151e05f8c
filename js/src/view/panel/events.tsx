import { useRef } from 'preact/hooks';
import { __, _n } from '../../model/language';
import { traceOf } from '../../model/log/events';
import { whatText } from '../../model/log/words';
import {
  ALL_EVENTS,
  countNewer,
  type EventLine,
  filteredEvents,
  linesOf,
  logListed,
} from '../../model/panel/event-list';
import { comparisonOf } from '../../model/panel/function-list';
import type { Action, PanelState } from '../../model/panel/panel-state';
import type { Event, Log, Panel } from '../../schema';
import { askForSource } from '../source';
import { Empty } from './empty';
import { EventRow } from './event-row';
import { Filters } from './filters';
import { Picked } from './picked';
import { rowAt, tabRow, useKeptScroll, useSameRows, walk } from './rows';
import { Typed } from './typed';

interface Props {
  panel: Panel;
  state: PanelState;
  scrolls: Map<string, number>;
  dispatch: (action: Action) => void;
}

/** The list is at its top up to here, px; and near its end from there. */
const TOP = 4;
const NEAR = 600;

/** The live log, the newest first. */
export function EventsTab({ panel: { log: now }, state, scrolls, dispatch }: Props) {
  const list = useRef<HTMLDivElement>(null);
  useKeptScroll(list, scrolls, 'events');
  const same = useSameRows();
  const log = logListed(now, state.held);
  const lines = linesOf(filteredEvents(log, state.filter));
  const shown = lines.slice(0, state.most);
  const keys = shown.map(({ event }) => String(event.number));
  const current = tabRow(keys, state.current.events);
  const opened = state.opened && 'event' in state.opened ? state.opened.event : null;
  const fresh = log === now ? 0 : countNewer(now, log, state.filter);
  const hold = (held: Log | null) => held !== state.held && dispatch({ type: 'hold', log: held });
  const isHeld = log !== now;

  /** What is read stays where it is while more comes. */
  const scrolled = () => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = list.current ?? {};
    if (clientHeight === 0) return;
    if (scrollTop > TOP) hold(log);
    else if (!hasFocus(list.current)) hold(null);
    const isNear = scrollHeight - scrollTop - clientHeight < NEAR;
    if (isNear && lines.length > state.most) dispatch({ type: 'more' });
  };
  const focused = (event: FocusEvent) => {
    const key = rowAt(event);
    if (key === null || key === state.current.events) return;
    dispatch({ type: 'current', key });
    if (key !== keys[0]) hold(log);
  };
  const toNewest = () => {
    hold(null);
    list.current?.scrollTo(0, 0);
    list.current?.focus({ preventScroll: true });
  };
  const row = (line: EventLine) => {
    const { event, begins, follows } = line;
    const key = String(event.number);
    const [isCurrent, isOpen] = [key === current, event.number === opened];
    const what = whatText(log, event);
    const says = [log.start, what, begins, follows, isCurrent, isOpen, state.picked?.number];
    return same(key, says.join(' '), () => (
      <EventRow key={key} {...{ what, line, isCurrent, isOpen, choose }} />
    ));
  };
  return (
    <>
      <Filters {...{ log, state, dispatch }} />
      {state.picked && <Picked log={log} picked={state.picked} dispatch={dispatch} />}
      <div class="jxv-panel-list" ref={list} tabIndex={-1} onScroll={scrolled}>
        {lines.length === 0 && <NoEvents log={log} dispatch={dispatch} />}
        {isHeld && fresh > 0 && (
          <button type="button" class="jxv-button jxv-panel-fresh" onClick={toNewest}>
            {_n('↑ %1 new', '↑ %1 new', fresh)}
          </button>
        )}
        <ol aria-label={__('Events, the newest first')} onKeyDown={walk} onFocusIn={focused}>
          {shown.map(row)}
        </ol>
        {lines.length <= state.most && log.omitted > 0 && (
          <p class="jxv-panel-more jxv-words">
            {_n(
              '%1 event between the first and the latest is counted, not listed.',
              '%1 events between the first and the latest are counted, not listed.',
              log.omitted,
            )}
          </p>
        )}
      </div>
    </>
  );

  /** By keyboard the line is not gone to: the focus would be in its cell, not in the program. */
  function choose(event: Event, { currentTarget, detail }: MouseEvent) {
    const { site } = event;
    if (site && site.cell !== null && detail > 0) askForSource(currentTarget, site, []);
    const [one, other] = [state.picked, traceOf(log, event)];
    if (one && one.number !== other.number) {
      dispatch({ type: 'open', opened: comparisonOf(one, other) });
    } else if (!one) {
      dispatch({ type: 'open', opened: { event: event.number } });
    }
  }
}

const hasFocus = (list: HTMLElement | null): boolean => list?.querySelector('li :focus') != null;

function NoEvents({ log, dispatch }: { log: Log; dispatch: (action: Action) => void }) {
  if (log.events.length === 0) {
    return (
      <Empty>
        <h3>{__('No event yet.')}</h3>
        <p>{__('To see what JAX traces and compiles from now on, run in a cell:')}</p>
        <Typed line="%jaxviz on" />
      </Empty>
    );
  }
  return (
    <Empty>
      <p>{__('No event is of these kinds.')}</p>
      <p>
        <button
          type="button"
          class="jxv-button"
          onClick={() => dispatch({ type: 'filter', filter: ALL_EVENTS })}
        >
          {__('Show all')}
        </button>
      </p>
    </Empty>
  );
}
