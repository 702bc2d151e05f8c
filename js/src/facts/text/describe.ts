/** Short texts for people to read: names of eqns, places in the source, flops, bytes, shares and times. */
import { __, thousands } from '../../language';
import { TITLED } from '../../ops';
import type { Cost, Eqn, Frame } from '../../schema';
import { plainName } from '../kinds';

const TITLED_OPS = new Set(TITLED.split(' '));

/** An eqn's label on its box: the name of the function that it calls, such as `relu`; else its
 * primitive, as for a `<lambda>`. */
export const labelOf = (eqn: Eqn): string =>
  /^[^<]/.test(eqn.name) && TITLED_OPS.has(plainName(eqn.op)) ? eqn.name : primitiveOf(eqn);

/** An eqn's primitive without the dialect, and the name of the function that it calls. */
export function primitiveOf({ op, name }: Eqn): string {
  const plain = op.replace(/^(?:stablehlo|chlo|mhlo|func)\./, '');
  return name === '' ? plain : `${plain} ${name}`;
}

/** The file of a frame in a cell about which nothing else is known. */
const CELL = 'cell';

/** The place of a frame in the user's terms: `cell 3, line 4` or `train.py:12`. */
export function placeOf(frame: Pick<Frame, 'cell' | 'count' | 'file' | 'line'>): string {
  if (frame.count !== null) return __('cell %1, line %2', frame.count, frame.line);
  if (frame.cell !== null || frame.file === CELL) return __('cell, line %1', frame.line);
  return `${frame.file}:${frame.line}`;
}

/** Texts joined by `between`, without the empty ones. */
export const joined = (between: string, texts: readonly string[]): string =>
  texts.filter((text) => text !== '').join(between);

/** The start of a text, at most `longest` characters. */
export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const chars = [...text];
  return chars.length <= longest ? text : `${chars.slice(0, longest - 1).join('')}…`;
}

/** The start and the end of a text, at most `longest` characters. */
export function middle(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const start = Math.floor((longest - 1) / 2);
  return `${text.slice(0, start)}…${text.slice(text.length - (longest - 1 - start))}`;
}

/** The text for a number that is not known. */
export const unreported = () => __('not reported');

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
/** The least count that is written with a prefix. */
const LEAST_PREFIXED = 1e6;

/** A count: `819,200`; from a million on with three digits and a prefix: `1.27 G`. */
export function compact(count: number): string {
  if (count < LEAST_PREFIXED) return thousands(Math.round(count));
  const [digits = '', power = ''] = count.toExponential(2).split('e+');
  const step = Math.min(Math.floor(Number(power) / 3), PREFIXES.length - 1);
  const before = Number(power) - 3 * step;
  return `${(Number(digits) * 10 ** before).toFixed(Math.max(0, 2 - before))} ${PREFIXES[step]}`;
}

/** `819,200 flops` or `1.27 Gflop`, with `≥` where `least`. */
export function flopsText(flops: number | null, least = false): string {
  if (flops === null) return unreported();
  const unit = flops >= LEAST_PREFIXED ? 'flop' : flops === 1 ? ' flop' : ' flops';
  return `${atLeast(least)}${compact(flops)}${unit}`;
}

/** `2.7 MiB`, with `≥` where `least`. */
export function sizeText(bytes: number | null, least = false): string {
  return bytes === null ? unreported() : `${atLeast(least)}${bytesText(bytes)}`;
}

export const atLeast = (least: boolean): string => (least ? '≥ ' : '');

/** Flops per byte that is read or written; null if either is not known, or no bytes are moved. */
export function intensity({ flops, bytes }: Cost): number | null {
  return flops === null || bytes === null || bytes === 0 ? null : flops / bytes;
}

/** `0.25`, `12.1`, `340`. */
export function ratioText(ratio: number): string {
  if (ratio === 0) return '0';
  if (ratio < 0.01) return '<0.01';
  return ratio < 10 ? ratio.toFixed(2) : ratio < 100 ? ratio.toFixed(1) : compact(ratio);
}

/** The share of a whole, 0 to 1; null if either is not known, or the whole is 0. Rounding may make measured parts
 * larger than the whole. */
export function shareOf(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : Math.min(1, part / whole);
}

/** `12.3 %`. */
export function percentText(share: number): string {
  if (share === 0) return '0 %';
  if (share < 0.001) return '<0.1 %';
  return share > 0.9995 ? `${Math.round(100 * share)} %` : `${(100 * share).toFixed(1)} %`;
}

/** The share of a source line, rounded down so that all lines together have at most 100 %: `56 %`, `0.7 %`. */
export function linePercentText(share: number): string {
  const down = (steps: number) => Math.floor(steps * share + 1e-9) / steps;
  return share < 0.01 ? percentText(down(1000) || share) : `${Math.round(100 * down(100))} %`;
}

const BYTE_UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** In whole bytes or to a tenth of a unit of 1,024, as `jaxviz/sentences/amounts.py` writes it: `2.3 KiB`; empty if
 * the size is not known. */
export function bytesText(bytes: number | null): string {
  if (bytes === null) return '';
  if (bytes < 1024) return `${thousands(Math.round(bytes))} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const sizes = BYTE_UNITS.map((_, step) => (bytes / 1024 ** (step + 1)).toFixed(1));
  const fitting = sizes.findIndex((size) => Number(size) < 1024);
  const step = fitting === -1 ? BYTE_UNITS.length - 1 : fitting;
  return `${sizes[step]} ${BYTE_UNITS[step]}`;
}

/** A duration in seconds, to two or three digits: `340 µs`, `12 ms`, `3.4 s`, `1 min 12 s`. */
export function timeText(seconds: number): string {
  if (!(seconds > 0)) return '0 s';
  if (seconds < 0.9995e-3) return `${digits(seconds * 1e6)} µs`;
  if (seconds < 0.9995) return `${digits(seconds * 1e3)} ms`;
  if (seconds < 59.95) return `${digits(seconds)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? __('%1 h %2 min', hours, minutes) : __('%1 min %2 s', minutes, whole % 60);
}

/** `0.34`, `3.4`, `12`, `340`. */
function digits(value: number): string {
  if (value >= 9.95) return Math.round(value).toString();
  return value >= 0.095 ? value.toFixed(value < 0.95 ? 2 : 1) : value.toPrecision(1);
}

/** A moment in seconds since the start, with enough digits to distinguish it from moments `step` seconds away: `1.250
 * s`, `350 ms`, `2:05.5`. */
export function momentText(seconds: number, step: number): string {
  const unit =
    step < 0.9e-3 && Math.abs(seconds) < 1e-3 ? 'µs' : Math.abs(seconds) < 0.9995 ? 'ms' : 's';
  if (seconds === 0) return '0';
  const scale = unit === 'µs' ? 1e6 : unit === 'ms' ? 1e3 : 1;
  const places = Math.max(0, Math.min(9, -Math.floor(Math.log10(step * scale) + 1e-9)));
  if (Math.abs(seconds) < 60) return `${(seconds * scale).toFixed(places)} ${unit}`;
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds - 60 * minutes).toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return `${minutes}:${rest.padStart(places > 0 ? places + 3 : 2, '0')}`;
}

/** The most characters in the name of a file. */
const LONGEST_NAME = 60;

/** A program's name as a file name: letters, digits and a few signs, such as `grad(loss)`. */
export function fileName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{M}\p{N}_.,+()-]+/gu, '_').replace(/^[._]+|[._]+$/g, '');
  return [...plain].slice(0, LONGEST_NAME).join('') || 'program';
}
