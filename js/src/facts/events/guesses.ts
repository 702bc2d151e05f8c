/** What a reader says of the calls in a log before they see it: which calls are asked of. */
import type { CacheCall, Log } from '../../schema';

export type Guess = 'hit' | 'miss';

/** By the key of a call. */
export type Guesses = ReadonlyMap<string, Guess>;

/** A call that the reader is asked of. */
export interface AskedCall {
  key: string;
  /** Of the function. */
  name: string;
  call: CacheCall;
}

/** How many calls are asked of. */
const MOST = 24;

/** The keys of calls that a table holds as one, as they were alike. */
export const keysOf = (table: number, call: number, { times }: CacheCall): string[] =>
  Array.from({ length: Math.min(times, MOST) }, (_, index) => `${table}/${call}/${index}`);

/** The calls that a log's caches answered or that were traced, in the order of their function. */
export function asked({ caches }: Log): AskedCall[] {
  const calls = caches.flatMap(({ name, calls }, table) =>
    calls.flatMap((call, index) =>
      call.end === 'hit' || call.end === 'miss'
        ? keysOf(table, index, call).map((key) => ({ key, name, call }))
        : [],
    ),
  );
  return calls.slice(0, MOST);
}

/** How many of these were guessed rightly, of how many. */
export function score(log: Log, guesses: Guesses): { right: number; all: number } {
  const known = asked(log).filter(({ key }) => guesses.has(key));
  return {
    right: known.filter(({ key, call }) => guesses.get(key) === call.end).length,
    all: known.length,
  };
}
