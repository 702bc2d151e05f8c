/** The casts of a stage: those that no layer of the same kind has come first. */
import { castsIn, strayGroups } from '../../facts/casts';
import { __, _n } from '../../language';
import type { Action, ViewState } from '../../state/view-state';
import { castRow, unlikeText } from '../../words/value-rows';
import { ValueList } from './value-list';

interface Props {
  state: ViewState;
  dispatch: (action: Action) => void;
}

/** The most groups that are named above the list. */
const MOST_NAMED = 2;

export function Casts({ state, dispatch }: Props) {
  const { stage, selected } = state;
  const casts = castsIn(stage);
  const groups = strayGroups(stage);
  return (
    <div class="jxv-lens">
      <p class="jxv-lens-head">
        {_n('%1 cast', '%1 casts', casts.length)}
        {groups.length > 0 && ' · '}
        <b>
          {groups
            .slice(0, MOST_NAMED)
            .map((one) => unlikeText(stage, one))
            .join(' · ')}
          {groups.length > MOST_NAMED && ' · …'}
        </b>
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
