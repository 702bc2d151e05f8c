/** Reads outputs of jaxviz from a notebook, in this format and all earlier ones. */
import { reportIn } from '../../facts/reports';
import { fits, newer, upgraded } from '../../facts/wire/records';
import { __ } from '../../language';
import {
  type Display,
  type LogDisplay,
  type QuizDisplay,
  RECORDS,
  type Sentence,
  VERSION,
} from '../../schema';
import { openingIn } from '../../state/preferences';

/** The most characters of an output that are read; jaxviz saves at most 200 kB. */
const LARGEST_OUTPUT = 4_000_000;

/** Reads the data of a program's output. Returns one sentence if it cannot be shown. */
export function readDisplay(data: unknown): Display | string {
  const found = readOutput(data, 'Display', 'program');
  if (typeof found === 'string') return found;
  const { jaxviz, program, partial, stage, opening, key, since, can_step } = found;
  const report = reportIn(found.report);
  if (
    typeof program !== 'string' ||
    typeof key !== 'string' ||
    !fits(partial, RECORDS.Display.partial) ||
    (found.report !== null && report === null)
  ) {
    return damaged();
  }
  return {
    version: VERSION,
    jaxviz: String(jaxviz),
    program,
    partial: partial as Sentence | null,
    opening: openingIn({ stage, ...Object(opening) }), // formats 1 and 2 have the stage alone
    key,
    since: String(since),
    report,
    can_step: can_step === true,
  };
}

/** Reads the data of a log's output. Returns one sentence if it cannot be shown. */
export function readLogDisplay(data: unknown): LogDisplay | string {
  const found = readOutput(data, 'LogDisplay', 'log');
  if (typeof found === 'string') return found;
  const { jaxviz, log, strip, key } = found;
  if (typeof log !== 'string' || typeof strip !== 'boolean' || typeof key !== 'string') {
    return damaged();
  }
  return { version: VERSION, jaxviz: String(jaxviz), log, strip, key };
}

/** Reads the data of a question's output. Returns one sentence if it cannot be shown. */
export function readQuizDisplay(data: unknown): QuizDisplay | string {
  const found = readOutput(data, 'QuizDisplay', 'quiz');
  if (typeof found === 'string') return found;
  const { jaxviz, quiz } = found;
  if (typeof quiz !== 'string') return damaged();
  return { version: VERSION, jaxviz: String(jaxviz), quiz };
}

const damaged = (): string => __('This output of jaxviz is damaged: run the cell again to see it.');

/** Reads an output of this format or an earlier one, if `field` is not too large. Returns one sentence
 * if it cannot be read. */
function readOutput(
  data: unknown,
  name: 'Display' | 'LogDisplay' | 'QuizDisplay',
  field: string,
): Record<string, unknown> | string {
  if (!isObject(data) || !isFormat(data.version)) {
    return __('This output was not made by jaxviz: run the cell again to see it.');
  }
  if (data.version > VERSION) return newer(data.version, data.jaxviz);
  const content = data[field];
  if (typeof content === 'string' && content.length > LARGEST_OUTPUT) {
    return __(
      'This output is larger than jaxviz ever saves, so it is not read: run the cell again.',
    );
  }
  return upgraded(data, name, data.version) as Record<string, unknown>;
}

const isFormat = (version: unknown): version is number =>
  typeof version === 'number' && Number.isInteger(version) && version >= 1;

function isObject(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null;
}
