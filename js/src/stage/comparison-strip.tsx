/** The line above a comparison. */
import { DIFFERENCE_KINDS, type DifferenceKind, type Differences } from '../facts/differences';
import { __, _n, thousands } from '../language';
import { changes } from '../state/tour';
import type { Action, ViewState } from '../state/view-state';
import { summaryOf } from '../words/difference-words';

interface Props {
  differences: Differences;
  state: ViewState;
  dispatch: (action: Action) => void;
}

/** The line above a comparison: the names of the programs if they differ, a summary of the
 * differences, and buttons that step through the changes. */
export function ComparisonStrip({ differences, state, dispatch }: Props) {
  const { stage, selected } = state;
  const { same, compared } = differences;
  const { before, after } = compared;
  const ids = changes(stage, differences);
  const here = selected === null ? -1 : ids.indexOf(selected);
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
      <ul class="jxv-compared-summary">
        {summaryOf(differences, stage).map(({ kind, text }) => (
          <li key={text}>
            {same ? <SameSign /> : kind && <DifferenceSign kind={kind} />}
            {text}
          </li>
        ))}
      </ul>
      {ids.length > 0 && (
        <span class="jxv-compared-way">
          <Step by={-1} text="↑" name={__('Previous change')} keys="Shift+N" dispatch={dispatch} />
          <Step by={1} text="↓" name={__('Next change')} keys="n" dispatch={dispatch} />
          <span class="jxv-compared-at">{placesText(here, ids.length)}</span>
        </span>
      )}
    </div>
  );
}

interface StepProps {
  by: 1 | -1;
  text: string;
  name: string;
  /** The keys of the same action. */
  keys: string;
  dispatch: (action: Action) => void;
}

/** The button to the next or previous change. */
function Step({ by, text, name, keys, dispatch }: StepProps) {
  return (
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
}

/** `3 of 12 places`; from -1, `12 places`. */
function placesText(here: number, places: number): string {
  if (here < 0) return _n('%1 place', '%1 places', places);
  const at = thousands(here + 1);
  return _n('%2 of %1 place', '%2 of %1 places', places, at);
}

/** The sign of a kind of difference, beside text that names it. */
export const DifferenceSign = ({ kind }: { kind: DifferenceKind }) => (
  <span class={`jxv-sign jxv-sign-${kind}`} aria-hidden="true">
    {DIFFERENCE_KINDS.find((one) => one.kind === kind)?.sign}
  </span>
);

const SameSign = () => (
  <span class="jxv-sign jxv-sign-same" aria-hidden="true">
    =
  </span>
);
