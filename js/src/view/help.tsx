import { useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  close: () => void;
}

/** What the keys do, by where the focus is. */
const KEYS: [string, [string, string][]][] = [
  [
    'Anywhere',
    [
      ['/ or Ctrl+F', 'find'],
      ['Alt+← Alt+→', 'back and forward'],
      ['Alt+↑ Alt+↓', 'to what makes it, to what uses it'],
      ['Escape', 'select nothing, show all'],
      ['?', 'these keys'],
    ],
  ],
  [
    'Anywhere but in the outline and in Find',
    [
      ['p  Shift+P', 'round the producers of its operands'],
      ['u  Shift+U', 'round the users of its results'],
      ['d  Shift+D', 'round the calls of a shared body, from the first'],
      ['n  Shift+N', 'to the next change of a comparison, to the one before'],
      ['s', 'to its line of the source'],
      ['[  ]', 'only what leads to it, only what comes from it'],
      ['l', 'copy a link to it'],
    ],
  ],
  [
    'In the graph',
    [
      ['↑ ↓', 'along the data'],
      ['← →', 'to what stands beside it'],
      ['Enter', 'open or close'],
      ['+ − 0', 'zoom in, out, to fit'],
    ],
  ],
  [
    'In the outline',
    [
      ['↑ ↓ Home End', 'to another line'],
      ['→ ←', 'open, close, to what holds it'],
      ['Enter', 'select'],
      ['a letter', 'to the next line that begins with it'],
    ],
  ],
  ['In a text or the source', [['↑ ↓', 'to the line before or after that has eqns']]],
  [
    'In Find',
    [
      ['↑ ↓', 'along the list'],
      ['Enter  Shift+Enter', 'to the match, then to the next or the one before'],
      ['Escape', 'clear'],
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
      aria-label="Keys"
      tabIndex={-1}
      ref={panel}
      onKeyDown={onKeyDown}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget && !panel.current?.contains(relatedTarget as Node)) close();
      }}
    >
      <button type="button" class="jxv-button jxv-small" aria-label="Close" onClick={close}>
        ×
      </button>
      <div class="jxv-help-keys">
        {KEYS.map(([where, keys]) => (
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
      <p>The wheel scrolls the page, and zooms while the graph has the focus or Ctrl is held.</p>
    </div>
  );
}
