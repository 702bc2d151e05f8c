/** Sentences on the persistent compilation cache. */
import { expect, test } from 'vitest';
import { persistentHitText, persistentText } from '../src/words/events/log-words';
import { event, log } from './logs';

const compiled = (cached: boolean | null, saved: number | null = null) =>
  event({ kind: 'compile', cached, saved });

test('a compilation that was found says what that saved', () => {
  expect(persistentHitText(compiled(true, 1.25))).toBe(
    'from the persistent cache, which saved at least 1.3 s',
  );
  expect(persistentHitText(compiled(true, -0.01))).toBe('from the persistent cache');
  expect(persistentHitText(compiled(true))).toBe('from the persistent cache');
  expect(persistentHitText(compiled(false))).toBe('');
});

test('a log has hits, misses and the seconds saved', () => {
  const events = [compiled(true, 1.25), compiled(true, -0.5), compiled(false), compiled(null)];
  expect(persistentText(log({ events }))).toBe(
    'persistent cache: 2 hits, 1 miss, at least 1.3 s saved',
  );
  expect(persistentText(log({ events: events.slice(2) }))).toBe('persistent cache: 1 miss');
  expect(persistentText(log({ events: events.slice(3) }))).toBe('');
  expect(persistentText(log({ events, omitted: 9 }))).toBe(
    'persistent cache, of the events listed: 2 hits, 1 miss, at least 1.3 s saved',
  );
});
