import type { ComponentChildren } from 'preact';
import { __ } from '../language';

/** One thing to see beside the graph. */
export interface Sight {
  /** Kept as what was shown last. */
  name: string;
  label: string;
  content: ComponentChildren;
}

interface Props {
  sights: readonly Sight[];
  /** The name of the one that is shown; the first one where there is none of that name. */
  shown: string;
  show: (name: string) => void;
  /** At the end of the row of tabs. */
  beside: ComponentChildren;
}

/** What stands beside the graph: one sight of a few, by a row of tabs that the arrow keys walk. */
export function Side({ sights, shown, show, beside }: Props) {
  const found = sights.findIndex(({ name }) => name === shown);
  const at = Math.max(0, found);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const next = (at + by + sights.length) % sights.length;
    show(sights[next]?.name ?? '');
    const tabs = (event.currentTarget as HTMLElement).children;
    (tabs[next] as HTMLElement | undefined)?.focus({ preventScroll: true });
  };
  return (
    <div class="jxv-side">
      <div class="jxv-side-head">
        <div
          class="jxv-side-tabs"
          role="tablist"
          aria-label={__('Beside the graph')}
          onKeyDown={onKeyDown}
        >
          {sights.map(({ name, label }, index) => (
            <button
              type="button"
              key={name}
              class="jxv-side-tab"
              role="tab"
              aria-selected={index === at}
              tabIndex={index === at ? 0 : -1}
              onClick={() => show(name)}
            >
              {label}
            </button>
          ))}
        </div>
        {beside}
      </div>
      <div class="jxv-side-sight" role="tabpanel" aria-label={sights[at]?.label} key={at}>
        {sights[at]?.content}
      </div>
    </div>
  );
}
