/** Reads files that `save` wrote: programs, reports and logs as JSON. */
import { __ } from '../../language';
import {
  type Eqn,
  type Graph,
  type Log,
  type Program,
  type Report,
  type Stage,
  VERSION,
} from '../../schema';
import { reportIn } from '../reports';
import { sizeText } from '../text/describe';
import { logIn } from '.';
import { check, isIndex, unfit } from './check-program';
import { completed, isRecord, toUpdate, upgraded } from './records';

/** The most characters of a file that is read: about 100,000 eqns. */
const LARGEST_FILE = 128 * 1024 * 1024;

/** The most items of a list in it. */
const MOST_ITEMS = 1_000_000;

/** The contents of a file: a log, or a program with the report of a tool on it. */
export type Saved = { log: Log } | { program: Program; report: Report | null };

/** Reads a file that `save` wrote, of this format or an earlier one. Throws one sentence if it is something else or
 * inconsistent, since a file may contain anything. */
export function readSaved(text: string, most = LARGEST_FILE): Saved {
  if (text.length > most) {
    throw new Error(
      __(
        'This file has %2, and a page reads at most %1: load it in a notebook with jaxviz.load.',
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

/** Throws unless all vars that eqns use and make belong to their graph, and each is made before it is used. Programs
 * sent in columns are checked for this as they are restored (`short-forms.ts`). */
function checkVars({ stages }: Program): void {
  if (!stages.every(({ graphs }) => graphs.every(hasValidVars))) throw unfit();
}

function hasValidVars({ vars, constvars, invars, outvars, eqns }: Graph): boolean {
  const made = Uint8Array.from(vars, ({ literal }) => Number(literal));
  const used = new Uint8Array(vars.length);
  const isMade = (one: number) => isIndex(one, vars.length) && made[one] === 1;
  const use = (variables: readonly number[]) => {
    for (const one of variables) used[one] = 1;
  };
  const make = (variables: readonly number[]) =>
    variables.every((one) => {
      made[one] = 1;
      return isIndex(one, vars.length) && used[one] === 0;
    });
  if (!make(constvars) || !make(invars)) return false;
  use(constvars);
  use(invars);
  const isInTurn = ({ invars, outvars, was = [] }: Eqn) => {
    use(invars);
    use(was);
    return invars.every(isMade) && was.every(isMade) && make(outvars);
  };
  return eqns.every(isInTurn) && outvars.every(isMade);
}

/** Throws unless all eqns are printed within the text of their stage. */
function checkText({ stages }: Program): void {
  const isWithin = ({ text, graphs }: Stage) => {
    const length = /[\ud800-\udbff]/.test(text) ? [...text].length : text.length;
    return graphs.every(({ eqns }) =>
      eqns.every(({ span }) => {
        if (span === null) return true;
        const [start = -1, stop = -1, ...more] = span;
        return more.length === 0 && start >= 0 && start <= stop && stop <= length;
      }),
    );
  };
  if (!stages.every(isWithin)) throw unfit();
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
