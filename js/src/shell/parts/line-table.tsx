/** A list of the user's lines above the program, each with its measurements. */
import type { ComponentChild } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { focusOfLine, type MeasuredLine } from '../../facts/reports';
import { placeOf } from '../../facts/text/describe';
import { __, _n } from '../../language';
import type { Statistics } from '../../schema';
import { type ProgramProps, ProgramView } from '../program-view';
import { type Column, DataTable, useFold } from './data-table';

export interface LineTable<Line> {
  caption: string;
  /** The columns before that of the lines. */
  columns: readonly Column<Line>[];
  lines: readonly Line[];
  /** The content below a line. */
  below?: ((line: Line) => ComponentChild) | undefined;
  /** The number of lines that are left out. */
  more: number;
  /** Sentences on the run. */
  notes: readonly string[];
}

interface Props<Line> extends Omit<ProgramProps, 'above' | 'selected'> {
  table: LineTable<Line>;
}

/** A program and its list. The chosen line is selected in all views. */
export function ProgramWithTable<Line extends MeasuredLine>({ table, ...props }: Props<Line>) {
  const [chosen, choose] = useState<Line | null>(null);
  // The numbers of eqns are those of the whole program.
  const isWhole = props.partial === null;
  const focus = useMemo(() => chosen && focusOfLine(chosen, isWhole), [chosen, isWhole]);
  return (
    <ProgramView
      {...props}
      selected={focus}
      above={<List table={table} chosen={chosen} choose={choose} />}
    />
  );
}

interface ListProps<Line> {
  table: LineTable<Line>;
  chosen: Line | null;
  choose: (line: Line) => void;
}

/** The number of lines that are shown at first. */
const FIRST = 8;

function List<Line extends MeasuredLine>({ table, chosen, choose }: ListProps<Line>) {
  const { caption, columns, lines, below, more, notes } = table;
  const lineOf = (line: Line) => (
    <LineCell line={line} isChosen={line === chosen} choose={() => choose(line)} />
  );
  const { shown, isWhole, button } = useFold(lines, FIRST, (count) =>
    _n('%1 more line', '%1 more lines', count),
  );
  return (
    <div class="jxv-line-table">
      <DataTable
        caption={caption}
        columns={[...columns, { label: () => __('line'), cell: lineOf }]}
        rows={shown}
        lookOf={(line) => (line === chosen ? 'jxv-line-table-chosen' : undefined)}
        below={below}
      />
      {button}
      {isWhole && more > 0 && (
        <p class="jxv-words">
          {_n('%1 more line is not shown.', '%1 more lines are not shown.', more)}
        </p>
      )}
      <p class="jxv-words">{notes.join(' ')}</p>
    </div>
  );
}

interface LineProps {
  line: MeasuredLine;
  isChosen: boolean;
  choose: () => void;
}

const LineCell = ({ line: { frame }, isChosen, choose }: LineProps) => (
  <>
    {frame ? (
      <button
        type="button"
        class="jxv-link"
        aria-pressed={isChosen}
        title={__('Show it in the program')}
        onClick={choose}
      >
        {placeOf(frame)}
      </button>
    ) : (
      <span class="jxv-words">{__('no line')}</span>
    )}{' '}
    {frame && <code title={frame.code}>{frame.code}</code>}
  </>
);

/** The effects that a run did not repeat. */
export const notRepeated = (names: readonly string[]): string[] =>
  names.length > 0 ? [__('Not repeated: %1.', names.join(', '))] : [];

/** The effects of the program that a run left out, and those that it repeated. */
export const onEffects = ({
  left_out,
  run_again,
}: Pick<Statistics, 'left_out' | 'run_again'>): string[] => [
  ...notRepeated(left_out),
  ...(run_again ? [__('%1 ran again.', 'pure_callback')] : []),
];
