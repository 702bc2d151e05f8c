/** The outline: the program as a tree. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  DIFFERENCE_KINDS,
  type DifferenceKind,
  type Differences,
  kindOfItem,
} from '../facts/differences';
import type { Id } from '../facts/ids';
import type { Item } from '../facts/outline';
import type { ReachFilter } from '../facts/reach';
import { __, thousands } from '../language';
import { isPill } from '../layout/caption';
import type { Stage } from '../schema';
import { useBehind } from '../shell/parts/deferred';
import type { Action } from '../state/view-state';
import { differenceText } from '../words/difference-words';
import { itemText, neighbours, type OutlineRow, rowsOf } from '../words/outline-rows';
import { DifferenceSign } from './comparison-strip';

interface Props {
  stage: Stage;
  differences?: Differences | null;
  open: ReadonlySet<Id>;
  only: ReachFilter | null;
  selected: Id | null;
  dispatch: (action: Action) => void;
  shown: boolean;
}

/** The number of rows in a chunk. Only the chunk of the active row and its two neighbours are drawn. */
const CHUNK_OF_ROWS = 30;

/** The tree for screen readers and the keyboard (WAI-ARIA's tree view). */
export function Tree(now: Props) {
  const props = useBehind(now);
  const { stage, differences = null, selected, dispatch, shown } = props;
  const element = useRef<HTMLDivElement>(null);
  const { rows, active, setWanted, walk } = useRows(props);
  const from = Math.max(0, (Math.floor(active / CHUNK_OF_ROWS) - 1) * CHUNK_OF_ROWS);
  const to = Math.min(rows.length, from + 3 * CHUNK_OF_ROWS);
  useEffect(() => scrollToActive(element.current), [active, rows, shown]);
  const onKeyDown = treeKeys({ rows, active, walk, dispatch });
  return (
    <div
      class={`jxv-outline${shown ? ' jxv-shown' : ''}`}
      role="tree"
      aria-label={__('Program outline')}
      ref={element}
      onKeyDown={onKeyDown}
    >
      {from > 0 && <More text={aboveText(from)} go={() => walk(from - 1)} />}
      {rows.slice(from, to).map((row, index) => (
        <TreeItem
          key={row.item.id}
          row={row}
          name={nameOf(stage, differences, row.item)}
          kind={
            differences &&
            (DIFFERENCE_KINDS[kindOfItem(differences, stage, row.item)]?.kind ?? null)
          }
          beside={neighbours(stage, row.item.id)}
          selected={row.item.id === selected}
          active={from + index === active}
          focus={setWanted}
          dispatch={dispatch}
        />
      ))}
      {to < rows.length && <More text={belowText(rows.length - to)} go={() => walk(to)} />}
    </div>
  );
}

/** The rows, and the active one: the selected row, until the keys move to another. */
function useRows({ stage, open, only, selected, dispatch }: Props) {
  const rows = useMemo(() => rowsOf(stage, open, only), [stage, open, only]);
  const [wanted, setWanted] = useState<Id | null>(null);
  useEffect(() => setWanted(selected), [selected]);
  const active = Math.max(
    0,
    rows.findIndex(({ item }) => item.id === wanted),
  );
  const walk = (index: number) => {
    const row = rows[Math.max(0, Math.min(index, rows.length - 1))];
    if (!row) return;
    setWanted(row.item.id);
    dispatch({ type: 'hover', id: row.item.id });
  };
  return { rows, active, setWanted, walk };
}

interface Walked {
  rows: readonly OutlineRow[];
  active: number;
  walk: (index: number) => void;
  dispatch: (action: Action) => void;
}

/** The key handler of the tree. */
function treeKeys({ rows, active, walk, dispatch }: Walked): (event: KeyboardEvent) => void {
  return (event) => {
    const row = rows[active];
    if (event.ctrlKey || event.metaKey || event.altKey || !row) return;
    const next = target(rows, active, event.key);
    if (next !== null) walk(next);
    else if (event.key === 'Enter' || event.key === ' ') {
      dispatch({ type: 'select', id: row.item.id });
    } else if (isToggleKey(row, event.key)) dispatch({ type: 'toggle', id: row.item.id });
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

function nameOf(stage: Stage, differences: Differences | null, item: Item): string {
  const differs = differences ? differenceText(differences, stage, item.id) : '';
  return [itemText(stage, item), differs].filter((part) => part !== '').join(', ');
}

interface TreeItemProps {
  row: OutlineRow;
  name: string;
  /** Its difference, in a comparison. */
  kind: DifferenceKind | null;
  /** Its producers and users. */
  beside: string;
  selected: boolean;
  active: boolean;
  /** Makes a row the active one when it gets the focus. */
  focus: (id: Id) => void;
  dispatch: (action: Action) => void;
}

function TreeItem({ row, name, kind, beside, selected, active, focus, dispatch }: TreeItemProps) {
  const { item, level, position, size, open } = row;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
    <div
      role="treeitem"
      class="jxv-row"
      style={`--jxv-level:${level - 1}`}
      tabIndex={active ? 0 : -1}
      aria-label={name}
      aria-description={beside}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={size}
      aria-selected={selected}
      {...(item.foldable ? { 'aria-expanded': open } : {})}
      onFocus={() => focus(item.id)}
      onClick={() => dispatch({ type: 'select', id: item.id })}
      onDblClick={() => item.foldable && dispatch({ type: 'toggle', id: item.id })}
    >
      <Twisty {...{ item, open, dispatch }} />
      {kind ? <DifferenceSign kind={kind} /> : <Dot item={item} />}
      <span class={`jxv-row-label${item.vars.length > 0 ? ' jxv-row-path' : ''}`}>
        <bdi>{item.label}</bdi>
      </span>
      <span class="jxv-row-type">{item.type || (item.count > 0 ? thousands(item.count) : '')}</span>
    </div>
  );
}

interface TwistyProps {
  item: Item;
  open: boolean;
  dispatch: (action: Action) => void;
}

/** The triangle that opens and closes an item; nothing for an item without contents. */
function Twisty({ item, open, dispatch }: TwistyProps) {
  const turn = (event: Event) => {
    if (!item.foldable) return;
    event.stopPropagation();
    dispatch({ type: 'toggle', id: item.id });
  };
  return (
    <span class="jxv-twisty" aria-hidden="true" onClick={turn}>
      {item.foldable ? (open ? '▾' : '▸') : ''}
    </span>
  );
}

/** The colour of an item's box. Its class has the name of the family, never a name of the program. */
function Dot({ item }: { item: Item }) {
  const paint = isPill(item) ? 'pill' : (item.family ?? 'group');
  const colours = `background:var(--jxv-${paint}-fill);border-color:var(--jxv-${paint}-line)`;
  return (
    <span
      class={isPill(item) ? 'jxv-dot' : 'jxv-dot jxv-square'}
      style={colours}
      aria-hidden="true"
    />
  );
}

const aboveText = (rows: number): string => __('%1 more above', thousands(rows));
const belowText = (rows: number): string => __('%1 more below', thousands(rows));

function More({ text, go }: { text: string; go: () => void }) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys lead there too
    <div role="treeitem" class="jxv-row jxv-more" tabIndex={-1} aria-label={text} onClick={go}>
      {text}
    </div>
  );
}

/** The row that a key leads to, or null. */
function target(rows: readonly OutlineRow[], active: number, key: string): number | null {
  const row = rows[active];
  switch (key) {
    case 'ArrowDown':
      return Math.min(active + 1, rows.length - 1);
    case 'ArrowUp':
      return Math.max(active - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return rows.length - 1;
    case 'ArrowRight':
      return row?.open ? active + 1 : null;
    case 'ArrowLeft': {
      if (!row || row.open) return null;
      const parent = rows.findIndex(({ item }) => item.id === row.parent);
      return parent < 0 ? active : parent;
    }
    default:
      return /^[a-z_]$/i.test(key) ? startingWith(rows, active, key.toLowerCase()) : null;
  }
}

/** The next row whose label starts with a letter. */
function startingWith(rows: readonly OutlineRow[], active: number, letter: string): number | null {
  for (let step = 1; step <= rows.length; step++) {
    const index = (active + step) % rows.length;
    if (rows[index]?.item.label.toLowerCase().startsWith(letter)) return index;
  }
  return null;
}

const isToggleKey = ({ item, open }: OutlineRow, key: string): boolean =>
  item.foldable && ((key === 'ArrowRight' && !open) || (key === 'ArrowLeft' && open));

/** Scrolls only the tree to the active row. If the focus was in the tree, it moves to that row. */
function scrollToActive(tree: HTMLElement | null): void {
  const row = tree?.querySelector<HTMLElement>('[tabindex="0"]');
  if (!tree || !row) return;
  if (tree.contains(document.activeElement)) row.focus({ preventScroll: true });
  const top = row.offsetTop;
  if (top < tree.scrollTop) tree.scrollTop = top;
  const below = top + row.offsetHeight - tree.clientHeight;
  if (below > tree.scrollTop) tree.scrollTop = below;
}
