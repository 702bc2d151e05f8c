import { KINDS, numberOf } from '../facts/compared/difference-kinds';
import { APART, MARGIN, textWidth } from '../layout/measure';
import type { Told } from '../words/difference-words';
import { BADGE, badges } from './badge';
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
  differs: { names: string; told: readonly Told[] } | null;
}

/** Px of the line with the program's name, and of the one below it. */
const LINE = 34;
const SECOND = 20;

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
      const { sign } = KINDS[numberOf(kind)]!;
      parts.push(...badges([{ paint: kind, text: sign }], x, LINE + 2));
      x += BADGE + 5;
    }
    parts.push(`<text x="${px(x)}" y="${baseline}">${escaped(said)}</text>`);
    x += textWidth(said) + 2 * APART;
  }
  return { parts, width: x - 2 * APART + MARGIN };
}
