/** A list of eqns or values, each in two lines: what it is and how large, and why and where. */
import { useRef, useState } from 'preact/hooks';
import type { Id } from '../../facts/ids';
import type { Action } from '../../state/view-state';
import type { ValueRow } from '../../words/value-rows';
import { showRow, useWindow } from '../element-size';
import { useUniqueId } from '../unique-id';
import { rowKeys } from './row-keys';

/** The height of a row, px, as in value-list.css. */
const ROW_HEIGHT = 38;

interface Props {
  label: string;
  /** How many rows there are; only those in view are made. */
  count: number;
  row: (at: number) => ValueRow;
  selected: Id | null;
  dispatch: (action: Action) => void;
}

/** The list. The arrow keys move along it, Enter and a click go to what a row is of. */
export function ValueList({ label, count, row, selected, dispatch }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const { from, to } = useWindow(scroller, count, ROW_HEIGHT);
  const [active, setActive] = useState(0);
  const ids = useUniqueId();
  const go = (at: number) => {
    setActive(at);
    const { id } = row(at);
    if (id !== null) dispatch({ type: 'select', id });
  };
  const walk = (at: number) => {
    setActive(at);
    if (scroller.current) showRow(scroller.current, at * ROW_HEIGHT, ROW_HEIGHT, 0);
    dispatch({ type: 'hover', id: row(at).id });
  };
  return (
    <div
      class="jxv-values"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      ref={scroller}
      {...(active >= from && active < to ? { 'aria-activedescendant': `${ids}${active}` } : {})}
      onKeyDown={rowKeys({ active, count, page: PAGE_OF_ROWS, walk, choose: go })}
      onPointerLeave={() => dispatch({ type: 'hover', id: null })}
    >
      <div style={`height:${from * ROW_HEIGHT}px`} />
      {Array.from({ length: to - from }, (_, index) => {
        const at = from + index;
        const shown = row(at);
        const looks = { row: shown, at, count, id: `${ids}${at}`, active: at === active };
        const isSelected = shown.id !== null && shown.id === selected;
        const hover = () => dispatch({ type: 'hover', id: shown.id });
        return <Row key={at} {...{ ...looks, go, hover }} selected={isSelected} />;
      })}
      <div style={`height:${(count - to) * ROW_HEIGHT}px`} />
    </div>
  );
}

interface RowProps {
  row: ValueRow;
  at: number;
  count: number;
  id: string;
  active: boolean;
  selected: boolean;
  go: (at: number) => void;
  hover: () => void;
}

function Row({ row, at, count, id, active, selected, go, hover }: RowProps) {
  const { name, type, size, badge, about, code } = row;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list around it answers the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the list
    <div
      role="option"
      class={`jxv-entry${active ? ' jxv-entry-active' : ''}`}
      id={id}
      aria-selected={selected}
      aria-setsize={count}
      aria-posinset={at + 1}
      onClick={() => go(at)}
      onPointerEnter={hover}
    >
      <span class="jxv-entry-head">
        <code>{name}</code>
        <code class="jxv-entry-type">{type}</code>
        <span class="jxv-entry-size">{size}</span>
      </span>
      <span class="jxv-entry-about" title={`${about}\n${code}`}>
        {badge !== '' && <span class="jxv-badge jxv-entry-badge">{badge}</span>}
        {about} <code>{code}</code>
      </span>
    </div>
  );
}

/** How many rows Page Up and Page Down move. */
const PAGE_OF_ROWS = 10;
