/** The reader answers a question on the page: by a button, or in a field. */
import { deflateSync } from 'node:zlib';
import { act } from 'preact/test-utils';
import { beforeAll, expect, test } from 'vitest';
import compared from '../../tests/lessons/compared.json';
import { readQuiz } from '../src/facts/wire';
import { judge, keyOf } from '../src/quiz/mounted-quiz';
import { type Quiz, VERSION } from '../src/schema';
import { mountQuiz } from '../src/shell';
import { all, click, ending, host, one, texts } from './page';
import { until } from './until';

const quiz = (fields: Partial<Quiz> = {}): Quiz => ({
  version: VERSION,
  name: '2-allowed',
  language: 'en',
  kind: 'choice',
  question: 'Which one works: `len` or `float`?',
  answers: [
    { text: '`float(x)`', right: false, because: 'It needs a number.' },
    { text: '`len(x)`', right: true, because: 'A length is part of the `shape`.' },
  ],
  otherwise: '',
  given: null,
  ...fields,
});
const number = quiz({
  kind: 'number',
  answers: [
    { text: '2', right: true, because: 'So it is.' },
    { text: '4', right: false, because: 'As Python.' },
  ],
  otherwise: 'Count the lines.',
});
const bytesOf = (value: unknown) => new Uint8Array(deflateSync(JSON.stringify(value)));

/** A page reads the code of questions with its first one. */
beforeAll(async () => {
  const element = document.createElement('div');
  const over = new AbortController();
  mountQuiz(element, new Promise(() => {}), over.signal);
  await until(() => element.textContent !== '');
  over.abort();
});

async function mounted(shown: unknown): Promise<void> {
  const read = readQuiz(bytesOf(shown));
  await act(async () => {
    mountQuiz(host, read, ending.signal);
    await read.catch(() => {});
  });
}

const verdict = () => one('[role=status]')?.textContent;

async function type(text: string): Promise<void> {
  const input = one('input') as HTMLInputElement;
  await act(async () => {
    input.value = text;
    input.dispatchEvent(new InputEvent('input', { bubbles: true }));
  });
  await act(async () => {
    one('input')?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  });
}

test.each(compared as [Quiz['kind'], string, string, boolean][])(
  'answers are compared as in Python: %s %j and %j',
  (kind, given, answer, same) => {
    expect(keyOf(given, kind) === keyOf(answer, kind)).toBe(same);
  },
);

test('each choice has its own explanation, and another can be chosen', async () => {
  await mounted(quiz());
  expect(one('.jxv')?.getAttribute('aria-label')).toBe('Question');
  expect(one('.jxv-quiz')?.getAttribute('lang')).toBe('en');
  expect(texts('.jxv-quiz code')).toEqual(['len', 'float', 'float(x)', 'len(x)']);
  expect(verdict()).toBe('');
  click(all('button')[0] as Element);
  expect(verdict()).toBe('✗ It needs a number.');
  click(all('button')[1] as Element);
  expect(verdict()).toBe('✓ A length is part of the shape.');
  expect(texts('[aria-pressed=true]')).toEqual(['len(x)']);
});

test('what Python was given is not wrong if it is no choice', () => {
  expect(judge(quiz(), 'len')).toEqual({ mark: '…', text: 'Give one of the choices.' });
});

test('a number is compared when it is sent, and typing takes the verdict away', async () => {
  await mounted(number);
  await type('4 times');
  expect(verdict()).toBe('✗ As Python.');
  await type('7');
  expect(verdict()).toBe('✗ Count the lines.');
  await type('many');
  expect(verdict()).toBe('… Write one number, such as 3.');
  await type('');
  expect(verdict()).toBe('');
  await type(' 2 ');
  expect(verdict()).toBe('✓ So it is.');
});

test('an answer that Python compared is shown with its verdict', async () => {
  await mounted(quiz({ kind: 'value', given: "['LEN(x)']" }));
  expect(one('.jxv-quiz input, .jxv-quiz button')).toBeNull();
  expect(verdict()).toBe('✓ A length is part of the shape.');
  expect(judge(quiz({ kind: 'value', otherwise: 'Write it.' }), null)).toEqual({
    mark: '…',
    text: 'Write it.',
  });
});

test('two choices that differ only in their form are two answers', () => {
  const answers = ['`2.0`', '`2`'].map((text) => ({ text, right: false, because: text }));
  expect(judge(quiz({ answers }), '`2`')?.text).toBe('`2`');
});

test.each([{}, null, { ...quiz(), answers: 3 }, { ...quiz(), version: VERSION + 1 }])(
  'what is no question is one sentence: %j',
  async (data) => {
    await mounted(data);
    expect(one('.jxv-failure')?.textContent).toMatch(/^jaxviz cannot show this question\. .*\.$/);
  },
);
