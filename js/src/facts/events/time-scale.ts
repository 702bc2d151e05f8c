/** The time axis of the log: from seconds to px and back, zoom, and round ticks. */
import { momentText } from '../describe';

/** A part of a log's time, in seconds since its start. */
export interface Span {
  from: number;
  to: number;
}

/** A part of a log's time drawn over some width. */
export interface Scale extends Span {
  /** px. */
  width: number;
}

/** The px, from the left edge, of a moment in seconds; negative before the span. */
export const toPx = ({ from, to, width }: Scale, seconds: number): number =>
  ((seconds - from) / (to - from)) * width;

/** The moment, in seconds, at a px from the left edge. */
export const toTime = ({ from, to, width }: Scale, px: number): number =>
  from + (px / width) * (to - from);

/** The shortest span to which one can zoom in, seconds. */
export const SHORTEST_SPAN = 20e-6;

/** A span `factor` times as long, within the whole, in which the moment `at` stays in its place. */
export function zoomed({ from, to }: Span, factor: number, at: number, whole: Span): Span {
  const length = Math.max(SHORTEST_SPAN, (to - from) * factor);
  const part = (at - from) / (to - from);
  return within({ from: at - part * length, to: at + (1 - part) * length }, whole);
}

/** The span moved so that it lies within the whole; the whole where it is longer. */
export function within({ from, to }: Span, whole: Span): Span {
  const length = to - from;
  if (length >= whole.to - whole.from) return whole;
  const start = Math.max(whole.from, Math.min(from, whole.to - length));
  return { from: start, to: start + length };
}

/** The span moved no farther than is needed to show another, with some room around it. */
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

/** A labelled moment of the axis. */
export interface Tick {
  px: number;
  text: string;
}

/** The least distance of two ticks, px. */
const TICKS_APART = 72;

/** Ticks at round moments. */
export function ticksOf(scale: Scale): Tick[] {
  const { from, to, width } = scale;
  if (!(width > 0) || !(to > from)) return [];
  const step = roundUp(((to - from) / width) * TICKS_APART);
  const [first, last] = [Math.ceil(from / step - 1e-9), Math.floor(to / step + 1e-9)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const seconds = (first + index) * step;
    return { px: toPx(scale, seconds), text: momentText(seconds, step) };
  });
}

/** The next round number of seconds: 1, 2 or 5 times a power of ten, and above ten seconds the
 * parts of minutes and hours that clocks have. */
function roundUp(seconds: number): number {
  if (seconds > 10) {
    const long = [15, 30, 60, 120, 300, 600, 900, 1800, 3600].find((step) => step >= seconds);
    return long ?? 3600 * Math.ceil(seconds / 3600);
  }
  const power = 10 ** Math.floor(Math.log10(seconds));
  const steps = [1, 2, 5, 10].map((step) => step * power);
  return steps.find((step) => step >= seconds * (1 - 1e-9)) ?? 10 * power;
}
