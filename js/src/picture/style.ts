/** Writes the style sheet of a picture: the colours of its boxes, and the looks of its parts. */
import type { ColourClass } from '../facts/colours/colour-schemes';
import type { Colouring } from '../facts/colours/colouring';
import type { DifferenceKind } from '../facts/differences';
import { FONT, SMALL } from '../layout/measure';
import type { Colours, Paint } from './colours';
import { isMarked, type Marks, STRIP } from './looks';

/** The fonts of a picture: monospaced, as its texts are measured in columns. */
export const FAMILY = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace";

/** Fonts and lines that every picture has. */
const SHAPES = `svg{font:${FONT}px ${FAMILY}}
.m,.t,.s,.w{font-size:${SMALL}px}
.m,.w{text-anchor:middle}
.t{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}
.c{text-anchor:end}
.b,.w{font-weight:bold}
.g,.r{stroke-opacity:.4}`;

/** Parts that have the colours of a class, but are only filled, or only a line. */
const PARTS = `.k,.v{stroke:none}
.e,.x,.u,.i,.j{fill:none}
.x{stroke-width:${STRIP.height}px}
.u{stroke-width:.75px;stroke-opacity:.6}`;

/** What is selected, found or linked, and what is faint. */
const MARKED = `.h,.i,.j,.l{stroke-width:2px}
.p{opacity:.3}`;

/** The style sheet: of one theme, or of a light and a dark one between which the reader's system
 * chooses. `signs` are those in the heading. */
export function styleOf(
  marks: Marks,
  signs: readonly DifferenceKind[],
  colours: Colours,
  dark: Colours | null,
): string {
  const themed = (one: Colours) => themeOf(one, marks, signs);
  return [
    SHAPES,
    themed(colours),
    ...(dark ? [`@media (prefers-color-scheme:dark){${themed(dark)}}`] : []),
    PARTS,
    ...(isMarked(marks) ? [MARKED] : []),
  ].join('\n');
}

/** The class of all boxes, as long as it is not known which they have. */
const UNKNOWN: ColourClass = { paint: 'group', label: '', about: '' };

/** The colours of one theme. The classes are, of texts, `n`: notes; `m`, `t`: names and types
 * beside edges and boxes; `s`: ops that do nothing when they run; `w`: signs. Of lines and
 * areas, `f`: triangles; `e`, `a`: edges and arrowheads; `g`, `r`: the ground and a line on it;
 * `o`, `k`: open boxes, and the band behind their titles; `x`, `u`: strips and slanting lines;
 * `v`: the ground of signs; `h`, `l`: what is selected, and its edges; `i`, `j`: rings; `p`:
 * what is faint. */
function themeOf(colours: Colours, marks: Marks, signs: readonly DifferenceKind[]): string {
  const { ground, ink, faint, edge, paints } = colours;
  const classes = marks.colours ? usedClasses(marks.colours) : [UNKNOWN];
  const signed = new Set([...signs, ...classes.flatMap((one) => (one.sign ? [one.paint] : []))]);
  return [
    `text{fill:${ink}}`,
    `.n,.m,.t,.f{fill:${faint}}`,
    `.t{stroke:${ground}}`,
    `.e{stroke:${edge}}`,
    `.a{fill:${edge}}`,
    `.g,.r{fill:${ground};stroke:${edge}}`,
    ...[...new Set(classes.map(({ paint }) => paint))].map((name) =>
      paint(`.${name}`, paints[name]),
    ),
    ...[...signed].map((name) => `.v.${name}{fill:${paints[name]!.line}}`),
    ...(isMarked(marks) ? marked(colours) : []),
    `.o,.w{fill:${ground}}`,
  ].join('\n');
}

/** The classes that boxes have or hold. */
function usedClasses({ classes, of, within }: Colouring): ColourClass[] {
  const used = new Set<number>(of);
  for (const held of within) {
    held?.forEach((count, one) => {
      if (count > 0) used.add(one);
    });
  }
  return classes.filter((_, one) => used.has(one));
}

/** The rule for what has the colours of a class. */
const paint = (selector: string, own: Paint | undefined): string =>
  own ? `${selector}{fill:${own.fill};stroke:${own.line}}` : '';

/** The rules for what is selected, found or linked. */
function marked({ match, paints }: Colours): string[] {
  const { line = match } = paints.selected ?? {};
  return [
    paint('.h', paints.selected),
    `.e.l,.j{stroke:${line}}`,
    `.a.l{fill:${line}}`,
    `.i{stroke:${match}}`,
  ];
}
