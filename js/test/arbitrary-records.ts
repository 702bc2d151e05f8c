import fc from 'fast-check';
import type { Schema } from '../src/facts/wire/records';
import { RECORDS } from '../src/schema';
import { SENTENCES } from '../src/sentences';

type Name = keyof typeof RECORDS;

const NASTY = ['', '__proto__', 'constructor', '<img src=x onerror=alert(1)>', '\ud800', 'f32[8]'];

const SENTENCE = '#/definitions/Sentence';

const SECONDS = fc.double({ min: 0, max: 5, noNaN: true });

/** Any record, whatever it means: what its fields say of their types is all that holds. */
export function anyRecord(name: Name): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries<Schema>(RECORDS[name]);
  return fc.record(Object.fromEntries(fields.map(([field, schema]) => [field, any(schema)])));
}

/** A sentence with sentences within it. */
const anySentence = () =>
  fc.letrec((again) => ({
    sentence: fc.record({
      key: fc.constantFrom('', '__proto__', ...SENTENCES.keys()),
      parts: fc.array(fc.oneof({ maxDepth: 2 }, fc.string(), fc.nat(), again('sentence'))),
      text: fc.string(),
    }),
  })).sentence;

function any({ type, anyOf, items, $ref }: Schema): fc.Arbitrary<unknown> {
  if (anyOf) return fc.oneof(...anyOf.map(any));
  if ($ref === SENTENCE) return anySentence();
  if ($ref !== undefined) return anyRecord($ref.slice('#/definitions/'.length) as Name);
  if (items) return fc.array(any(items), { maxLength: 5 });
  if (type === 'integer') return fc.oneof(fc.nat(6), fc.maxSafeInteger());
  if (type === 'number') return fc.oneof(SECONDS, fc.constantFrom(0, 1e12));
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  return fc.oneof(fc.constantFrom(...NASTY), fc.string());
}
