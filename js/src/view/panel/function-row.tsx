import { middle, placeOf } from '../../model/describe';
import { __, _n } from '../../model/language';
import { againOf } from '../../model/log/events';
import { timeText } from '../../model/log/time';
import { type Opened, openedBy, type Row } from '../../model/panel/function-list';
import type { Function as Counted } from '../../schema';
import { Middle } from '../log/middle';
import { Place } from '../log/place';
import type { RowProps } from './functions';
import { Why } from './why';

/** Changes of a reason that are shown. */
const MOST_CHANGES = 3;

/** A function in a narrow list. */
export function FunctionRow({ row, isCurrent, isOpen, open }: RowProps) {
  const { key, counted } = row;
  return (
    <li class="jxv-panel-row" data-row={key}>
      <Opener {...{ row, isCurrent, isOpen, open }}>
        {counted && <b>{secondsText(counted)}</b>}
      </Opener>
      <p class="jxv-panel-facts">
        {counted && <Counts counted={counted} />}
        <CaptureLink row={row} open={open} />
        <Definition row={row} />
      </p>
      {counted && <Why {...counted} more={0} most={MOST_CHANGES} />}
    </li>
  );
}

/** Its name, which opens its program. */
export function Opener({
  row,
  isCurrent,
  isOpen,
  open,
  children = null,
}: RowProps & { children?: preact.ComponentChildren }) {
  const opens = openedBy(row);
  return (
    <button
      type="button"
      class="jxv-panel-open"
      tabIndex={isCurrent ? 0 : -1}
      aria-disabled={opens === null}
      aria-current={isOpen}
      title={opens ? __('Show its program') : __('Its traces are listed no more')}
      onClick={() => opens && open(opens)}
    >
      <Middle text={row.name} />
      {row.definition?.library && <span class="jxv-panel-library">{__('library')}</span>}
      {children}
    </button>
  );
}

function Counts({ counted }: { counted: Counted }) {
  const { traces, compiles, hits } = counted;
  const again = againOf(counted);
  return (
    <>
      <span>
        {traces > 0 && _n('%1 trace', '%1 traces', traces)}
        {traces > 0 && again > 0 && ', '}
        {again > 0 && <b class="jxv-panel-again">{_n('%1 again', '%1 again', again)}</b>}
      </span>
      {compiles > 0 && <span>{_n('%1 compile', '%1 compiles', compiles)}</span>}
      {hits && <span>{_n('%1 hit', '%1 hits', sum(hits))}</span>}
    </>
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** Of a function that JAX announced only within others it is not known. */
export const secondsText = ({ seconds }: Counted): string =>
  seconds > 0 ? timeText(seconds) : '–';

interface CaptureProps {
  row: Row;
  open: (opened: Opened) => void;
}

/** Leads to what a cell shows of it. */
export function CaptureLink({ row: { capture }, open }: CaptureProps) {
  if (!capture) return null;
  const { key, name, count, eqns } = capture;
  const size = _n('%1 eqn', '%1 eqns', eqns);
  return (
    <button
      type="button"
      class="jxv-link"
      title={__('Show what was captured')}
      onClick={() => open({ capture: key, name })}
    >
      {count === null ? __('captured, %1', size) : __('captured in cell %1, %2', count, size)}
    </button>
  );
}

/** Letters of a place that fit a narrow list. */
const LONGEST = 30;

/** Where it is defined; of a long path what is in its middle is left out. */
export function Definition({ row: { definition } }: { row: Row }) {
  if (!definition) return null;
  const place = placeOf(definition);
  const about = place.length > LONGEST ? __('defined here: %1', place) : __('defined here');
  return <Place frame={definition} text={middle(place, LONGEST)} about={about} />;
}
