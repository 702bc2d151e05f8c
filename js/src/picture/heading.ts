/** Writes the heading of a picture: the program's name, its signature, and its number of eqns or the differences
 * between two programs. */
import { DIFFERENCE_KINDS, type Differences, numberOf } from '../facts/differences';
import { allEqns } from '../facts/graph';
import { joined } from '../facts/text/describe';
import { keys } from '../facts/text/pytree';
import { donatedText, fixedText, typeText } from '../facts/text/types';
import { thousands } from '../language';
import { APART, head, MARGIN, oneLine, textWidth } from '../layout/measure';
import type { Graph, Program, Stage } from '../schema';
import { type SummaryPart, summaryOf } from '../words/difference-words';
import { BADGE } from './appearance';
import { badgesAt } from './box';
import { escaped, oneLined, px, text } from './pen';

/** The texts above a picture. */
export interface Heading {
  /** The program's name. */
  name: string;
  /** Its signature, and the values that are fixed in it. */
  about: string;
  /** The number of eqns; empty for two programs, whose second line says more. */
  count: string;
  /** For two programs: their names, and how they differ. */
  differs: { names: string; summary: readonly SummaryPart[] } | null;
}

/** The most columns of the texts in a heading. */
const TEXT_COLUMNS = { name: 40, signature: 64, fixed: 80, returned: 40 };
/** The name of an eqn in a later stage. */
const EQNS_OF_STAGE: Record<string, string> = {
  stablehlo: 'StableHLO op',
  hlo: 'HLO instruction',
};

/** The height of the line with the program's name, and of the line below it, px. */
const FIRST_LINE = 34;
const SECOND_LINE = 20;

export function headingOf(
  program: Program,
  stage: Stage,
  differences: Differences | null,
): Heading {
  const passed = joined(' · ', [fixedText(program), donatedText(program)]);
  const fixed = head(oneLine(passed), TEXT_COLUMNS.fixed);
  const signature = head(signatureOf(program), TEXT_COLUMNS.signature);
  return {
    name: head(oneLine(program.name), TEXT_COLUMNS.name),
    about: fixed === '' ? signature : `${signature} · ${fixed}`,
    count: differences ? '' : eqnsOf(stage),
    differs: differences && {
      names: namesOf(differences),
      summary: summaryOf(differences, stage),
    },
  };
}

/** The names of both programs. */
function namesOf({ compared: { before, after } }: Differences): string {
  const named = (name: string) => head(oneLine(name), TEXT_COLUMNS.name);
  return before === after ? 'before → after' : `${named(before)} → ${named(after)}`;
}

/** The number of eqns of a stage as text: `142 eqns`, `167 HLO instructions`. */
export function countOf(stage: Stage): string {
  const total = allEqns(stage);
  const name = EQNS_OF_STAGE[stage.kind] ?? 'eqn';
  return `${thousands(total)} ${name}${total === 1 ? '' : 's'}`;
}

/** The number of eqns; for a stage without any, also its results. */
function eqnsOf(stage: Stage): string {
  const [graph] = stage.graphs;
  const returned = graph && allEqns(stage) === 0 ? ` · returns ${returnedBy(graph)}` : '';
  return countOf(stage) + returned;
}

/** The results of a graph without eqns: its inputs by name, and literals. */
function returnedBy({ args, invars, outvars, vars }: Graph): string {
  const names = outvars.map((one) => {
    const name = (vars[one]?.name ?? '').replace(/:[^:]*$/, '');
    return args[invars.indexOf(one)] || name;
  });
  return head(oneLine(names.join(', ')), TEXT_COLUMNS.returned) || 'nothing';
}

/** `(params, x) → f32[]`: the arguments by name, the results by type. */
export function signatureOf({ args, results }: Program): string {
  const names = new Set(args.map(({ path }) => oneLine(keys(path)[0] ?? '')));
  const types = results.slice(0, 3).map(({ aval }) => oneLine(typeText(aval)));
  const rest = results.length - types.length;
  if (rest > 0) types.push(`… ${thousands(rest)} more`);
  return `(${[...names].join(', ')}) → ${types.join(', ') || '()'}`;
}

/** The height of a heading, px. */
export const heightOf = ({ differs }: Heading): number => FIRST_LINE + (differs ? SECOND_LINE : 0);

/** The least width of a picture with this heading, px. */
export function widthOf({ name, about, count, differs }: Heading): number {
  const first = textWidth(name + about + count) + 4 * APART + 2 * MARGIN;
  return differs ? Math.max(first, secondLine(differs).width) : first;
}

/** The texts of the heading, and the line below it across the picture's `width`. */
export function headingParts(heading: Heading, width: number): string[] {
  const { name, about, count, differs } = heading;
  const bold = `<tspan class="b">${escaped(name)}</tspan>`;
  const faint = `<tspan class="n" dx="${APART}">${escaped(about)}</tspan>`;
  return [
    `<path class="r" d="M1 ${heightOf(heading)}H${px(width - 1)}"/>`,
    `<text x="${MARGIN}" y="22">${bold}${faint}</text>`,
    ...(count === '' ? [] : [text('n c', width - MARGIN, 22, count)]),
    ...(differs ? secondLine(differs).parts : []),
  ];
}

/** The second line, for two programs: their names and how they differ. `width` is the px that it
 * takes. */
function secondLine({ names, summary }: NonNullable<Heading['differs']>) {
  const baseline = FIRST_LINE + 12;
  const parts = [text('n', MARGIN, baseline, names)];
  let x = MARGIN + textWidth(names) + 2 * APART;
  for (const { kind, text: own } of summary) {
    if (kind) {
      const { sign } = DIFFERENCE_KINDS[numberOf(kind)]!;
      parts.push(...badgesAt([{ paint: kind, text: sign }], x, FIRST_LINE + 2));
      x += BADGE.height + 5;
    }
    parts.push(`<text x="${px(x)}" y="${baseline}">${oneLined(own)}</text>`);
    x += textWidth(own) + 2 * APART;
  }
  return { parts, width: x - 2 * APART + MARGIN };
}
