/** Reads how a program opens (the `Opening` record) from data that may be anything, and combines
 * the author's choice with the reader's preference. */
import type { Schema } from '../facts/records';
import { type Opening, RECORDS } from '../schema';

/** The members of an `Opening` in some data. The data may come from a notebook's file, the classes
 * of a page or a host's settings: anything that is no member, or has a value that the member cannot
 * have, is left out. */
export function openingIn(data: unknown): Opening {
  const given = new Map<string, unknown>(Object.entries(Object(data)));
  const members = Object.entries<Schema>(RECORDS.Opening).filter(
    ([name, schema]) => given.get(name) != null && mayBe(given.get(name), schema),
  );
  return Object.fromEntries(members.map(([name]) => [name, given.get(name)]));
}

function mayBe(value: unknown, { anyOf, type, enum: choices, minimum = 0 }: Schema): boolean {
  if (anyOf) return anyOf.some((one) => mayBe(value, one));
  if (choices) return choices.some((one) => one === value);
  return type === 'integer' && Number.isSafeInteger(value) && (value as number) >= minimum;
}

/** How a program opens: as its author chose and, in what the author left open, as the reader
 * prefers. Where neither says, the default stands at the place of use. */
export function openingOf(chosen: Opening, preferred: Opening): Opening {
  // A depth and a number of boxes both say what is open: they come from the same hand.
  const opens = chosen.depth != null || chosen.boxes != null;
  const { depth, boxes, ...others } = preferred;
  return { ...(opens ? others : preferred), ...chosen };
}
