/**
 * The language of the page: English as it stands in the code, until a host has another.
 *
 * The functions bear gettext's names, as JupyterLab's own do: a text holds `%1`, `%2` for what
 * stands in it, and `%%` for a percent sign. `scripts/language.mjs` keeps the translations whole.
 */

/** Of JupyterLab's `TranslationBundle` what puts a text into another language; `%1` of `_n` is `n`. */
export interface Language {
  __(text: string, ...args: unknown[]): string;
  _n(one: string, more: string, n: number, ...args: unknown[]): string;
}

/** As it stands in the code. */
export const ENGLISH: Language = {
  __: (text) => text.replaceAll('%%', '%'),
  _n: (one, more, n) => ENGLISH.__(Number(n) === 1 ? one : more),
};

let language = ENGLISH;

/** From now on; to be called before anything is shown. */
export function speak(other: Language): void {
  language = other;
}

export const __ = (text: string, ...args: unknown[]): string => translate(text, ...args);

/** Marks texts that are shown later, by `translate`. */
export const N_ = (...texts: string[]): readonly string[] => texts;

/** Marks a text and its plural that are shown later, by `translateCount`. */
export const N_n = (one: string, more: string): readonly string[] => [one, more];

export const translate = (text: string, ...args: unknown[]): string =>
  filled(language.__(text, ...args.map(placeOf)), args);

/** `%1` is `n`, written with its thousands parted. */
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

/** A language is handed places alone: JupyterLab's takes `%% ` for a percent sign in what it is
 * handed, too, and names of a program are to stay as they are. */
const placeOf = (_: unknown, index: number): string => `%${index + 1}`;

/** A number that counts as it is, and stands in a text as its place. */
const counted = (n: number): number => Object.assign(Object(n), { toString: () => '%1' });

/** A number with its thousands parted: `1,234`, the same in all languages. The browser's own takes long when it is
 * first asked, and the kernel's engine has none. */
export const thousands = (value: number): string =>
  String(value).replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',');

const filled = (text: string, args: readonly unknown[]): string =>
  text.replace(/%(\d+)/g, (_, index) => String(args[Number(index) - 1]));
