import type { Schema } from '../facts/wire/is-record';
import { type Opening, RECORDS } from '../schema';

/** What may have come from anywhere: a notebook's file, a page's classes, the settings of a host. What is
 * no member, or has a value that this member may not have, is as if it were absent. */
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

/** How a program opens: as its author chose, and where that is open as the reader prefers. What
 * neither says is our default, which stands where it is needed. */
export function openingOf(chosen: Opening, preferred: Opening): Opening {
  // A depth and a number of boxes both say what is open: they come from the same hand.
  const opens = chosen.depth != null || chosen.boxes != null;
  const { depth, boxes, ...others } = preferred;
  return { ...(opens ? others : preferred), ...chosen };
}
