/** The sentences of the kernel that the page knows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { ENGLISH, speak } from '../src/language';
import { inPageLanguage } from '../src/words/kernel-words';

const SENTENCES = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../tests/kernel_words.json'), 'utf8'),
) as string[];

afterEach(() => speak(ENGLISH));

describe.each(SENTENCES)('%s', (sentence) => {
  test('stays as it is in English', () => {
    expect(inPageLanguage(sentence)).toBe(sentence);
  });

  test('is known in another language', () => {
    speak({ __: (text, ...args) => [`ko ${text}`, ...args].join(), _n: () => '' });
    expect(inPageLanguage(sentence)).toMatch(/^ko /);
  });
});

test('what is not known stays as it is', () => {
  speak({ __: () => 'ko', _n: () => 'ko' });
  expect(inPageLanguage('JAX could not lower the program.')).toBe(
    'JAX could not lower the program.',
  );
  expect(inPageLanguage('')).toBe('');
});
