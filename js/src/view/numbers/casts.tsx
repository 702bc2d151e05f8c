/** The casts of a stage: those that no layer of the same kind has come first. */
import { castsIn, strayLayers } from '../../facts/casts';
import { __, _n } from '../../language';
import type { Action, ViewState } from '../../state/view-state';
import { castRow, strayText } from '../../words/value-rows';
import { ValueList } from './value-list';

interface Props {
  state: ViewState;
  dispatch: (action: Action) => void;
}

export function Casts({ state, dispatch }: Props) {
  const { stage, selected } = state;
  const casts = castsIn(stage);
  const [first, ...others] = strayLayers(stage);
  return (
    <div class="jxv-lens">
      <p class="jxv-lens-head">
        {_n('%1 cast', '%1 casts', casts.length)}
        {first && (
          <>
            {' · '}
            <b>{strayText(first)}</b>
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
