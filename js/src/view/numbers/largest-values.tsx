/** What is alive at the peak, and the largest values of a program. */
import { useMemo } from 'preact/hooks';
import { sizeText } from '../../facts/describe';
import type { Id } from '../../facts/ids';
import { aliveAt, largestMade } from '../../facts/numbers/alive';
import { __, _n } from '../../language';
import type { Stage } from '../../schema';
import type { Action, ViewState } from '../../state/view-state';
import { aliveRow, madeRow } from '../../words/value-rows';
import { ValueList } from './value-list';

interface Props {
  state: ViewState;
  dispatch: (action: Action) => void;
}

interface AliveProps extends Props {
  path: Id;
  /** The number of the graph at the path. */
  number: number;
  /** The eqn with the most live bytes. */
  peak: number;
}

/** What is alive at the peak, and why it is kept. */
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
export function LargestValues({ state, dispatch }: Props) {
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

/** In what sense live bytes are counted. */
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
