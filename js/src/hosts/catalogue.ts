/** Another language where no JupyterLab translates: a page hands over the texts. */
import { ENGLISH, type Language, speak } from '../language';
import { SENTENCES } from '../sentences';
import { translateSentences } from '../words/kernel-text';

/** What stands in place of each text of the code, in the files of `jupyterlab_jaxviz/locale`: a list, as
 * languages with several plurals would have several. */
export type Texts = Readonly<Record<string, readonly string[]>>;

/** From now on; to be called before anything is shown. */
export function speakAs(texts: Texts): void {
  speak(languageOf(texts));
  translateSentences(SENTENCES);
}

/** What is missing stays English. */
export function languageOf(texts: Texts): Language {
  const { __: text, _n: textOf } = ENGLISH;
  const found = (english: string) => texts[english]?.[0] || null;
  return {
    __: (english) => text(found(english) ?? english),
    _n: (one, more, n) => textOf(found(one) ?? one, found(one) ?? more, n),
  };
}
