/** Writes flops, bytes, ratios and shares for people to read. */
import { __ } from '../../language';
import type { Cost } from '../../schema';

/** Shown where a number is not known. */
export const unreported = () => __('not reported');

const PREFIXES = ['', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
/** The least count that is written with a prefix. */
const LEAST_PREFIXED = 1e6;

/** A count: `819,200`, and from a million on three digits and a prefix: `1.27 G`. */
export function compact(count: number): string {
  if (count < LEAST_PREFIXED) return Math.round(count).toLocaleString('en');
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

/** Flops per byte that is read or written; null where either is not known, or no bytes are moved. */
export function intensity({ flops, bytes }: Cost): number | null {
  return flops === null || bytes === null || bytes === 0 ? null : flops / bytes;
}

/** `0.25`, `12.1`, `340`. */
export function ratioText(ratio: number): string {
  if (ratio === 0) return '0';
  if (ratio < 0.01) return '<0.01';
  return ratio < 10 ? ratio.toFixed(2) : ratio < 100 ? ratio.toFixed(1) : compact(ratio);
}

/** The share of a whole, 0 to 1; null where either is not known, or the whole is 0. */
export function shareOf(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole;
}

/** `12.3 %`. */
export function percentText(share: number): string {
  if (share === 0) return '0 %';
  if (share < 0.001) return '<0.1 %';
  return share > 0.9995 ? `${Math.round(100 * share)} %` : `${(100 * share).toFixed(1)} %`;
}

/** `2.3 KiB`; empty where the size is not a number. */
export function bytesText(bytes: number | null): string {
  if (bytes === null) return '';
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let [size, unit] = [bytes, bytes === 1 ? 'byte' : 'bytes'];
  for (const larger of units) {
    if (size < 1024) break;
    size /= 1024;
    unit = larger;
  }
  return `${size < 1024 && !unit.startsWith('byte') ? size.toFixed(1) : size} ${unit}`;
}
