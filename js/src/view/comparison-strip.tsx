import { KINDS, type Kind } from '../facts/compared/difference-kinds';
import { changes } from '../facts/compared/difference-order';
import type { Differences } from '../facts/compared/differences';
import { __, _n } from '../language';
import type { Action, ViewState } from '../state/view-state';
import { told } from '../words/difference-words';

interface Props {
  differences: Differences;
  state: ViewState;
  dispatch: (action: Action) => void;
}

/** Which two programs are compared where they have names of their own, how they differ in one line,
 * and the way along the changes. */
export function ComparisonStrip({ differences, state, dispatch }: Props) {
  const { stage, selected } = state;
  const { same, compared } = differences;
  const { before, after } = compared;
  const ids = changes(stage, differences);
  const here = selected === null ? -1 : ids.indexOf(selected);
  const step = (by: 1 | -1, text: string, name: string, keys: string) => (
    <button
      type="button"
      class="jxv-button jxv-small"
      aria-label={name}
      title={`${name} ( ${keys} )`}
      onClick={() => dispatch({ type: 'tour', along: 'changes', by })}
    >
      {text}
    </button>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds inputs
    <div role="group" class="jxv-compared" aria-label={__('Comparison')}>
      {before !== after && (
        <span class="jxv-compared-names" title={`${before} → ${after}`}>
          <span class="jxv-compared-name">{before}</span>
          <span class="jxv-words">→</span>
          <span class="jxv-compared-name">{after}</span>
        </span>
      )}
      <ul class="jxv-compared-told">
        {told(differences, stage).map(({ kind, text }) => (
          <li key={text}>
            {same ? <SameSign /> : kind && <DifferenceSign kind={kind} />}
            {text}
          </li>
        ))}
      </ul>
      {ids.length > 0 && (
        <span class="jxv-compared-way">
          {step(-1, '↑', __('Previous change'), 'Shift+N')}
          {step(1, '↓', __('Next change'), 'n')}
          <span class="jxv-compared-at">{placesText(here, ids.length)}</span>
        </span>
      )}
    </div>
  );
}

/** `3 of 12 places`; from -1, `12 places`. */
function placesText(here: number, places: number): string {
  if (here < 0) return _n('%1 place', '%1 places', places);
  const at = (here + 1).toLocaleString('en');
  return _n('%2 of %1 place', '%2 of %1 places', places, at);
}

/** What stands for a kind of difference beside text that names it. */
export const DifferenceSign = ({ kind }: { kind: Kind }) => (
  <span class={`jxv-sign jxv-sign-${kind}`} aria-hidden="true">
    {KINDS.find((one) => one.kind === kind)?.sign}
  </span>
);

const SameSign = () => (
  <span class="jxv-sign jxv-sign-same" aria-hidden="true">
    =
  </span>
);
