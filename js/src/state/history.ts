/** Places that were left, to go back to, and those that were gone back from. A value. */
export interface History<Place> {
  readonly past: readonly Place[];
  readonly future: readonly Place[];
}

/** Places that are kept at most. */
export const LONGEST = 100;

export const NO_HISTORY: History<never> = { past: [], future: [] };

/** The history once a place has been left for one that is new. */
export function left<Place>({ past }: History<Place>, place: Place): History<Place> {
  return { past: [...past.slice(-(LONGEST - 1)), place], future: [] };
}

/** One step back (-1) or forward (1) from a place: where that leads; null where there is no more. */
export function travel<Place>(
  { past, future }: History<Place>,
  here: Place,
  by: 1 | -1,
): { place: Place; history: History<Place> } | null {
  const [from, to] = by === -1 ? [past, future] : [future, past];
  const place = from.at(-1);
  if (place === undefined) return null;
  const [fewer, more] = [from.slice(0, -1), [...to, here]];
  const history = by === -1 ? { past: fewer, future: more } : { past: more, future: fewer };
  return { place, history };
}
