/** Mixes and compares colours. */

/** A colour as red, green and blue, each 0 to 255. */
export type Rgb = readonly [number, number, number];

/** Reads `#rgb`, `#rrggbb` or a browser's computed `rgb(…)`. Returns null for any other text. */
export function rgbOf(text: string): Rgb | null {
  const hex = /^#([\da-f]{3}|[\da-f]{6})$/i.exec(text.trim())?.[1];
  if (hex) {
    const long = hex.length === 6 ? hex : [...hex].map((digit) => digit + digit).join('');
    const value = Number.parseInt(long, 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  }
  const parts = /^rgba?\(([^)]+)\)$/
    .exec(text.trim())?.[1]
    ?.match(/[\d.]+/g)
    ?.map(Number);
  return parts && parts.length >= 3 ? (parts.slice(0, 3) as unknown as Rgb) : null;
}

/** Mixes two colours: `part` is 0 for the first and 1 for the second. */
export function mix(from: string, to: string, part: number): string {
  const [a, b] = [rgbOf(from), rgbOf(to)];
  if (!a || !b) return part < 0.5 ? from : to;
  const mixed = a.map((value, at) => Math.round(value + (b[at]! - value) * part));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** The contrast of two colours by WCAG 2.2, 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** The relative luminance of a colour by WCAG 2.2, 0 to 1. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (rgbOf(colour) ?? []).map((value) => linear(value));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The linear light of an sRGB channel (0 to 255), 0 to 1. */
export function linear(value: number): number {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}
