import { useLayoutEffect, useRef } from 'preact/hooks';
import { __ } from '../language';

interface Props {
  close: () => void;
}

/** What the keys do, by where the focus is. */
const keysOf = (): [string, [string, string][]][] => [
  [
    __('Anywhere'),
    [
      [__('/ or Ctrl+F'), __('find')],
      ['Alt+← Alt+→', __('back and forward')],
      ['Alt+↑ Alt+↓', __('to what makes it, to what uses it')],
      ['Escape', __('select nothing, show all')],
      ['?', __('these keys')],
    ],
  ],
  [
    __('Anywhere but in the outline and in Find'),
    [
      ['p  Shift+P', __('round the producers of its operands')],
      ['u  Shift+U', __('round the users of its results')],
      ['d  Shift+D', __('round the calls of a shared body, from the first')],
      ['n  Shift+N', __('to the next change of a comparison, to the one before')],
      ['s', __('to its line of the source')],
      ['[  ]', __('only what leads to it, only what comes from it')],
      ['l', __('copy a link to it')],
    ],
  ],
  [
    __('In the graph'),
    [
      ['↑ ↓', __('along the data')],
      ['← →', __('to what stands beside it')],
      ['Enter', __('open or close')],
      ['+ − 0', __('zoom in, out, to fit')],
    ],
  ],
  [
    __('In the outline'),
    [
      ['↑ ↓ Home End', __('to another line')],
      ['→ ←', __('open, close, to what holds it')],
      ['Enter', __('select')],
      [__('a letter'), __('to the next line that begins with it')],
    ],
  ],
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

/** A list of all keys, over the view. */
export function Help({ close }: Props) {
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    panel.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
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
      aria-label={__('Keys')}
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
          <section key={where}>
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
        ))}
      </div>
      <p>
        {__('The wheel scrolls the page, and zooms while the graph has the focus or Ctrl is held.')}
      </p>
    </div>
  );
}
