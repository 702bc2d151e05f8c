/** The one line above an output that says what was retraced, why, and how long it took. */

import { timeText } from '../../facts/describe';
import { againIn, againOf } from '../../facts/events/log-events';
import { __, _n } from '../../language';
import type { Cause, Log } from '../../schema';
import { sentenceText } from '../sentence-text';
import { valuesText } from './changes';

/** The parts of the line. In a narrow place some of them are left out. */
export interface StripLine {
  /** `step`, `3 functions`. */
  who: string;
  /** ` retraced`. */
  what: string;
  /** `, 7 times`; empty for once. */
  often: string;
  /** `x: f32[8→5, 32]`; for several functions one reason each: `step (x: f32[8→5, 32]), loss
   * (…)`. */
  why: string;
  /** `0.4 s`; empty where nothing happened. */
  time: string;
  hint: string;
}

/** The most functions that are named. */
const MOST_NAMED = 3;

export function lineOf(log: Log): StripLine {
  const { causes, functions, running } = log;
  const nameOf = ({ function: index }: Cause) => functions[index]?.name ?? '';
  const [first] = causes;
  const times = againIn(log);
  const often = times > 1 ? _n(', %1 time', ', %1 times', times) : '';
  if (!first && times > 0) {
    const who = _n(
      '%1 function',
      '%1 functions',
      functions.filter((one) => againOf(one) > 0).length,
    );
    return { who, what: __(' %1 again', __('made')), often, why: '', time: '', hint: '' };
  }
  if (!first) {
    const what = running ? __(' has been retraced so far') : __(' was retraced');
    return { who: __('nothing'), what, often: '', why: '', time: '', hint: '' };
  }
  const what = doneIn(causes);
  const time = timeText(causes.reduce((sum, { seconds }) => sum + seconds, 0));
  const costliest = causes.filter((cause, index) => {
    return causes.findIndex((one) => one.function === cause.function) === index;
  });
  if (costliest.length === 1) {
    const why = `${whyOf(first)}${causes.length > 1 ? ', …' : ''}`;
    return { who: nameOf(first), what, often, why, time, hint: sentenceText(first.hint) };
  }
  const named = costliest.slice(0, MOST_NAMED).map((cause) => `${nameOf(cause)} (${whyOf(cause)})`);
  const why = [...named, ...(costliest.length > MOST_NAMED ? ['…'] : [])].join(', ');
  return {
    who: _n('%1 function', '%1 functions', costliest.length),
    what,
    often,
    why,
    time,
    hint: '',
  };
}

const whyOf = (cause: Cause): string => `${valuesText(cause)}${cause.more > 0 ? '; …' : ''}`;

/** `retraced`, `retraced or compiled again`. */
function doneIn(causes: readonly Cause[]): string {
  const kinds = new Set(causes.map(({ kind }) => kind));
  const later = [
    ...(kinds.has('lower') ? [__('lowered')] : []),
    ...(kinds.has('compile') ? [__('compiled')] : []),
  ];
  const done = [
    ...(kinds.has('trace') ? [__(' retraced')] : []),
    ...(later.length > 0 ? [__(' %1 again', later.join(__(' or ')))] : []),
  ];
  return done.join(__(' or ').trimEnd());
}
