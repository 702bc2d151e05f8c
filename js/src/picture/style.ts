import type { ColourClass } from '../facts/colours/colour-classes';
import { FONT, SMALL } from '../layout/measure';
import { type Colours, DARK, LIGHT } from './colours';

export const FAMILY = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace";

const SHAPES = `svg{font:${FONT}px ${FAMILY}}
.m,.t,.s{font-size:${SMALL}px}
.m{text-anchor:middle}
.t{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}
.c{text-anchor:end}
.b{font-weight:bold}
.e,.d{fill:none}
.d{stroke-dasharray:5 4}
.g,.r{stroke-opacity:.4}`;

/** Of op families: a call is a box with a broken line until it is opened. */
const OF_FAMILIES = `.call{stroke-dasharray:4 3}
.o{stroke-dasharray:none}
.k{stroke:none}`;

/** Of two programs: signs, and the lines of what was removed or retyped. */
const OF_CHANGES = `.removed{stroke-dasharray:5 3}
.retyped{stroke-dasharray:1.5 2.5}
.k,.v{stroke:none}
.w{font-size:${SMALL}px;font-weight:bold;text-anchor:middle}`;

/** The style sheet of a picture: light, or dark where the reader's system is, as it stands on a ground
 * of its own. */
export function styleOf(classes: readonly ColourClass[]): string {
  const signed = classes.some(({ sign }) => sign);
  const dark = `@media (prefers-color-scheme:dark){${themed(DARK, classes, signed)}}`;
  const shapes = signed ? OF_CHANGES : OF_FAMILIES;
  return [SHAPES, themed(LIGHT, classes, signed), dark, shapes].join('\n');
}

/** `n`: notes; `m`, `t`: names and types beside edges and boxes; `f`: triangles; `e`, `d`, `a`: edges,
 * what returns, arrowheads; `g`, `r`: the ground and a line on it; `o`: open boxes; `v`, `w`: signs. */
function themed(colours: Colours, classes: readonly ColourClass[], signed: boolean): string {
  const { ground, ink, faint, edge } = colours;
  const used = new Set(classes.map(({ paint }) => paint));
  const paints = Object.entries(colours.paints).filter(([name]) => used.has(name));
  const loud = paints.filter(([name]) => signed && name !== 'pill');
  return [
    `text{fill:${ink}}`,
    `.n,.m,.t,.f{fill:${faint}}`,
    `.t{stroke:${ground}}`,
    `.e,.d{stroke:${edge}}`,
    `.a{fill:${edge}}`,
    `.g,.r{fill:${ground};stroke:${edge}}`,
    ...paints.map(([name, { fill, line }]) => `.${name}{fill:${fill};stroke:${line}}`),
    ...loud.map(([name, { line }]) => `.v.${name}{fill:${line}}`),
    `.o{fill:${ground}}`,
    ...(signed ? [`.w{fill:${ground}}`] : []),
  ].join('\n');
}
