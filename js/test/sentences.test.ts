/** The kernel's sentences in the page's language. */
import { afterEach, describe, expect, test } from 'vitest';
import { sentenceText, translateSentences } from '../src/facts/text/sentence-text';
import { isRecord, upgraded } from '../src/facts/wire/records';
import { ENGLISH, type Language, speak } from '../src/language';
import type { Sentence } from '../src/schema';
import { SENTENCES } from '../src/sentences';
import { isFinal, progressText } from '../src/words/kernel-text';
import { english } from './fixtures';

const MARKED: Language = {
  __: (text) => `ko ${text}`,
  _n: (_, more) => `ko ${more}`,
};

const sentence = (key: string, parts: Sentence['parts'], text = 'in English'): Sentence => ({
  key,
  parts,
  text,
});

afterEach(() => {
  speak(ENGLISH);
  translateSentences(new Map());
});

test('an English page shows the text', () => {
  expect(
    sentenceText(sentence('unused', ['x', '2 MiB'], 'the values of `x` are not used: 2 MiB')),
  ).toBe('the values of `x` are not used: 2 MiB');
});

describe('in another language', () => {
  const translated = (sentence: Sentence) => {
    speak(MARKED);
    translateSentences(SENTENCES);
    return sentenceText(sentence);
  };

  test.each([...SENTENCES])('%s: has its parts', (key, texts) => {
    const places = texts.at(-1)?.match(/%\d/g) ?? [];
    const parts = ['%1 %% <b>', 'f32[8]', 'c', 'd', 'e', 'f', 'g'].slice(0, new Set(places).size);
    const shown = translated(sentence(key, texts.length > 1 ? [7, ...parts.slice(1)] : parts));
    expect(shown).toMatch(/^ko /);
    for (const part of parts.slice(texts.length > 1 ? 1 : 0)) expect(shown).toContain(part);
  });

  test('a key that the page does not know is shown in English', () => {
    expect(translated(sentence('of a later jaxviz', []))).toBe('in English');
    expect(translated(english('RuntimeError: no'))).toBe('RuntimeError: no');
    expect(translated(sentence('__proto__', []))).toBe('in English');
  });

  test('a sentence within one is translated, and numbers have their thousands parted', () => {
    const within = sentence('arrays', [1200]);
    expect(translated(sentence('constant, several', [within, '2 MiB']))).toBe(
      'ko the function closes over ko 1,200 arrays: 2 MiB that are part of the program',
    );
  });

  test('sentences nested without end are shown in English', () => {
    let nested = sentence('constant, several', ['x', 'y']);
    for (let depth = 0; depth < 1000; depth++)
      nested = sentence('constant, several', [nested, 'y']);
    expect(translated(nested)).toContain('in English');
  });
});

describe('in a file', () => {
  test('of a format before 6 a sentence is its English text', () => {
    const { what } = upgraded({ what: 'it is `wide`' }, 'Finding', 5) as { what: Sentence };
    expect(what).toEqual(english('it is `wide`'));
    expect(isRecord(what, 'Sentence')).toBe(true);
  });

  test('of a format before 6 words are a text, which stays one', () => {
    const { before } = upgraded({ before: 'absent' }, 'Change', 5) as { before: unknown };
    expect(before).toBe('absent');
    expect(sentenceText('absent')).toBe('absent');
  });

  test('a part may be no other value', () => {
    for (const part of [null, 0.5, [], {}, { ...english(''), more: 1 }])
      expect(isRecord({ key: '', parts: [part], text: '' }, 'Sentence')).toBe(false);
  });
});

test('a progress word is its own key; one of a newer kernel stays as it is', () => {
  speak(MARKED);
  translateSentences(SENTENCES);
  expect(progressText('compiling')).toBe('ko compiling');
  expect(progressText('dreaming')).toBe('dreaming');
});

test('what a program can never have differs from what can be requested again', () => {
  expect(isFinal(sentence('never, nested', [70, 64]))).toBe(true);
  expect(isFinal(sentence('given up', []))).toBe(false);
  expect(isFinal(english('A Lowered does not contain it.'))).toBe(false);
});
