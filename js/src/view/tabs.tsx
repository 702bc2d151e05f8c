/** A row of tabs, one for each stage. */
import { useRef } from 'preact/hooks';

export interface Tab {
  kind: string;
  label: string;
  /** Why there is nothing to see yet; empty where there is. */
  reason: string;
}

interface Props {
  label: string;
  tabs: readonly Tab[];
  shown: string;
  choose: (kind: string) => void;
}

/** The tabs. Arrow keys move the focus, and Enter opens a tab, as a stage may take long. */
export function Tabs({ label, tabs, shown, choose }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const all = [...(list.current?.querySelectorAll<HTMLElement>('[role=tab]') ?? [])];
    const at = all.indexOf(event.target as HTMLElement);
    const to = STEPS.get(event.key)?.(at, all.length);
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    all[(to + all.length) % all.length]?.focus();
  };
  return (
    <div class="jxv-tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
      {tabs.map(({ kind, label, reason }) => (
        <button
          type="button"
          key={kind}
          class="jxv-tab"
          role="tab"
          aria-selected={kind === shown}
          aria-disabled={reason !== ''}
          title={reason}
          tabIndex={kind === shown ? 0 : -1}
          onClick={() => choose(kind)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

const STEPS = new Map<string, (at: number, length: number) => number>([
  ['ArrowRight', (at) => at + 1],
  ['ArrowLeft', (at) => at - 1],
  ['Home', () => 0],
  ['End', (_, length) => length - 1],
]);
