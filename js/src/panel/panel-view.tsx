/** The panel beside the notebook: its head, its tabs, and its visible parts. */
import { h, type RefObject, render } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { repeatsIn } from '../facts/events/log-events';
import { __, _n } from '../language';
import { ShortenedName } from '../log/change-text';
import type { Log, Panel } from '../schema';
import { Tabs, useWidth } from '../shell/parts/controls';
import { Preferred, Root } from '../shell/parts/root';
import {
  type Action,
  columnsIn,
  type Followed,
  INITIAL_PANEL,
  type PanelState,
  type Tab,
  update,
  visibleIn,
} from '../state/panel/panel-state';
import type { PreferenceSource } from '../state/preferences';
import { retracesText } from '../words/events/log-words';
import { EventsTab } from './events-tab';
import { EmptyState, FirstSteps, FunctionAtCursor } from './first-steps';
import { FunctionsTab } from './functions-tab';
import { InspectorOrPage, usePageToRead } from './inspector';
import { OpenedProgram } from './opened-program';
import { ROW_OPENERS } from './panel-list';

interface HeadProps {
  followed: Followed;
  /** Null until the kernel has answered. */
  panel: Panel | null;
}

function PanelHead({ followed: { title, watch, clear }, panel }: HeadProps) {
  const [failure, setFailure] = useState('');
  const showFailure = (work: Promise<void>) => {
    setFailure('');
    work.catch((error: Error) => setFailure(error.message));
  };
  return (
    <header class="jxv-panel-head">
      <div class="jxv-panel-line">
        <b class="jxv-panel-title">
          <ShortenedName text={title} />
        </b>
        {panel && (
          <HeadButtons
            isWatching={panel.watching}
            toggleWatching={() => showFailure(watch(!panel.watching))}
            clear={() => showFailure(clear())}
          />
        )}
      </div>
      {failure !== '' && (
        <p class="jxv-failure" role="alert">
          {failure}
        </p>
      )}
    </header>
  );
}

interface ButtonProps {
  isWatching: boolean;
  toggleWatching: () => void;
  clear: () => void;
}

const HeadButtons = ({ isWatching, toggleWatching, clear }: ButtonProps) => (
  <>
    <button
      type="button"
      class="jxv-button jxv-panel-watch"
      aria-pressed={isWatching}
      title={
        isWatching
          ? __('Stop watching: %1', '%jaxviz off')
          : __('Watch all cells: %1', '%jaxviz on')
      }
      onClick={toggleWatching}
    >
      {isWatching ? __('Watching') : __('Watch')}
    </button>
    <button
      type="button"
      class="jxv-button"
      title={__('Forget what happened so far')}
      onClick={clear}
    >
      {__('Clear')}
    </button>
  </>
);

/** The time without an event, ms, after which the number of new ones is announced. */
const QUIET_TIME = 1500;

/** Announces the number of new events to a screen reader, once no more are coming. */
function EventCountAnnouncement({ log }: { log: Log }) {
  const [all, again] = [log.events.length + log.omitted, repeatsIn(log).retraces];
  const before = useRef({ start: log.start, all, again });
  const [text, setText] = useState('');
  useEffect(() => {
    const { start, ...earlier } = before.current;
    if (start === log.start && earlier.all === all) return;
    const announce = () => {
      const isSameLog = before.current.start === log.start;
      const [allBefore, againBefore] = isSameLog ? [earlier.all, earlier.again] : [0, 0];
      setText(newEventsText(all - allBefore, again - againBefore));
      before.current = { start: log.start, all, again };
    };
    const timer = setTimeout(announce, QUIET_TIME);
    return () => clearTimeout(timer);
  }, [log.start, all]);
  return (
    <p class="jxv-hidden" role="status">
      {text}
    </p>
  );
}

function newEventsText(all: number, again: number): string {
  if (all <= 0) return '';
  const events = _n('%1 new event', '%1 new events', all);
  return again > 0 ? __('%1, %2', events, retracesText(again)) : events;
}

/**
 * Shows the panel in an element until the signal aborts.
 *
 * Returns a function for the host to call with the followed notebook or console, also when its
 * kernel has reported something new; with null while none is open.
 */
export function mountPanel(
  element: HTMLElement,
  signal: AbortSignal,
  preferring?: PreferenceSource,
): (followed: Followed | null) => void {
  const show = (followed: Followed | null) => {
    if (signal.aborted) return;
    render(h(Preferred, { preferring, children: h(PanelView, { followed }) }), element);
  };
  show(null);
  signal.addEventListener('abort', () => render(null, element), { once: true });
  return show;
}

/** The saved part of a notebook's panel while another notebook is followed. */
interface SavedPanel {
  state: PanelState;
  /** The scroll position of each list, px. */
  scrolls: Map<string, number>;
}

function PanelView({ followed }: { followed: Followed | null }) {
  const all = useRef(new Map<string, SavedPanel>()).current;
  return (
    <Root label={__('What JAX sees')}>
      {followed === null ? (
        <div class="jxv-panel">
          <EmptyState>
            <h3>{__('Open a notebook or a console')}</h3>
            <p>{__('What JAX traces in its kernel is shown here.')}</p>
          </EmptyState>
        </div>
      ) : (
        <PanelOfNotebook
          key={followed.id}
          followed={followed}
          saved={savedPanelOf(all, followed.id)}
        />
      )}
    </Root>
  );
}

function savedPanelOf(all: Map<string, SavedPanel>, id: string): SavedPanel {
  const saved = all.get(id) ?? { state: INITIAL_PANEL, scrolls: new Map() };
  all.set(id, saved);
  return saved;
}

interface PanelProps {
  followed: Followed;
  saved: SavedPanel;
}

/** The panel of the followed notebook or console. */
function PanelOfNotebook({ followed, saved }: PanelProps) {
  const { kernel, selecting, page } = followed;
  const { scrolls } = saved;
  const [state, act] = useReducer(update, saved.state);
  saved.state = state;
  const element = useRef<HTMLDivElement>(null);
  const dispatch = useFocusOfOpened(element, state, act);
  usePageToRead(page, act);
  const columns = columnsIn(useWidth(element) ?? 0);
  const reported = kernel.is === 'reported' ? kernel.panel : null;
  const panel = reported && hasFunctions(reported) ? reported : null;
  const visible = visibleIn(panel ? state : { ...state, opened: null }, columns);
  const close = () => dispatch({ type: 'open', opened: null });
  const isWide = columns > 1 && !visible.opened;
  return (
    <div class={`jxv-panel jxv-panel-${columns}`} ref={element}>
      <PanelHead followed={followed} panel={reported} />
      <PanelTabs {...{ state, columns, dispatch }} />
      <FunctionAtCursor {...{ followed, dispatch }} />
      <div class="jxv-panel-columns">
        {visible.list && <ListColumn {...{ followed, panel, state, scrolls, isWide, dispatch }} />}
        {panel && state.opened && (
          <OpenedProgram
            {...{ followed, panel, state, dispatch, close }}
            opened={state.opened}
            hidden={!visible.opened}
            isAlone={columns === 1}
          />
        )}
        {visible.inspector && <InspectorOrPage page={state.page} {...{ selecting, dispatch }} />}
      </div>
      {panel && <EventCountAnnouncement log={panel.log} />}
    </div>
  );
}

const hasFunctions = ({ log, captures }: Panel): boolean =>
  log.functions.length > 0 || captures.length > 0;

interface TabsProps {
  state: PanelState;
  columns: 1 | 2 | 3;
  dispatch: (action: Action) => void;
}

/** In three columns, the inspector has a column of its own, so it has no tab. */
function PanelTabs({ state, columns, dispatch }: TabsProps) {
  const tabs = [
    { kind: 'functions', label: __('Functions'), reason: '' },
    { kind: 'events', label: __('Events'), reason: '' },
    { kind: 'inspector', label: __('Inspector'), reason: '' },
  ];
  return (
    <div class="jxv-panel-tabs">
      <Tabs
        label={__('What is shown')}
        tabs={tabs.filter(({ kind }) => columns < 3 || kind !== 'inspector')}
        shown={columns < 3 ? state.tab : state.list}
        choose={(tab) => dispatch({ type: 'tab', tab: tab as Tab, closes: columns === 1 })}
      />
    </div>
  );
}

interface ListProps {
  followed: Followed;
  /** Null while there is nothing to list. */
  panel: Panel | null;
  state: PanelState;
  scrolls: Map<string, number>;
  isWide: boolean;
  dispatch: (action: Action) => void;
}

/** The list of functions or events, or the first steps if there is nothing to list. */
function ListColumn({ followed, panel, state, scrolls, isWide, dispatch }: ListProps) {
  const isFunctions = state.list === 'functions';
  return (
    <div
      class="jxv-panel-lists"
      role="tabpanel"
      aria-label={isFunctions ? __('Functions') : __('Events')}
    >
      {panel === null ? (
        <FirstSteps followed={followed} />
      ) : isFunctions ? (
        <FunctionsTab {...{ panel, state, scrolls, isWide, dispatch }} />
      ) : (
        <EventsTab {...{ panel, state, scrolls, dispatch }} />
      )}
    </div>
  );
}

/** The row of the list that Tab leads to. */
const CURRENT_ROW = `${ROW_OPENERS}[tabindex="0"]`;

/** Moves the keyboard's focus into an opened program, and back to its row when it is closed. Returns
 * a `dispatch` for use instead of the given one. */
function useFocusOfOpened(
  element: RefObject<HTMLElement>,
  { opened }: PanelState,
  dispatch: (action: Action) => void,
): (action: Action) => void {
  const isOpening = useRef(false);
  useLayoutEffect(() => {
    if (isOpening.current) focusOn(element.current, opened ? '.jxv-panel-opened' : CURRENT_ROW);
    isOpening.current = false;
  }, [opened]);
  return (action) => {
    isOpening.current ||= action.type === 'open';
    dispatch(action);
  };
}

function focusOn(panel: HTMLElement | null, selector: string): void {
  const to = panel?.querySelector<HTMLElement>(selector);
  if (!to?.matches(':focus-within')) to?.focus({ preventScroll: selector !== CURRENT_ROW });
}
