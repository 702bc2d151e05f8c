/** The keys of the whole view, and the list of them that `?` shows. */
import type { Ref, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { sourceOf } from '../facts/source';
import { __ } from '../language';
import type { Listing, Stage } from '../schema';
import type { TourPath } from '../state/tour';
import type { Action, ViewState } from '../state/view-state';
import { fromKernel } from '../words/from-kernel';
import { askForSource } from './source-link';

interface Frame {
  state: ViewState;
  /** The code that the program was made from. */
  listings: readonly Listing[];
  dispatch: (action: Action) => void;
  input: Ref<HTMLInputElement>;
  copy: () => void;
  help: () => void;
  /** Gives the view the whole window, or takes it back. */
  enlarge: () => void;
}

/** Answers the keys of the whole view, wherever in it the focus is. `Help` lists them. */
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
  /** Selects nothing. */
  leave: () => void;
}

/** Answers the keys of a view of several stages. */
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
  // With nothing selected, Escape is for what is around the view.
  if (state.selected !== null || state.only !== null) {
    keys.set('Escape', () => dispatch({ type: 'select', id: null }));
  }
  return keys;
}

function chord({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string {
  if (ctrlKey || metaKey) return `Ctrl+${key.toLowerCase()}`;
  return altKey ? `Alt+${key}` : key;
}

/** Whether a key is a letter that the place with the focus takes itself: to write it, or to go to the
 * next line of the outline that begins with it. */
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
  if (source) askForSource(currentTarget, source.frame, listings);
}

interface HelpProps {
  stage: Stage;
  close: () => void;
}

/** Keys, each with what it does. */
type KeyList = [key: string, does: string][];

/** What the keys do, by where the focus is. */
const keysOf = (): [where: string, keys: KeyList][] => [
  [__('Anywhere'), keysAnywhere()],
  [__('Anywhere but in the outline and in Find'), letterKeys()],
  [
    __('In the graph'),
    [
      ['↑ ↓', __('along the data')],
      ['← →', __('to what stands beside it')],
      ['Enter', __('open or close')],
      ['+ − 0', __('zoom in, out, to fit')],
      [__('Ctrl+wheel'), __('zoom; ⌘ does the same')],
    ],
  ],
  [__('In the outline'), outlineKeys()],
  [__('In a text or the source'), [['↑ ↓', __('to the line before or after that has eqns')]]],
  [
    __('In Find'),
    [
      ['↑ ↓', __('along the list')],
      ['Enter  Shift+Enter', __('to the match, then to the next or the one before')],
      ['Escape', __('clear')],
    ],
  ],
];

const keysAnywhere = (): KeyList => [
  [__('/ or Ctrl+F'), __('find')],
  ['Alt+← Alt+→', __('back and forward')],
  ['Alt+↑ Alt+↓', __('to what makes it, to what uses it')],
  ['Escape', __('select nothing, show all')],
  ['?', __('these keys')],
];

const letterKeys = (): KeyList => [
  ['p  Shift+P', __('to what makes its first operand, then the next')],
  ['u  Shift+U', __('to what uses its result, then the next')],
  ['d  Shift+D', __('to the first call of a shared body, then the next')],
  ['n  Shift+N', __('to the next change of a comparison, to the one before')],
  ['s', __('to its line of the source')],
  ['[  ]', __('only what leads to it, only what comes from it')],
  ['l', __('copy a link to it')],
  ['f', __('the whole window, and back')],
];

const outlineKeys = (): KeyList => [
  ['↑ ↓ Home End', __('to another line')],
  ['→ ←', __('open, close, to what holds it')],
  ['Enter', __('select')],
  [__('a letter'), __('to the next line that begins with it')],
];

function KeySection({ where, keys }: { where: string; keys: KeyList }) {
  return (
    <section>
      <h4>{where}</h4>
      <dl>
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Gives an element the focus as long as it is there, and then back to what had it. */
function useFocus(element: RefObject<HTMLElement>): void {
  useLayoutEffect(() => {
    const before = document.activeElement;
    element.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
}

/** What is good to know of a stage, and asks nothing of the reader. */
const Notes = ({ stage: { notes } }: { stage: Stage }) =>
  notes.length === 0 ? null : (
    <section>
      <h4>{__('Notes')}</h4>
      {notes.map((note) => (
        <p key={note}>{fromKernel(note)}</p>
      ))}
    </section>
  );

/** A list of all keys, and what is good to know of the stage, in a dialog over the view. */
export function Help({ stage, close }: HelpProps) {
  const panel = useRef<HTMLDivElement>(null);
  useFocus(panel);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' && event.key !== '?') return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  return (
    <div
      class="jxv-help"
      role="dialog"
      aria-label={__('Keys and notes')}
      tabIndex={-1}
      ref={panel}
      onKeyDown={onKeyDown}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget && !panel.current?.contains(relatedTarget as Node)) close();
      }}
    >
      <button type="button" class="jxv-button jxv-small" aria-label={__('Close')} onClick={close}>
        ×
      </button>
      <div class="jxv-help-keys">
        {keysOf().map(([where, keys]) => (
          <KeySection key={where} {...{ where, keys }} />
        ))}
      </div>
      <Notes stage={stage} />
    </div>
  );
}
