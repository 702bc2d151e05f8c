/** The page's language without JupyterLab's translator: the host page passes all texts. */

import { translateSentences } from '../facts/text/sentence-text';
import { ENGLISH, type Language, speak } from '../language';
import { SENTENCES } from '../sentences';

/** The translation of each English text, as in `jupyterlab_jaxviz/locale`. A list, because some
 * languages have several plurals. */
export type Texts = Readonly<Record<string, readonly string[]>>;

/** Sets the page's language. Call before the first render. */
export function speakAs(texts: Texts): void {
  speak(languageOf(texts));
  translateSentences(SENTENCES);
}

/** Texts without a translation stay English. */
export function languageOf(texts: Texts): Language {
  const { __: text, _n: textOf } = ENGLISH;
  const found = (english: string) => texts[english]?.[0] || null;
  return {
    __: (english) => text(found(english) ?? english),
    _n: (one, more, n) => textOf(found(one) ?? one, found(one) ?? more, n),
  };
}
