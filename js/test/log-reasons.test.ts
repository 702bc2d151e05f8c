/** Reasons in words, equal to the kernel's. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Change } from '../src/schema';
import { differenceOf, grouped, reasonText } from '../src/words/events/changes';

type Four = [string, string, string, string];

const CASES = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../tests/reason_texts.json'), 'utf8'),
) as { reason: Four[]; text: string }[];

const change = ([kind, where, before, after]: Four): Change => ({ kind, where, before, after });

describe('a reason', () => {
  test.each(CASES)('reads as in the kernel: $text', ({ reason, text }) => {
    expect(reasonText(reason.map(change))).toBe(text);
  });

  test('marks what was and what is', () => {
    expect(differenceOf(change(['shape', 'x', 'f32[8,32]', 'f32[5,32]']))).toEqual([
      { text: 'f32', of: 'both' },
      { text: '[', of: 'both' },
      { text: '8', of: 'before' },
      { text: '→', of: 'both' },
      { text: '5', of: 'after' },
      { text: ', ', of: 'both' },
      { text: '32', of: 'both' },
      { text: ']', of: 'both' },
    ]);
  });

  test('is grouped by kinds, and the same at several places is said once', () => {
    const reason = [
      change(['style', 'x', 'by position', 'by keyword']),
      change(['shape', 'x', 'f32[8]', 'f32[5]']),
      change(['style', 'y', 'by position', 'by keyword']),
    ];
    const seen = grouped(reason).map(({ kind, changes }) => [kind, changes.map((c) => c.wheres)]);
    expect(seen).toEqual([
      ['style', [['x', 'y']]],
      ['shape', [['x']]],
    ]);
  });
});
