import type { ComponentChildren } from 'preact';
import { __ } from '../../model/language';
import { againOf } from '../../model/log/events';
import type { FunctionSort, Row } from '../../model/panel/function-list';
import type { Action, PanelState } from '../../model/panel/panel-state';
import { clockText } from './clock';
import { CaptureLink, Definition, Opener, secondsText } from './function-row';
import type { RowProps } from './functions';
import { walk } from './rows';
import { Why } from './why';

interface Props {
  /** Its rows. */
  children: ComponentChildren;
  state: PanelState;
  dispatch: (action: Action) => void;
  focused: (event: FocusEvent) => void;
}

/** Changes of a reason that are shown. */
const MOST_CHANGES = 2;

/** Functions where there is room. */
export function FunctionTable({ children, state, dispatch, focused }: Props) {
  return (
    <table class="jxv-panel-table" aria-label={__('Functions')}>
      <thead>
        <tr>
          {columns().map(({ label, sort }) => (
            <Head key={label} {...{ label, sort, state, dispatch }} />
          ))}
        </tr>
      </thead>
      <tbody onKeyDown={walk} onFocusIn={focused}>
        {children}
      </tbody>
    </table>
  );
}

interface Column {
  label: string;
  /** By what its head sorts; null where it does not. */
  sort: FunctionSort | null;
}

const columns = (): Column[] => [
  { label: __('Function'), sort: 'name' },
  { label: __('Traces'), sort: 'traces' },
  { label: __('Again'), sort: 'retraces' },
  { label: __('Compiles'), sort: 'compiles' },
  { label: __('Time'), sort: 'time' },
  { label: __('Latest'), sort: 'latest' },
  { label: __('Why again'), sort: null },
  { label: __('Defined'), sort: null },
];

function Head({ label, sort, state, dispatch }: Column & Omit<Props, 'children' | 'focused'>) {
  if (sort === null) return <th scope="col">{label}</th>;
  const isSorted = state.sort === sort;
  const isUp = (sort === 'name') !== state.reversed;
  const press = () => dispatch({ type: 'sort', sort, reversed: isSorted && !state.reversed });
  const order = isUp ? 'ascending' : 'descending';
  return (
    <th scope="col" aria-sort={isSorted ? order : 'none'}>
      <button type="button" onClick={press}>
        {label}
        <span aria-hidden="true">{isSorted ? (isUp ? ' ▴' : ' ▾') : ''}</span>
      </button>
    </th>
  );
}

/** A function in a table. */
export function FunctionCells({ row, ...opener }: RowProps) {
  const { counted } = row;
  return (
    <tr class="jxv-panel-row" data-row={row.key}>
      <th scope="row">
        <Opener row={row} {...opener} />
      </th>
      <td>{counted?.traces ?? ''}</td>
      <td>{counted && againText(row)}</td>
      <td>{counted?.compiles ?? ''}</td>
      <td>{counted && secondsText(counted)}</td>
      <td>{row.latest && clockText(row.latest.start)}</td>
      <td>{counted && <Why {...counted} more={0} most={MOST_CHANGES} />}</td>
      <td>
        <p class="jxv-panel-facts">
          <Definition row={row} />
          <CaptureLink row={row} open={opener.open} />
        </p>
      </td>
    </tr>
  );
}

function againText({ counted }: Row) {
  const again = counted ? againOf(counted) : 0;
  return again > 0 ? <b class="jxv-panel-again">{again.toLocaleString('en')}</b> : 0;
}
