/** Changes between two traces of a function, in words and with the difference marked. */
import { repeatsIn, repeatsOf, timesOf } from '../../facts/events/log-events';
import { timeText } from '../../facts/text/describe';
import { sentenceText } from '../../facts/text/sentence-text';
import { __, _n, thousands } from '../../language';
import type { Cause, Change, Log, Variant } from '../../schema';

export interface ChangePiece {
  text: string;
  /** The side of the change that contains this text. */
  of: 'before' | 'after' | 'both';
}

/** The changes of a reason in one line, as the kernel prints them
 * (`jaxviz/analysis/retraces/retrace_texts.py`): `x: f32[8→5, 32]; q, k: f32→bf16[4]`. */
export const reasonText = (reason: readonly Change[]): string =>
  joined(reason.map((change) => [change, textOfChange(change)]));

const textOfChange = (change: Change): string =>
  change.kind === 'class'
    ? __('`%1` was defined again', change.where) + placeOf(change)
    : textOf(differenceOf(change));

/** The place of a class's new definition: ` (cell 3)`. */
const placeOf = ({ after }: Change): string => (after === '' ? '' : ` (${sentenceText(after)})`);

interface PlacedText {
  /** The text before the arguments; null if none are named. */
  head: string | null;
  text: string;
  wheres: Set<string>;
}

/** The changes with their texts. Arguments with the same change are listed together. */
function joined(texts: readonly (readonly [Change, string])[]): string {
  const places = new Map<string, PlacedText>();
  for (const [change, text] of texts) {
    const head = headOf(change);
    const key = `${head}\n${text}`;
    const found = places.get(key) ?? { head, text, wheres: new Set<string>() };
    found.wheres.add(change.where === '' ? change.kind : change.where);
    places.set(key, found);
  }
  const lineOf = ({ head, text, wheres }: PlacedText) =>
    head === null ? text : `${head}${[...wheres].join(', ')}: ${text}`;
  return [...places.values()].map(lineOf).join('; ');
}

const textOf = (pieces: readonly ChangePiece[]): string => pieces.map(({ text }) => text).join('');

const WHOLE_REASONS = new Map([
  ['first', () => __('first call')],
  ['unknown', () => __('reason unknown')],
  ['cleared', () => __('its cache was cleared')],
  ['function', () => __('a new function object of the same code')],
]);

const STATIC = ' (static)';

/** The text before the arguments of a change; null if it names none. */
function headOf({ kind, before, after }: Change): string | null {
  if (WHOLE_REASONS.has(kind) || kind === 'class') return null;
  return kind === 'static' &&
    ![before, after].some((side) => typeof side === 'string' && side.includes(STATIC))
    ? 'static '
    : '';
}

/** A change as the text before and after. For types, only the dimensions and dtype that differ are
 * marked. */
export function differenceOf(change: Change): ChangePiece[] {
  const { kind } = change;
  const [before, after] = [sentenceText(change.before), sentenceText(change.after)];
  const whole = WHOLE_REASONS.get(kind)?.();
  if (whole !== undefined) return [both(whole)];
  if (kind === 'class') return [both(__('defined again') + placeOf(change))];
  const merged = kind === 'shape' || kind === 'dtype' ? mergedOf(before, after) : null;
  if (merged) return merged;
  if (kind === 'order') {
    return [both(__('%1 and %2, in unknown order', before, after))];
  }
  return [{ text: before, of: 'before' }, both(' → '), { text: after, of: 'after' }];
}

/** `f32[8→5, 32]`; null if the number of dimensions differs. */
function mergedOf(before: string, after: string): ChangePiece[] | null {
  const [left, right] = [dimensions(before), dimensions(after)];
  if (left.length !== right.length || [before, after].some(isNoType)) return null;
  const sizes = left.flatMap((size, axis) => [
    ...(axis === 0 ? [] : [both(', ')]),
    ...arrow(size, right[axis] ?? ''),
  ]);
  return [...arrow(dtype(before), dtype(after)), both('['), ...sizes, both(']')];
}

const isNoType = (text: string): boolean => !text.includes('[') || text.includes(' (');

const arrow = (before: string, after: string): ChangePiece[] =>
  before === after
    ? [both(before)]
    : [{ text: before, of: 'before' }, both('→'), { text: after, of: 'after' }];

const both = (text: string): ChangePiece => ({ text, of: 'both' });

const dtype = (text: string): string => text.slice(0, text.indexOf('['));

function dimensions(text: string): string[] {
  const inner = /^[^[]*\[([^\]]*)\]$/.exec(text)?.[1] ?? '';
  return inner === '' ? [] : inner.split(',');
}

/** Changes of one kind. A change that is the same in several places is listed once. */
export interface ChangeGroup {
  kind: string;
  changes: { wheres: string[]; difference: ChangePiece[] }[];
}

/** Groups the changes of a reason by kind, in order of first occurrence. */
export function grouped(reason: readonly Change[]): ChangeGroup[] {
  const groups = new Map<string, Map<string, ChangeGroup['changes'][number]>>();
  for (const change of reason) {
    const group = groups.get(change.kind) ?? new Map();
    groups.set(change.kind, group);
    const difference = differenceOf(change);
    const same = group.get(textOf(difference));
    if (same) same.wheres.push(change.where);
    else group.set(textOf(difference), { wheres: [change.where], difference });
  }
  return [...groups].map(([kind, changes]) => ({ kind, changes: [...changes.values()] }));
}

/** The most values in one line. */
const NAMED_VALUES = 3;

/** All changes of a cause, each with its number of occurrences. A log of an earlier format has only
 * the latest. */
export const variantsOf = ({ values, reason, times }: Cause): readonly Variant[] =>
  values.length > 0 ? values : [{ reason, times }];

/** The number of occurrences of a cause that are not listed. */
export const othersOf = (cause: Cause): number =>
  cause.times - variantsOf(cause).reduce((sum, { times }) => sum + times, 0);

/** `×7`; empty for a single occurrence. */
export const timesText = (times: number): string => (times === 1 ? '' : `×${thousands(times)}`);

/** All changes of a cause in one line: `x: f32[256→1024, 4] ×2, f32[64→256, 4], …`. */
function valuesText(cause: Cause): string {
  const all = variantsOf(cause);
  const isOne = all.length === 1 && othersOf(cause) <= 0;
  const texts = all.slice(0, NAMED_VALUES).map(({ reason, times }, index) => {
    const [change] = reason;
    const isShort = index > 0 && reason.length === 1 && change !== undefined;
    const text = isShort ? textOf(differenceOf(change)) : reasonText(reason);
    return isOne || times === 1 ? text : `${text} ${timesText(times)}`;
  });
  const isMore = all.length > NAMED_VALUES || othersOf(cause) > 0;
  return [...texts, ...(isMore ? ['…'] : [])].join(', ');
}

/** The parts of a strip's line. A narrow strip leaves some of them out. */
export interface StripLine {
  /** `step`, `3 functions`. */
  who: string;
  /** ` retraced`. */
  what: string;
  /** `, 7 times`; empty for once. */
  often: string;
  /** `x: f32[8→5, 32]`; for several functions, one reason each: `step (x: f32[8→5, 32]), loss (…)`. */
  why: string;
  /** `0.4 s`; empty if nothing happened. */
  time: string;
  hint: string;
}

/** The most functions that are named. */
const MOST_NAMED = 3;

export function lineOf(log: Log): StripLine {
  const { causes, functions, running } = log;
  const nameOf = ({ function: index }: Cause) => functions[index]?.name ?? '';
  const [first] = causes;
  const times = timesOf(repeatsIn(log));
  const often = times > 1 ? _n(', %1 time', ', %1 times', times) : '';
  if (!first && times > 0) {
    const who = _n(
      '%1 function',
      '%1 functions',
      functions.filter((one) => timesOf(repeatsOf(one)) > 0).length,
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
