/** Before a log: the reader predicts for each call if it is a hit, and then sees the results. */
import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { asked, type Guess, type Guesses, score } from '../facts/events/log-events';
import { placeOf } from '../facts/text/describe';
import { __, _n } from '../language';
import type { CacheCall, Log } from '../schema';
import { Choice } from '../shell/parts/controls';

const GuessesContext = createContext<Guesses>(new Map());
export const Predicted = GuessesContext.Provider;

/** The calls, each with the choice of a prediction. */
export function Predict({ log, show }: { log: Log; show: (guesses: Guesses) => void }) {
  const [guesses, set] = useState<Guesses>(new Map());
  const calls = asked(log);
  if (log.running) return <p class="jxv-log-quiet">{__('Running…')}</p>;
  return (
    <div class="jxv-predict">
      <p>
        {__(
          'If JAX has no program for a call, it traces the call: a miss. Otherwise the call is a hit. Predict each call, then compare.',
        )}
      </p>
      <ol>
        {calls.map(({ key, call, name }) => (
          <li key={key}>
            <Choice
              label={`${name} ${call.site ? placeOf(call.site) : ''}`}
              options={ENDS.map((value) => ({ value, label: endName(value) }))}
              chosen={guesses.get(key)}
              choose={(guess) => set(new Map(guesses).set(key, guess))}
            />
            <code>{call.site?.code ?? name}</code>
          </li>
        ))}
      </ol>
      <button type="button" onClick={() => show(guesses)}>
        {__('Show what happened')}
      </button>{' '}
      {guesses.size < calls.length && (
        <span class="jxv-words">
          {_n(
            '%1 call has no prediction yet.',
            '%1 calls have no prediction yet.',
            calls.length - guesses.size,
          )}
        </span>
      )}
    </div>
  );
}

const ENDS: readonly Guess[] = ['hit', 'miss'];

const endName = (end: Guess): string => (end === 'hit' ? __('hit') : __('miss'));

/** The reader's prediction for a call, or for several equal ones, beside the result. */
export function PredictionResult({ keys, call }: { keys: readonly string[]; call: CacheCall }) {
  const guesses = useContext(GuessesContext);
  const predictions = keys.flatMap((key) => guesses.get(key) ?? []);
  if (predictions.length === 0) return null;
  const wrong = predictions.filter((guess) => guess !== call.end).length;
  if (wrong === 0) return <span class="jxv-words">{__('✓ as predicted')}</span>;
  return (
    <span class="jxv-predict-wrong">
      {wrong === 1 && predictions.length === 1
        ? __('✗ you predicted %1', endName(call.end === 'hit' ? 'miss' : 'hit'))
        : __('✗ you predicted %1 differently', wrong)}
    </span>
  );
}

/** The number of right predictions. */
export function Score({ log, guesses }: { log: Log; guesses: Guesses }) {
  const { right, all } = score(log, guesses);
  if (all === 0) return null;
  return (
    <p class="jxv-predict" role="status">
      {right === all
        ? __('All %1 calls were as predicted.', all)
        : __('%1 of %2 calls were as predicted: the cache table shows each one.', right, all)}
    </p>
  );
}
