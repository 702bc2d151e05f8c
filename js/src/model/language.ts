/**
 * The language of the page: English as it stands in the code, until a host has another.
 *
 * The functions bear gettext's names, as JupyterLab's own do: a text holds `%1`, `%2` for what
 * stands in it, and `%%` for a percent sign. `scripts/language.mjs` keeps the translations whole.
 */

/** What JupyterLab's `TranslationBundle` and English have in common. */
export interface Language {
  __(text: string, ...args: unknown[]): string;
  /** `%1` is `n`, written with its thousands parted. */
  _n(one: string, more: string, n: number, ...args: unknown[]): string;
}

/** As it stands in the code. */
export const ENGLISH: Language = {
  __: formatted,
  _n: (one, more, n, ...args) => formatted(Number(n) === 1 ? one : more, n, ...args),
};

let language = ENGLISH;

/** From now on; to be called before anything is shown. */
export function speak(other: Language): void {
  language = other;
}

export const __ = (text: string, ...args: unknown[]): string => language.__(text, ...args);

export const _n = (one: string, more: string, n: number, ...args: unknown[]): string =>
  language._n(one, more, written(n), ...args);

/** A number that counts as it is, and stands in a text as people write it. */
const written = (n: number): number =>
  Object.assign(Object(n), { toString: () => numbers.format(n) });

const numbers = new Intl.NumberFormat('en');

function formatted(text: string, ...args: unknown[]): string {
  return text.replace(/%(?:%|(\d+))/g, (_, index) =>
    index === undefined ? '%' : String(args[Number(index) - 1]),
  );
}
