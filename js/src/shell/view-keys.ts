/** The keys of the whole view. */
import type { Ref } from 'preact';
import { sourceOf } from '../facts/source';
import type { Listing } from '../schema';
import type { TourPath } from '../state/tour';
import type { Action, ViewState } from '../state/view-state';
import { requestSource } from './parts/source-link';

interface Frame {
  state: ViewState;
  /** The code that the program was made from. */
  listings: readonly Listing[];
  dispatch: (action: Action) => void;
  input: Ref<HTMLInputElement>;
  copy: () => void;
  help: () => void;
  /** Gives the view the whole window, or ends that. */
  enlarge: () => void;
}

/** The key handler of the whole view. `Help` lists the keys. */
export const frameKeys = (frame: Frame) => answering(keysIn(frame));

type Keys = ReadonlyMap<string, (event: KeyboardEvent) => void>;

function answering(keys: Keys): (event: KeyboardEvent) => void {
  return (event) => {
    const run = isWritten(event) ? undefined : keys.get(chord(event));
    if (!run) return;
    event.preventDefault();
    event.stopPropagation();
    run(event);
  };
}

interface LinkedFrame extends Pick<Frame, 'input' | 'enlarge'> {
  /** Clears the selection. */
  leave: () => void;
}

/** The key handler of a view of several stages. */
export const linkedKeys = ({ input, enlarge, leave }: LinkedFrame) =>
  answering(
    new Map([
      ['/', () => focusFind(input)],
      ['Ctrl+f', () => focusFind(input)],
      ['f', enlarge],
      ['Escape', leave],
    ]),
  );

function keysIn(frame: Frame): Keys {
  const { state, dispatch } = frame;
  const tour = (along: TourPath, by: 1 | -1) => () => dispatch({ type: 'tour', along, by });
  const keys = new Map<string, (event: KeyboardEvent) => void>([
    ['/', () => focusFind(frame.input)],
    ['Ctrl+f', () => focusFind(frame.input)],
    ['?', frame.help],
    ['f', frame.enlarge],
    ['Alt+ArrowLeft', () => dispatch({ type: 'travel', by: -1 })],
    ['Alt+ArrowRight', () => dispatch({ type: 'travel', by: 1 })],
    ['Alt+ArrowUp', tour('producers', 1)],
    ['Alt+ArrowDown', tour('users', 1)],
    ['p', tour('producers', 1)],
    ['P', tour('producers', -1)],
    ['u', tour('users', 1)],
    ['U', tour('users', -1)],
    ['d', tour('calls', 1)],
    ['D', tour('calls', -1)],
    ['n', tour('changes', 1)],
    ['N', tour('changes', -1)],
    ['[', () => dispatch({ type: 'only', toward: 'up' })],
    [']', () => dispatch({ type: 'only', toward: 'down' })],
    ['l', frame.copy],
    ['s', (event) => showSource(frame, event)],
  ]);
  // Without a selection, Escape is for what is around the view.
  if (state.selected !== null || state.only !== null) {
    keys.set('Escape', () => dispatch({ type: 'select', id: null }));
  }
  return keys;
}

function chord({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string {
  if (ctrlKey || metaKey) return `Ctrl+${key.toLowerCase()}`;
  return altKey ? `Alt+${key}` : key;
}

/** True if the focused element uses a letter itself: to write it, or to go to the next line of the
 * outline that begins with it. */
function isWritten({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || key.length > 1 || !(target instanceof Element)) return false;
  return (
    target.closest('input') !== null || (/\w/.test(key) && target.closest('[role=tree]') !== null)
  );
}

function focusFind(input: Ref<HTMLInputElement>): void {
  if (!input || !('current' in input)) return;
  input.current?.focus({ preventScroll: true });
  input.current?.select();
}

function showSource({ state, listings }: Frame, { currentTarget }: KeyboardEvent): void {
  const { stage, selected } = state;
  const source = selected === null ? null : sourceOf(stage, selected);
  if (source) requestSource(currentTarget, source.frame, listings);
}
