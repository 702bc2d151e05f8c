/** What the keyboard does with the timeline of a log. */
import { type Action, type LogState, spanSeen } from '../../state/log-state';

interface KeyActions {
  state: LogState;
  dispatch: (action: Action) => void;
  /** Shows the program of the selected event, or compares it with the one that was picked. */
  enter: () => void;
  compareBefore: () => void;
  pick: () => void;
  escape: () => void;
}

/** By which part of the visible stretch a key moves it. */
const PAN_PART = 0.2;
/** By which factor a key zooms. */
const ZOOM_STEP = 1.5;

/** Handles the keys of the timeline. */
export function timelineKeys(keys: KeyActions): (event: KeyboardEvent) => void {
  const { state, dispatch } = keys;
  const { from, to } = spanSeen(state);
  const walk = (by: (Action & { type: 'walk' })['by']) => () => dispatch({ type: 'walk', by });
  const pan = (part: number) => () => dispatch({ type: 'pan', seconds: part * (to - from) });
  const zoom = (factor: number) => () => dispatch({ type: 'zoom', factor, at: middleOf(state) });
  const runs = new Map<string, () => void>([
    ['ArrowLeft', walk('left')],
    ['ArrowRight', walk('right')],
    ['ArrowUp', walk('up')],
    ['ArrowDown', walk('down')],
    ['Home', walk('first')],
    ['End', walk('last')],
    ['Shift+ArrowLeft', pan(-PAN_PART)],
    ['Shift+ArrowRight', pan(PAN_PART)],
    ['+', zoom(1 / ZOOM_STEP)],
    ['=', zoom(1 / ZOOM_STEP)],
    ['-', zoom(ZOOM_STEP)],
    ['0', () => dispatch({ type: 'show', span: null })],
    ['Enter', keys.enter],
    ['p', keys.compareBefore],
    ['c', keys.pick],
    ['Escape', keys.escape],
  ]);
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target !== event.currentTarget) return;
    const isArrow = event.key.startsWith('Arrow');
    const run = runs.get(event.shiftKey && isArrow ? `Shift+${event.key}` : event.key);
    if (!run) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };
}

/** Where keys zoom: the beginning of the selected event if it is in view, else the middle of the view. */
function middleOf(state: LogState): number {
  const { log, selected } = state;
  const { from, to } = spanSeen(state);
  const at = (selected?.start ?? 0) - log.start;
  return selected && at >= from && at <= to ? at : (from + to) / 2;
}
