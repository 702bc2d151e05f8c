/** Reads programs, reports and logs from the files that `save` writes as JSON, so that a page opens them
 * without a kernel. */
import { __ } from '../../language';
import { type Log, type Program, type Report, VERSION } from '../../schema';
import { reportIn } from '../reports';
import { sizeText } from '../text/describe';
import { logIn } from '.';
import { check, checkText, checkVars } from './check-program';
import { completed, isRecord, toUpdate, upgraded } from './records';

/** The most characters of a file that is read: about 100,000 eqns. */
const LARGEST_FILE = 128 * 1024 * 1024;

/** The most items of a list in it. */
const MOST_ITEMS = 1_000_000;

/** What a file has: a log, or a program with what a tool reports on it. */
export type Saved = { log: Log } | { program: Program; report: Report | null };

/** Reads what `save` wrote, of this format or an earlier one. Throws one sentence if it is something else, or
 * contradicts itself, since a file may contain anything. */
export function readSaved(text: string, most = LARGEST_FILE): Saved {
  if (text.length > most) {
    throw new Error(
      __(
        'A page reads files of at most %1, and this one has %2: jaxviz.load reads it in a notebook.',
        sizeText(most),
        sizeText(text.length),
      ),
    );
  }
  const saved = Object(parsed(text));
  const format: unknown = saved.version;
  const isLog = Array.isArray(saved.events);
  const isReport = saved.report !== undefined;
  if (!isFormat(format) || !(isLog || isReport || Array.isArray(saved.stages))) throw noProgram();
  if (format > VERSION) {
    throw new Error(`${__('The file is of format %1.', format)} ${toUpdate()}`);
  }
  if (isLog) return { log: logIn(saved) };
  if (!isReport) return { program: programIn(saved, format), report: null };
  const of = Object(upgraded(saved, 'SavedReport', format));
  const report = reportIn(of.report, MOST_ITEMS);
  if (report === null) throw damaged();
  return { program: programIn(of.program, format), report };
}

const isFormat = (version: unknown): version is number => Number.isInteger(version);

function programIn(saved: unknown, format: number): Program {
  const data = upgraded(saved, 'Program', format);
  if (!isRecord(data, 'Program', MOST_ITEMS)) throw damaged();
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

const damaged = (): Error => new Error(__('Its data is damaged.'));
