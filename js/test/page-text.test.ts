/** Pages of text, as they stand in the package. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ENGLISH, speak } from '../src/language';
import { pageText } from '../src/words/kernel-text';

const FOLDER = join(import.meta.dirname, '../../jaxviz/pages');
const written = (language: string, kind: string): string =>
  readFileSync(join(FOLDER, language, `${kind}.md`), 'utf8');
const KINDS = readdirSync(join(FOLDER, 'en')).map((file) => file.replace('.md', ''));

afterEach(() => speak(ENGLISH));

test.each(KINDS)('nothing of a page is lost: %s', (kind) => {
  const text = written('en', kind);
  const { title, searched, why, more } = pageText({ en: text, ko: '' });
  const parts = more.map((block) => {
    if (block.kind === 'code') return ['```python', ...block.lines, '```'].join('\n');
    return block.kind === 'heading' ? `## ${block.text}` : block.text;
  });
  expect(`${[`# ${title}${searched}`, why, ...parts].join('\n\n')}\n`).toBe(text);
});

test('a page is read in the language of the reader', () => {
  const page = { en: written('en', 'mask'), ko: written('ko', 'mask') };
  const searched = ' (NonConcreteBooleanIndexError)';
  const title = 'A mask would decide the shape of the result';
  expect(pageText(page)).toMatchObject({ title, searched });
  speak({ __: (text) => (text === 'en' ? 'ko' : text), _n: (one) => one });
  expect(pageText(page)).toMatchObject({
    title: '마스크가 결과의 shape을 정하게 됩니다',
    searched,
  });
});
