/** What the rows of the table are: eqns or groups of them, and which are kept. */
import { __, thousands } from '../../language';
import type { Stage } from '../../schema';
import { choicesOf, type Grouping, type RowFilter } from '../../words/cost-table';
import { Select } from '../select';

const groupings = (): [by: Grouping, label: string][] => [
  ['none', __('each eqn')],
  ['op', __('by op')],
  ['line', __('by source line')],
  ['scope', __('by name')],
];

/** The switch for what rows are: eqns, or groups of them. */
export const GroupingChoice = ({ by, group }: { by: Grouping; group: (by: Grouping) => void }) => (
  <Select label={__('Rows')} value={by} choices={groupings()} choose={group} />
);

interface FilterProps {
  stage: Stage;
  filter: RowFilter;
  setFilter: (filter: RowFilter) => void;
}

const counted = ([name, count]: [string, number]): [string, string] => [
  name,
  `${name} (${thousands(count)})`,
];

/** What rows are kept: by a text in them, by dtype, by op. */
export function FilterChoices({ stage, filter, setFilter }: FilterProps) {
  const choices = choicesOf(stage);
  const names = { dtype: __('any dtype'), op: __('any op') };
  return (
    <>
      <input
        type="search"
        class="jxv-input jxv-table-filter"
        aria-label={__('Rows with')}
        placeholder={__('filter')}
        value={filter.text}
        onInput={(event) => setFilter({ ...filter, text: event.currentTarget.value })}
      />
      {(['dtype', 'op'] as const).map((one) => (
        <Select
          key={one}
          label={one === 'dtype' ? __('Dtype') : __('Op')}
          value={filter[one]}
          choices={[['', names[one]], ...choices[one].map(counted)]}
          choose={(chosen) => setFilter({ ...filter, [one]: chosen })}
        />
      ))}
    </>
  );
}
