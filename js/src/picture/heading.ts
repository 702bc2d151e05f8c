import { DIFFERENCE_KINDS, numberOf } from '../facts/compared/difference-kinds';
import type { Differences } from '../facts/compared/differences';
import { totals } from '../facts/graph';
import { keys } from '../facts/pytree';
import { fixedText } from '../facts/signature';
import { countText } from '../layout/caption';
import { APART, head, MARGIN, oneLine, textWidth } from '../layout/measure';
import type { Program, Stage } from '../schema';
import { type SummaryPart, told } from '../words/difference-words';
import { badgesAt } from './box';
import { BADGE } from './looks';
import { escaped, px, text } from './markup';

/** What stands above a picture. */
export interface Heading {
  /** The program's name. */
  name: string;
  /** What it takes and gives, and what is fixed in it. */
  about: string;
  /** How much it holds; empty where a line below tells it. */
  count: string;
  /** Of two programs what they are called, and how they differ. */
  differs: { names: string; told: readonly SummaryPart[] } | null;
}

/** Columns of the heading's texts. */
const ROOM = { name: 40, signature: 64, fixed: 80 };
/** What the eqns of later stages are called, where those of the jaxpr are just eqns. */
const OF: Record<string, string> = { stablehlo: ' of StableHLO', hlo: ' of optimized HLO' };

/** Px of the line with the program's name, and of the one below it. */
const LINE = 34;
const SECOND = 20;

export function headingOf(
  program: Program,
  stage: Stage,
  differences: Differences | null,
): Heading {
  const fixed = head(oneLine(fixedText(program)), ROOM.fixed);
  const signature = head(signatureOf(program), ROOM.signature);
  return {
    name: head(oneLine(program.name), ROOM.name),
    about: fixed === '' ? signature : `${signature} · ${fixed}`,
    count: differences ? '' : eqnsOf(stage),
    differs: differences && { names: namesOf(differences), told: told(differences, stage) },
  };
}

function namesOf({ compared: { before, after } }: Differences): string {
  const named = (name: string) => head(oneLine(name), ROOM.name);
  return before === after ? 'before → after' : `${named(before)} → ${named(after)}`;
}

function eqnsOf(stage: Stage): string {
  const total = totals(stage)[0] ?? 0;
  const count = `${countText(total)} ${total === 1 ? 'eqn' : 'eqns'}`;
  return count + (OF[stage.kind] ?? '');
}

/** `(params, x) → f32[]`: the arguments by name, the results by type. */
export function signatureOf({ args, results }: Program): string {
  const names = new Set(args.map(({ path }) => oneLine(keys(path)[0] ?? '')));
  const types = results.slice(0, 3).map(({ aval }) => oneLine(aval.text));
  const rest = results.length - types.length;
  if (rest > 0) types.push(`… ${rest.toLocaleString('en')} more`);
  return `(${[...names].join(', ')}) → ${types.join(', ') || '()'}`;
}

export const heightOf = ({ differs }: Heading): number => LINE + (differs ? SECOND : 0);

/** The least width of a picture with this heading. */
export function widthOf({ name, about, count, differs }: Heading): number {
  const first = textWidth(name + about + count) + 4 * APART + 2 * MARGIN;
  return differs ? Math.max(first, secondLine(differs).width) : first;
}

/** What is written, above a line across the picture's `width`. */
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

/** What two programs are called and how they differ, and the width that this takes. */
function secondLine({ names, told }: NonNullable<Heading['differs']>) {
  const baseline = LINE + 12;
  const parts = [text('n', MARGIN, baseline, names)];
  let x = MARGIN + textWidth(names) + 2 * APART;
  for (const { kind, text: said } of told) {
    if (kind) {
      const { sign } = DIFFERENCE_KINDS[numberOf(kind)]!;
      parts.push(...badgesAt([{ paint: kind, text: sign }], x, LINE + 2));
      x += BADGE.height + 5;
    }
    parts.push(`<text x="${px(x)}" y="${baseline}">${escaped(said)}</text>`);
    x += textWidth(said) + 2 * APART;
  }
  return { parts, width: x - 2 * APART + MARGIN };
}
