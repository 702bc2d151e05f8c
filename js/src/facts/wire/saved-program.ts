/** Reads programs from the files that `Program.save` writes as JSON, so that a page opens them
 * without a kernel. */
import { __ } from '../../language';
import { type Program, VERSION } from '../../schema';
import { sizeText } from '../describe';
import { completed, isRecord, toUpdate, upgraded } from '../records';
import { check, checkText, checkVars } from './check-program';

/** The most characters of a file that is read: about 100,000 eqns. */
const LARGEST_FILE = 128 * 1024 * 1024;

/** The most items of a list in it. */
const MOST_ITEMS = 1_000_000;

/** Reads a saved program of this format or an earlier one. Throws one sentence where it is none, or
 * does not fit together, since a file may contain anything. */
export function readSaved(text: string, most = LARGEST_FILE): Program {
  if (text.length > most) {
    throw new Error(
      __(
        'A page reads files of at most %1, and this one has %2: jaxviz.load reads it in a notebook.',
        sizeText(most),
        sizeText(text.length),
      ),
    );
  }
  const saved = parsed(text);
  const version: unknown = Object(saved).version;
  if (!Number.isInteger(version) || !Array.isArray(Object(saved).stages)) throw noProgram();
  const format = version as number;
  if (format > VERSION) {
    throw new Error(`${__('The file is of format %1.', format)} ${toUpdate()}`);
  }
  const data = upgraded(saved, 'Program', format);
  if (!isRecord(data, 'Program', MOST_ITEMS)) throw new Error(__('Its data is damaged.'));
  const program = data as Program;
  checkVars(program);
  check(program);
  checkText(program);
  return completed(program, format);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw noProgram();
  }
}

const noProgram = (): Error =>
  new Error(__('Program.save did not write this file, or a part of it is missing.'));
