import { textWidth } from '../layout/measure';
import { rgbOf } from '../picture/rgb';

/** Where a canvas's baselines lie above that of the letters, em. */
const BASELINES = new Map([
  ['top', 0.77],
  ['middle', 0.27],
]);
const ANCHORS = new Map([
  ['center', 'middle'],
  ['right', 'end'],
]);

type Attributes = readonly (readonly [string, string])[];

/** A shape on its way: what it is, and its attributes. */
interface Mark {
  kind: string;
  attributes: Attributes;
  content: string;
}

/**
 * A canvas's context that writes SVG: just the calls that `paint` makes. What is filled and then
 * stroked is one shape, and text one element with its halo, so that it is found and copied once.
 */
export class SvgInk {
  fillStyle = '#000';
  strokeStyle = '#000';
  lineWidth = 1;
  lineJoin = 'miter';
  globalAlpha = 1;
  font = '10px monospace';
  textAlign = 'left';
  textBaseline = 'alphabetic';
  private dash: readonly number[] = [];
  private path = '';
  /** Where the path is a single rectangle, that. */
  private box: Attributes | null = null;
  private halo: { text: string; attributes: Attributes } | null = null;
  private readonly parts: string[] = [];
  private last: Mark | null = null;
  private grouped = false;

  /** `family` is the picture's font. */
  constructor(private readonly family: string) {
    Object.preventExtensions(this);
  }

  /** The picture, `width` × `height` px: nothing in it names anything outside it. */
  finished(width: number, height: number, title: string, about: string): string {
    this.put(null);
    const [w, h] = [short(width), short(height)];
    return [
      `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}"` +
        ` font-family="${escaped(this.family)}" fill="none" xml:space="preserve">`,
      `<title>${escaped(title)}</title><desc>${escaped(about)}</desc>`,
      ...this.parts,
      ...(this.grouped ? ['</g>'] : []),
      '</svg>\n',
    ].join('\n');
  }

  setTransform(a: number, b: number, c: number, d: number, e: number, f: number): void {
    this.put(null);
    if (this.grouped) this.parts.push('</g>');
    const values = [a, b, c, d, e, f].map((one) => Math.round(one * 1e6) / 1e6).join(' ');
    this.grouped = values !== '1 0 0 1 0 0';
    if (this.grouped) this.parts.push(`<g transform="matrix(${values})">`);
  }

  setLineDash(segments: readonly number[]): void {
    this.dash = segments;
  }

  beginPath(): void {
    this.path = '';
    this.box = null;
  }

  moveTo(x: number, y: number): void {
    this.draw(`M${pair(x, y)}`);
  }

  lineTo(x: number, y: number): void {
    this.draw(`L${pair(x, y)}`);
  }

  bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void {
    this.draw(`C${pair(x1, y1)} ${pair(x2, y2)} ${pair(x, y)}`);
  }

  closePath(): void {
    this.draw('Z');
  }

  /** The radii as numbers: one for all corners, or upper left, upper right, lower right, lower left. */
  roundRect(x: number, y: number, w: number, h: number, radii: number | readonly number[]): void {
    const [tl = 0, tr = tl, br = tl, bl = tr] = typeof radii === 'number' ? [radii] : radii;
    const only = this.path === '' && this.box === null;
    this.draw(`M${pair(x + tl, y)}H${short(x + w - tr)}`);
    this.draw(`${arc(tr, x + w, y + tr)}V${short(y + h - br)}`);
    this.draw(`${arc(br, x + w - br, y + h)}H${short(x + bl)}`);
    this.draw(`${arc(bl, x, y + h - bl)}V${short(y + tl)}${arc(tl, x + tl, y)}Z`);
    const even = tl === tr && tr === br && br === bl;
    if (only && even) this.box = rect(x, y, w, h, tl);
  }

  fill(): void {
    this.shape(this.filled());
  }

  stroke(): void {
    this.shape(this.stroked());
  }

  fillRect(x: number, y: number, w: number, h: number): void {
    this.put({ kind: 'rect', attributes: [...rect(x, y, w, h, 0), ...this.filled()], content: '' });
  }

  strokeRect(x: number, y: number, w: number, h: number): void {
    const attributes = [...rect(x, y, w, h, 0), ...this.stroked()];
    this.put({ kind: 'rect', attributes, content: '' });
  }

  fillText(text: string, x: number, y: number, most = Infinity): void {
    const [, style = '', size = '10', family = ''] =
      /^(.*?)([\d.]+)px\s*(.*)$/.exec(this.font) ?? [];
    const em = Number(size);
    const anchor = ANCHORS.get(this.textAlign);
    const halo = this.halo?.text === text ? this.halo.attributes : [];
    this.halo = null;
    const attributes: Attributes = [
      ['x', short(x)],
      ['y', short(y + em * (BASELINES.get(this.textBaseline) ?? 0))],
      ['font-size', short(em)],
      ...given(family !== this.family, 'font-family', family),
      ...given(/italic/.test(style), 'font-style', 'italic'),
      ...given(/bold|[6-9]00/.test(style), 'font-weight', 'bold'),
      ...given(anchor !== undefined, 'text-anchor', anchor ?? ''),
      ...(textWidth(text, em) > most + 0.5 ? squeezed(most) : []),
      ...this.filled(),
      ...halo,
    ];
    this.put({ kind: 'text', attributes, content: escaped(text) });
  }

  /** Only ever a halo around the text that is filled next. */
  strokeText(text: string): void {
    const under = ['paint-order', 'stroke'] as const;
    this.halo = { text, attributes: [under, ...this.stroked()] };
  }

  private draw(step: string): void {
    this.box = null;
    this.path += step;
  }

  private shape(paint: Attributes): void {
    if (this.path === '') return;
    const place: Attributes = this.box ?? [['d', this.path]];
    const kind = this.box ? 'rect' : 'path';
    const last = this.last;
    const same = place.every(([name, value], at) => {
      const [other, before] = last?.attributes[at] ?? [];
      return other === name && before === value;
    });
    const bare =
      paint[0]?.[0] === 'stroke' && !last?.attributes.some(([name]) => name === 'stroke');
    if (last?.kind === kind && same && bare && this.globalAlpha === 1) {
      this.last = { ...last, attributes: [...last.attributes, ...paint] };
    } else {
      this.put({ kind, attributes: [...place, ...paint], content: '' });
    }
  }

  private filled(): Attributes {
    return [['fill', hex(this.fillStyle)], ...this.alpha()];
  }

  private stroked(): Attributes {
    return [
      ['stroke', hex(this.strokeStyle)],
      ['stroke-width', short(this.lineWidth)],
      ...given(this.lineJoin !== 'miter', 'stroke-linejoin', this.lineJoin),
      ...given(this.dash.length > 0, 'stroke-dasharray', this.dash.map(short).join(' ')),
      ...this.alpha(),
    ];
  }

  private alpha(): Attributes {
    return given(this.globalAlpha !== 1, 'opacity', short(this.globalAlpha));
  }

  /** Writes the shape before, to which nothing more is added. */
  private put(next: Mark | null): void {
    const last = this.last;
    this.last = next;
    if (!last) return;
    const attributes = last.attributes.map(([name, value]) => ` ${name}="${escaped(value)}"`);
    const end = last.content === '' ? '/>' : `>${last.content}</${last.kind}>`;
    this.parts.push(`<${last.kind}${attributes.join('')}${end}`);
  }
}

const rect = (x: number, y: number, w: number, h: number, round: number): Attributes => [
  ['x', short(x)],
  ['y', short(y)],
  ['width', short(w)],
  ['height', short(h)],
  ...given(round > 0, 'rx', short(round)),
];

const given = (there: boolean, name: string, value: string): Attributes =>
  there ? [[name, value]] : [];

const squeezed = (width: number): Attributes => [
  ['textLength', short(width)],
  ['lengthAdjust', 'spacingAndGlyphs'],
];

const arc = (radius: number, x: number, y: number): string =>
  radius === 0 ? '' : `A${short(radius)} ${short(radius)} 0 0 1 ${pair(x, y)}`;

const pair = (x: number, y: number): string => `${short(x)} ${short(y)}`;

/** A length to a hundredth of a px. */
const short = (length: number): string => String(Math.round(length * 100) / 100);

/** A colour as all viewers know it: few read `rgb(1 2 3)`. */
function hex(colour: string): string {
  const bytes = rgbOf(colour)?.map((byte) => Math.round(byte).toString(16).padStart(2, '0'));
  return bytes ? `#${bytes.join('')}` : colour;
}

const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

/** Text or an attribute's value: no markup, and no character that XML 1.0 does not know. */
const escaped = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"]/g, (char) => ENTITIES.get(char) ?? char);
