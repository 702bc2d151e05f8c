/** Colours as red, green and blue, 0 to 255. */
export type Rgb = readonly [number, number, number];

/** Of `#rgb`, `#rrggbb`, or what browsers compute; null where it is neither. */
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

/** The colour that lies this part of the way from one to another. */
export function mix(from: string, to: string, part: number): string {
  const [a, b] = [rgbOf(from), rgbOf(to)];
  if (!a || !b) return part < 0.5 ? from : to;
  const [red, green, blue] = a.map((value, at) => Math.round(value + (b[at]! - value) * part));
  return `rgb(${red} ${green} ${blue})`;
}
