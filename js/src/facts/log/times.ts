/** Writes durations and moments for people to read. */
import { __ } from '../../language';

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

/** A moment in seconds since the start, with as many digits as tell it from moments `step` seconds
 * away: `1.250 s`, `350 ms`, `2:05.5`. */
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
