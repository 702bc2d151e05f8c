/** Answers the keys that walk through a long list of rows, of which one is active. */

interface Walked {
  count: number;
  active: number;
  /** How many rows Page Up and Page Down move. */
  page: number;
  walk: (to: number) => void;
  choose: (at: number) => void;
}

export function rowKeys({ count, active, page, walk, choose }: Walked) {
  const steps = new Map([
    ['ArrowDown', active + 1],
    ['ArrowUp', active - 1],
    ['PageDown', active + page],
    ['PageUp', active - page],
    ['Home', 0],
    ['End', count - 1],
  ]);
  return (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target !== event.currentTarget) return;
    const to = steps.get(event.key);
    if (to !== undefined) walk(Math.max(0, Math.min(to, count - 1)));
    else if (event.key === 'Enter' || event.key === ' ') choose(active);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}
