import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { __ } from '../language';
import { onExport } from './export';

/** Buttons in a row, or behind one where the row is narrow: the stylesheet says which. */
export function Rest({ children }: { children: ComponentChildren }) {
  const [shown, show] = useState(false);
  const element = useRef<HTMLDivElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  useEffect(() => onExport(element.current, () => show(true)), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !shown) return;
    event.stopPropagation();
    show(false);
    toggle.current?.focus({ preventScroll: true });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key is that of the buttons within
    <div
      class={`jxv-rest${shown ? ' jxv-shown' : ''}`}
      ref={element}
      onKeyDown={onKeyDown}
      onFocusOut={({ relatedTarget }) => {
        if (!element.current?.contains(relatedTarget as Node | null)) show(false);
      }}
    >
      <button
        ref={toggle}
        type="button"
        class="jxv-button jxv-small jxv-rest-toggle"
        aria-label={__('More')}
        aria-expanded={shown}
        onClick={() => show(!shown)}
      >
        ⋯
      </button>
      <div class="jxv-buttons">{children}</div>
    </div>
  );
}
