/** What the rows of the table are: eqns or groups of them, and which are kept. */
import { __, thousands } from '../../language';
import type { Stage } from '../../schema';
import { choicesOf, type Grouping, type RowFilter } from '../../words/cost-table';

const groupings = (): readonly { by: Grouping; label: string }[] => [
  { by: 'none', label: __('each eqn') },
  { by: 'op', label: __('by op') },
  { by: 'line', label: __('by source line') },
  { by: 'scope', label: __('by name') },
];

/** The switch for what rows are: eqns, or groups of them. */
export const GroupingChoice = ({ by, group }: { by: Grouping; group: (by: Grouping) => void }) => (
  <select
    class="jxv-select"
    aria-label={__('Rows')}
    value={by}
    onChange={(event) => group(event.currentTarget.value as Grouping)}
  >
    {groupings().map(({ by, label }) => (
      <option key={by} value={by}>
        {label}
      </option>
    ))}
  </select>
);

interface FilterProps {
  stage: Stage;
  filter: RowFilter;
  setFilter: (filter: RowFilter) => void;
}

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
        <select
          class="jxv-select"
          key={one}
          aria-label={one === 'dtype' ? __('Dtype') : __('Op')}
          value={filter[one]}
          onChange={(event) => setFilter({ ...filter, [one]: event.currentTarget.value })}
        >
          <option value="">{names[one]}</option>
          {choices[one].map(([name, count]) => (
            <option key={name} value={name}>
              {`${name} (${thousands(count)})`}
            </option>
          ))}
        </select>
      ))}
    </>
  );
}
