/** The page in Korean, as JupyterLab's own gettext reads the file, and as we do where there is none. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Gettext } from '@jupyterlab/translation';
import { render } from 'preact';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sentenceText } from '../src/facts/text/sentence-text';
import { languageOf, speakAs } from '../src/hosts/catalogue';
import { __, _n, ENGLISH, type Language, speak } from '../src/language';
import { phrase } from '../src/shell/parts/controls';

const DOMAIN = 'jupyterlab_jaxviz';
const FILE = `../../${DOMAIN}/locale/ko_KR/LC_MESSAGES/${DOMAIN}.json`;

const texts = JSON.parse(readFileSync(join(import.meta.dirname, FILE), 'utf8'));

function gettext(): Language {
  const { plural_forms: pluralForms } = texts[''];
  const korean = new Gettext({ domain: DOMAIN, locale: 'ko-KR' });
  korean.loadJSON({ ...texts, '': { ...texts[''], pluralForms } }, DOMAIN);
  return korean;
}

describe.each([
  ['in JupyterLab', gettext()],
  ['on a site', languageOf(texts)],
])('%s', (_where, korean) => {
  beforeAll(() => speak(korean));
  afterAll(() => speak(ENGLISH));

  test('a text, and what stands in it where Korean has it', () => {
    expect(__('Clear')).toBe('지우기');
    expect(__('%1 in %2', 'add', 'loss')).toBe('loss 안의 add');
    expect(__('not among the texts')).toBe('not among the texts');
  });

  test('names of a program stand as they are', () => {
    expect(__('%1 in %2', '100%% of', '%1 %%')).toBe('%1 %% 안의 100%% of');
    expect(_n('%2 of %1 place', '%2 of %1 places', 5, '%1 %% ')).toBe('5곳 중 %1 %% ');
  });

  test('numbers that count', () => {
    expect(_n('%1 trace', '%1 traces', 1)).toBe('trace 1회');
    expect(_n('%1 trace', '%1 traces', 12345)).toBe('trace 12,345회');
    expect(_n('%2 of %1 place', '%2 of %1 places', 5, 2)).toBe('5곳 중 2');
  });

  test('an element stands where Korean has it', () => {
    const element = document.createElement('p');
    const compiling = phrase((made) => __('compiling %1 of %2', made, '9 ms'), <b>3 ms</b>);
    render(compiling, element);
    expect(element.textContent).toBe('9 ms 중 컴파일 3 ms');
    expect(element.querySelector('b')?.textContent).toBe('3 ms');
  });
});

describe('a particle follows its name', () => {
  const korean: Language = { __: (text) => text, _n: (_, more) => more };
  beforeAll(() => speak(korean));
  afterAll(() => speak(ENGLISH));

  test.each([
    [
      '%1을(를) 씁니다',
      ['x', '3', '64', '128', '1,000', 'step', 'loss', 'model', '키', '값', "p['w']"],
      [
        'x를',
        '3을',
        '64를',
        '128을',
        '1,000을',
        'step을',
        'loss를',
        'model을',
        '키를',
        '값을',
        "p['w']를",
      ],
    ],
    [
      '`%1`이(가) 씁니다',
      ['train', 'layer', 'jaxpr', '손실'],
      ['`train`이', '`layer`가', '`jaxpr`이', '`손실`이'],
    ],
    [
      '%1은(는) 씁니다',
      ['f32[8,64]', 'f32[3]', '5 %', '80 KiB', 'shape'],
      ['f32[8,64]는', 'f32[3]은', '5 %는', '80 KiB는', 'shape은'],
    ],
    ['“%1”과(와) 씁니다', ['a', 'sum'], ['“a”와', '“sum”과']],
    [
      '%1(으)로 씁니다',
      ['8', '7', '3', '0', '2', 'model', 'step', 'int8', '서울', '배열', '값'],
      [
        '8로',
        '7로',
        '3으로',
        '0으로',
        '2로',
        'model로',
        'step으로',
        'int8로',
        '서울로',
        '배열로',
        '값으로',
      ],
    ],
  ])('%s', (text, names, expected) => {
    expect(names.map((name) => __(text, name))).toEqual(expected.map((one) => `${one} 씁니다`));
  });
});

test('the kernel is heard in Korean on a site', () => {
  speakAs(texts);
  const text = 'pass `x` the same way every time';
  expect(sentenceText({ key: 'style', parts: ['x'], text })).toBe(
    '`x`: 항상 같은 방식으로 전달하세요',
  );
  speak(ENGLISH);
});
