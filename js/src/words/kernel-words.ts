/**
 * Translates the kernel's English sentences into the page's language. They stand here as the kernel makes them,
 * with `%1` and `%2` for what varies; `tests/kernel_words.json` has an example of each.
 */
import { N_, translate } from '../language';

const SENTENCES = N_(
  // jaxviz/analysis/retraces/reasons.py
  'by position',
  'by keyword',
  'left out',
  'no mesh',
  'uncommitted',
  'absent',
  'tuple of %1',
  'list of %1',
  'empty tuple',
  'empty list',
  'empty dict',
  'committed to %1',
  // jaxviz/analysis/retraces/cache_keys.py, jaxviz/capture/events/hits.py
  'weak',
  'not weak',
  '%1 taken as %2',
  // jaxviz/tools/nan/capture/__init__.py
  'scan, index %1',
  'while, iteration %1',
  'cond, branch %1',
  // jaxviz/tools/job/agree.py
  'the jaxprs are equal, and lowered to different StableHLO',
  'their jaxprs differ',
  'the function is %1, not %2',
  // jaxviz/analysis/collectives/causes.py
  'dimension %1 of %2 is split along %3: each device reduces %4 of %5, and their results are combined',
  'dimension %1 of %2 is split along %3: each device reduces %4 of %5, and their results are combined (one of %6 values that are sent at once)',
  'dimension %1 of %2 is split along %3: each device reduces %4 of %5, and their results are combined in %6 steps; this is step %7',
  'dimensions %1 of %2 are together split along %3: each device reduces %4 of %5 places, and their results are combined',
  'dimensions %1 of %2 are together split along %3: each device reduces %4 of %5 places, and their results are combined in %6 steps; this is step %7',
  'dimensions %1 of %2 are together split along %3: each device reduces %4 of %5 places, and their results are combined (one of %6 values that are sent at once)',
  'dimension %1 of %2 is split along %3 before this, and whole on each device after it',
  'dimension %1 of %2 is split along %3 before this, and whole on each device after it (a slice of it at a time)',
  'dimension %1 of %2 is split along %3 before this, and dimension %4 after it',
  'dimension %1 of %2 is split along %3: each device sends %4 of its %5 places to the next',
  'dimension %1 of %2 is split along %3: each device sends %4 of its %5 places to the previous',
  // jaxviz/analysis/links/inserted.py
  'a cast, as XLA computes in %1 here what the program has in %2',
  'a cast, as XLA computes %1 of %2 in %3 here',
  'a copy into the layout that is needed next',
  'a copy, so that nothing is overwritten that is still needed',
  "a move of values between devices, as XLA's partitioner has chosen",
);

/** Each sentence, and how it is found: of several that fit, the one that says most. */
const KNOWN = SENTENCES.map((sentence) => ({
  sentence,
  pattern: patternOf(sentence),
  said: sentence.replace(/%\d/g, '').length,
})).sort((one, other) => other.said - one.said);

/** A sentence of the kernel in the page's language; an unknown sentence stays as it is. */
export function inPageLanguage(sentence: string): string {
  for (const { pattern, sentence: english } of KNOWN) {
    const found = pattern.exec(sentence);
    if (found) return translate(english, ...found.slice(1));
  }
  return sentence;
}

/** What a sentence of the kernel matches that has something in its places. */
function patternOf(english: string): RegExp {
  const escaped = english.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/%\d/g, '(.+?)')}$`, 's');
}
