/**
 * The page's language: English as in the code, until a host sets another.
 *
 * The functions have gettext's names, as in JupyterLab: `%1`, `%2` in a text are placeholders, and
 * `%%` is a percent sign. `scripts/language.mjs` checks the translations.
 */

/** The part of JupyterLab's `TranslationBundle` that translates; `%1` of `_n` is `n`. */
export interface Language {
  __(text: string, ...args: unknown[]): string;
  _n(one: string, more: string, n: number, ...args: unknown[]): string;
}

export const ENGLISH: Language = {
  __: (text) => text.replaceAll('%%', '%'),
  _n: (one, more, n) => ENGLISH.__(Number(n) === 1 ? one : more),
};

let language = ENGLISH;

/** Sets the page's language. Call before the first render. */
export function speak(other: Language): void {
  language = other;
}

export const __ = (text: string, ...args: unknown[]): string => translate(text, ...args);

/** Marks texts that `translate` shows later. */
export const N_ = (...texts: string[]): readonly string[] => texts;

/** Marks a text and its plural that `translateCount` shows later. */
export const N_n = (one: string, more: string): readonly string[] => [one, more];

export const translate = (text: string, ...args: unknown[]): string =>
  filled(language.__(text, ...args.map(placeOf)), args);

/** `%1` is `n`, with thousands separated. */
export const _n = (one: string, more: string, n: number, ...args: unknown[]): string =>
  translateCount(one, more, n, ...args);

export const translateCount = (
  one: string,
  more: string,
  n: number,
  ...args: unknown[]
): string => {
  const places = args.map((_, index) => placeOf(_, index + 1));
  return filled(language._n(one, more, counted(n), ...places), [thousands(n), ...args]);
};

/** Languages get only placeholders: JupyterLab's also replaces `%% ` in its arguments, and names of
 * a program must stay as they are. */
const placeOf = (_: unknown, index: number): string => `%${index + 1}`;

/** A number that counts as `n`, and is `%1` in a text. */
const counted = (n: number): number => Object.assign(Object(n), { toString: () => '%1' });

/** A number with thousands separated: `1,234` in all languages. The browser's own formatter is slow
 * at first, and the kernel's engine has none. */
export const thousands = (value: number): string =>
  String(value).replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',');

const filled = (text: string, args: readonly unknown[]): string =>
  text.replace(PLACE, (_, index, quote: string, particle?: string) => {
    const name = String(args[Number(index) - 1]);
    return `${name}${quote}${particle ? particleAfter(name, particle) : ''}`;
  });

/** The particles of Korean after a consonant, and after a vowel. A text contains both, as in
 * `%1을(를)`. */
const PARTICLES = new Map([
  ['을(를)', ['을', '를']],
  ['이(가)', ['이', '가']],
  ['은(는)', ['은', '는']],
  ['과(와)', ['과', '와']],
  ['(으)로', ['으로', '로']],
]);

/** A placeholder, a quote that ends there, and a particle. */
const PLACE = /%(\d+)([`”]?)(을\(를\)|이\(가\)|은\(는\)|과\(와\)|\(으\)로)?/g;

function particleAfter(name: string, particle: string): string {
  const [closed, open] = PARTICLES.get(particle)!;
  const end = finalOf(name);
  return end === 'vowel' || (end === 'ㄹ' && particle === '(으)로') ? open! : closed!;
}

/** The first and last code point of Hangul syllables, their number of finals, and the index of ㄹ. */
const [FIRST_SYLLABLE, LAST_SYLLABLE, FINALS, RIEUL] = [0xac00, 0xd7a3, 28, 8];

/** The final sound of a name when it is read in Korean: `64` as 사, `7` as 칠, `model` as 모델, `step`
 * as 스텝. */
function finalOf(name: string): 'vowel' | 'ㄹ' | 'consonant' {
  const word = name.endsWith('%') ? '' : (/([\p{L}\p{N}]+)[^\p{L}\p{N}]*$/u.exec(name)?.[1] ?? '');
  const code = word.charCodeAt(word.length - 1);
  if (code >= FIRST_SYLLABLE && code <= LAST_SYLLABLE) {
    const final = (code - FIRST_SYLLABLE) % FINALS;
    return final === 0 ? 'vowel' : final === RIEUL ? 'ㄹ' : 'consonant';
  }
  if (/[178]$|l$|(?:^|[^aeiou])r$/i.test(word)) return 'ㄹ';
  const isClosed = /[036]$|[mn]$|ng$|(?:shape|type)$|[aeiou][bckpt]$/i.test(word);
  return isClosed && !/iB$/.test(word) ? 'consonant' : 'vowel';
}
