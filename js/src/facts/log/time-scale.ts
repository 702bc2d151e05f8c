import { momentText } from './times';

/** A stretch of a log's time, seconds since its start. */
export interface Span {
  from: number;
  to: number;
}

/** A stretch of time laid over so many px. */
export interface Scale extends Span {
  /** px. */
  width: number;
}

/** The px of a moment; those before the stretch are negative. */
export const toPx = ({ from, to, width }: Scale, seconds: number): number =>
  ((seconds - from) / (to - from)) * width;

/** The moment at a px. */
export const toTime = ({ from, to, width }: Scale, px: number): number =>
  from + (px / width) * (to - from);

/** The shortest stretch that is shown, seconds. */
export const SHORTEST = 20e-6;

/** A stretch `factor` times as long, in which the moment `at` stays where it is; within the whole. */
export function zoomed({ from, to }: Span, factor: number, at: number, whole: Span): Span {
  const length = Math.max(SHORTEST, (to - from) * factor);
  const part = (at - from) / (to - from);
  return within({ from: at - part * length, to: at + (1 - part) * length }, whole);
}

/** The stretch moved into the whole; all of that where it is longer. */
export function within({ from, to }: Span, whole: Span): Span {
  const length = to - from;
  if (length >= whole.to - whole.from) return whole;
  const start = Math.max(whole.from, Math.min(from, whole.to - length));
  return { from: start, to: start + length };
}

/** A stretch moved, no farther than needed, so that it shows another, with some room around. */
export function showing(span: Span, wanted: Span, whole: Span): Span {
  const length = span.to - span.from;
  const room = Math.min(0.08 * length, Math.max(0, (length - (wanted.to - wanted.from)) / 2));
  if (wanted.to - wanted.from > length) {
    const around = 0.08 * (wanted.to - wanted.from);
    return within({ from: wanted.from - around, to: wanted.to + around }, whole);
  }
  if (wanted.from < span.from) {
    return within({ from: wanted.from - room, to: wanted.from - room + length }, whole);
  }
  if (wanted.to > span.to) {
    return within({ from: wanted.to + room - length, to: wanted.to + room }, whole);
  }
  return span;
}

/** A moment of the axis that is marked. */
export interface Tick {
  px: number;
  text: string;
}

/** Ticks at round moments, at least so many px apart. */
export function ticksOf(scale: Scale, apart = 72): Tick[] {
  const { from, to, width } = scale;
  if (!(width > 0) || !(to > from)) return [];
  const step = roundUp(((to - from) / width) * apart);
  const [first, last] = [Math.ceil(from / step - 1e-9), Math.floor(to / step + 1e-9)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const seconds = (first + index) * step;
    return { px: toPx(scale, seconds), text: momentText(seconds, step) };
  });
}

/** The next of 1, 2, 5 and their multiples by powers of ten; from a minute on of parts of an hour. */
function roundUp(seconds: number): number {
  if (seconds > 10) {
    const long = [15, 30, 60, 120, 300, 600, 900, 1800, 3600].find((step) => step >= seconds);
    return long ?? 3600 * Math.ceil(seconds / 3600);
  }
  const power = 10 ** Math.floor(Math.log10(seconds));
  const steps = [1, 2, 5, 10].map((step) => step * power);
  return steps.find((step) => step >= seconds * (1 - 1e-9)) ?? 10 * power;
}
