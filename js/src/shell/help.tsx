/** The dialog of `?`: all keys, and the notes of a stage. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { sentenceText } from '../facts/text/sentence-text';
import { __ } from '../language';
import type { Stage } from '../schema';

interface HelpProps {
  stage: Stage;
  close: () => void;
}

/** Keys or buttons, with their effects. */
type KeyList = [key: string, does: string][];

/** The keys by the place of the focus, and the buttons that run the program. */
const keysOf = (): [where: string, keys: KeyList][] => [
  [__('Anywhere'), keysAnywhere()],
  [__('Anywhere except the outline and Find'), letterKeys()],
  [
    __('In the graph'),
    [
      ['↑ ↓', __('along the data')],
      ['← →', __('to the box beside it')],
      ['Enter', __('open or close')],
      ['+ − 0', __('zoom in, out, to fit')],
      [__('Ctrl+wheel'), __('zoom; ⌘ does the same')],
    ],
  ],
  [__('In the outline'), outlineKeys()],
  [__('In a text or the source'), [['↑ ↓', __('to the previous or next line that has eqns')]]],
  [
    __('In Find'),
    [
      ['↑ ↓', __('along the list')],
      ['Enter  Shift+Enter', __('to the match, then to the next or previous one')],
      ['Escape', __('clear')],
    ],
  ],
  [
    __('Runs your program'),
    [
      [
        __('Distribution of its values'),
        __(
          'in the details of a part, when values are shown: runs the program again with the same arguments',
        ),
      ],
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
  ['n  Shift+N', __('to the next change of a comparison, to the previous one')],
  ['s', __('to its line of the source')],
  ['[  ]', __('only its inputs, only what depends on it')],
  ['l', __('copy a link to it')],
  ['f', __('the whole window, and back')],
];

const outlineKeys = (): KeyList => [
  ['↑ ↓ Home End', __('to another line')],
  ['→ ←', __('open, close, to its parent')],
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

/** Gives an element the focus, and returns it when the element is removed. */
function useFocus(element: RefObject<HTMLElement>): void {
  useLayoutEffect(() => {
    const before = document.activeElement;
    element.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
}

const Notes = ({ stage: { notes } }: { stage: Stage }) =>
  notes.length === 0 ? null : (
    <section>
      <h4>{__('Notes')}</h4>
      {notes.map((note) => (
        <p key={note.text}>{sentenceText(note)}</p>
      ))}
    </section>
  );

/** A dialog over the view, with all keys and the notes of the stage. */
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
