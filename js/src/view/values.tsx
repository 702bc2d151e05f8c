/** What the values of a run were like, above the program: a list of the user's lines, what is not
 * finite first, then the largest. */
import { useMemo, useState } from 'preact/hooks';
import { placeOf } from '../facts/describe';
import { focusOf, magnitudeText } from '../facts/values';
import { __, _n } from '../language';
import type { LineValues, Values } from '../schema';
import { type ProgramProps, ProgramView } from './program-view';

interface Props extends Omit<ProgramProps, 'above' | 'selected'> {
  values: Values;
}

/** A program and its list. The line that is chosen there is what is selected in all views. */
export function ProgramWithValues({ values, ...props }: Props) {
  const [chosen, choose] = useState<LineValues | null>(null);
  // The numbers of eqns are those of the whole program.
  const isWhole = props.partial === null;
  const focus = useMemo(() => chosen && focusOf(chosen, isWhole), [chosen, isWhole]);
  return (
    <ProgramView
      {...props}
      selected={focus}
      above={<List values={values} chosen={chosen} choose={choose} />}
    />
  );
}

interface ListProps {
  values: Values;
  chosen: LineValues | null;
  choose: (line: LineValues) => void;
}

/** How many lines are shown at first. */
const FIRST = 8;

function List({ values, chosen, choose }: ListProps) {
  const [isWhole, showAll] = useState(false);
  const { lines, more } = values;
  return (
    <div class="jxv-line-values">
      <table>
        <caption>
          {__('One result of each line in one run: the first that is not finite, else the largest')}
        </caption>
        <Head />
        <tbody>
          {(isWhole ? lines : lines.slice(0, FIRST)).map((line) => (
            <Row
              key={line.eqn}
              line={line}
              isChosen={line === chosen}
              choose={() => choose(line)}
            />
          ))}
        </tbody>
      </table>
      {!isWhole && lines.length > FIRST && (
        <button type="button" class="jxv-link" onClick={() => showAll(true)}>
          {_n('%1 more line', '%1 more lines', lines.length - FIRST)}
        </button>
      )}
      {isWhole && more > 0 && (
        <p class="jxv-words">
          {_n('%1 more line is not shown.', '%1 more lines are not shown.', more)}
        </p>
      )}
      <Notes values={values} />
    </div>
  );
}

/** The columns' names, and whether numbers stand in them. */
const COLUMNS: readonly { label: () => string; number: boolean }[] = [
  { label: () => __('largest finite'), number: true },
  { label: () => 'NaN', number: true },
  { label: () => 'inf', number: true },
  { label: () => __('op'), number: false },
  { label: () => __('line'), number: false },
];

const Head = () => (
  <thead>
    <tr>
      {COLUMNS.map(({ label, number }) => (
        <th key={label()} scope="col" class={number ? 'jxv-right' : undefined}>
          {label()}
        </th>
      ))}
    </tr>
  </thead>
);

interface RowProps {
  line: LineValues;
  isChosen: boolean;
  choose: () => void;
}

function Row({ line, isChosen, choose }: RowProps) {
  const { frame, op, type, largest, nan, inf } = line;
  return (
    <tr class={isChosen ? 'jxv-line-values-chosen' : undefined}>
      <td class="jxv-right">{magnitudeText(largest)}</td>
      <Count of={nan} />
      <Count of={inf} />
      <td>
        {op} <span class="jxv-words">{type}</span>
      </td>
      <td>
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
      </td>
    </tr>
  );
}

const Count = ({ of }: { of: number }) => (
  <td class={of > 0 ? 'jxv-right jxv-line-values-flaw' : 'jxv-right'}>
    {of > 0 ? of.toLocaleString('en') : ''}
  </td>
);

/** What the reader should know of the run. */
function Notes({ values: { left_out, run_again } }: Pick<ListProps, 'values'>) {
  const notes = [
    __(
      'The program ran with these numbers beside it, and its operations may be fused otherwise: values may differ from those of your run in the last digits.',
    ),
    ...(left_out.length > 0 ? [__('Not repeated: %1.', left_out.join(', '))] : []),
    ...(run_again ? [__('%1 ran again.', 'pure_callback')] : []),
  ];
  return <p class="jxv-words">{notes.join(' ')}</p>;
}
