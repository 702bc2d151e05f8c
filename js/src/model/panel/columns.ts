import type { PanelState } from './state';

/** How many stand side by side: lists, the opened program, the inspector. */
export type Columns = 1 | 2 | 3;

/** Below, one at a time, px. */
const TWO = 700;
const THREE = 1100;

export function columnsIn(width: number): Columns {
  if (width >= THREE) return 3;
  return width >= TWO ? 2 : 1;
}

/** Which of them are seen. */
export interface Seen {
  list: boolean;
  opened: boolean;
  inspector: boolean;
}

export function seenIn({ tab, opened }: PanelState, columns: Columns): Seen {
  const isInspecting = tab === 'inspector';
  return {
    list: columns === 3 || (!isInspecting && (columns === 2 || opened === null)),
    opened: opened !== null && (columns > 1 || !isInspecting),
    inspector: columns === 3 || isInspecting,
  };
}
