/** Lists of eqns and values: casts, the values alive at the peak, and the largest ones. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { castsIn, outlierLayers } from '../../facts/colours/casts';
import type { Id } from '../../facts/ids';
import { aliveAt, largestMade } from '../../facts/numbers/alive';
import { sizeText } from '../../facts/text/describe';
import { __, _n } from '../../language';
import type { Stage } from '../../schema';
import { showRow, useUniqueId, useWindow } from '../../shell/parts/controls';
import { rowKeys } from '../../shell/parts/data-table';
import type { Action, ViewState } from '../../state/view-state';
import { aliveRow, castRow, madeRow, outlierText, type ValueRow } from '../../words/value-rows';

/** The height of a row, px, as in value-list.css. */
const ROW_HEIGHT = 38;

interface Props {
  label: string;
  /** The number of rows; only the visible ones are made. */
  count: number;
  row: (at: number) => ValueRow;
  selected: Id | null;
  dispatch: (action: Action) => void;
}

/** The list. The arrow keys move along it; Enter and a click go to the item of a row. */
function ValueList({ label, count, row, selected, dispatch }: Props) {
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
        const rowProps = { row: shown, at, count, id: `${ids}${at}`, active: at === active };
        const isSelected = shown.id !== null && shown.id === selected;
        const hover = () => dispatch({ type: 'hover', id: shown.id });
        return <Row key={at} {...{ ...rowProps, go, hover }} selected={isSelected} />;
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
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list around it handles the keys
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

/** The number of rows that Page Up and Page Down move. */
const PAGE_OF_ROWS = 10;

interface CastsProps {
  state: ViewState;
  dispatch: (action: Action) => void;
}

export function Casts({ state, dispatch }: CastsProps) {
  const { stage, selected } = state;
  const casts = castsIn(stage);
  const [first, ...others] = outlierLayers(stage);
  return (
    <div class="jxv-lens">
      <p class="jxv-lens-head">
        {_n('%1 cast', '%1 casts', casts.length)}
        {first && (
          <>
            {' · '}
            <b>{outlierText(first)}</b>
          </>
        )}
        {others.length > 0 && ` · ${__('and %1 more', others.length)}`}
      </p>
      <ValueList
        label={__('Casts')}
        count={casts.length}
        row={(at) => castRow(stage, casts[at]!)}
        {...{ selected, dispatch }}
      />
    </div>
  );
}

interface LargestProps {
  state: ViewState;
  dispatch: (action: Action) => void;
}

interface AliveProps extends LargestProps {
  path: Id;
  /** The number of the graph at the path. */
  number: number;
  /** The eqn with the most live bytes. */
  peak: number;
}

/** The values that are alive at the peak, and why they are needed. */
export function ValuesAlive({ state, dispatch, path, number, peak }: AliveProps) {
  const { stage, selected } = state;
  const alive = useMemo(() => aliveAt(stage, number, peak), [stage, number, peak]);
  const whole = alive.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <>
      <h3>
        {__('Alive at the peak')}{' '}
        <span class="jxv-words">
          {_n('%1 value, %2', '%1 values, %2', alive.length, sizeText(whole))}
        </span>{' '}
        <Bound stage={stage} />
      </h3>
      <ValueList
        label={__('Alive at the peak')}
        count={alive.length}
        row={(at) => aliveRow(stage, number, path, alive[at]!)}
        {...{ selected, dispatch }}
      />
    </>
  );
}

/** The most values that are listed. */
const MOST_LISTED = 200;

/** The largest values between inputs and results. */
export function LargestValues({ state, dispatch }: LargestProps) {
  const { stage, selected } = state;
  const made = largestMade(stage);
  if (made.length === 0) return null;
  return (
    <>
      <h3>{__('Largest intermediate values')}</h3>
      <ValueList
        label={__('Largest intermediate values')}
        count={Math.min(made.length, MOST_LISTED)}
        row={(at) => madeRow(stage, made[at]!)}
        {...{ selected, dispatch }}
      />
    </>
  );
}

/** A badge that says how live bytes are counted. */
const Bound = ({ stage }: { stage: Stage }) => (
  <span class="jxv-badge" title={boundOf(stage)}>
    {boundName(stage)}
  </span>
);

const boundName = ({ kind }: Stage): string =>
  kind === 'hlo' ? __('upper bound') : __('unfused upper bound');

const boundOf = ({ kind }: Stage): string =>
  kind === 'hlo'
    ? __(
        'Assumes that each result has its own memory for as long as it is needed. XLA reuses memory, and reserves outputs from the start.',
      )
    : __(
        'Assumes that each value has its own memory for as long as it is needed. XLA fuses eqns and reuses memory.',
      );
