/** Curves of the time of calls over their size, with logarithmic scales: until the program is ready,
 * and of each run. */
import { timeText } from '../../facts/text/describe';
import { __, thousands } from '../../language';
import { type LogScale, readyIn, scaleBetween, scaleOf, type TimedCall } from './calls';

/** The size of a plot and the place of its axes, px. */
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [340, 190, 52, 12, 8, 24];

interface CurvesProps {
  sizes: readonly TimedCall[][];
  at: number;
}

/** A curve: for each size the time, and its quartiles if there are any. */
interface Curve {
  label: string;
  style: string;
  points: { size: number; low: number; median: number; high: number }[];
}

export function Curves({ sizes, at }: CurvesProps) {
  if (sizes.some((calls) => !((calls[0]?.size ?? 0) > 0))) return null;
  const shared = { sizes, at };
  return (
    <>
      <Plot
        title={__('Until the program is ready')}
        words={__('measured once')}
        curves={readyCurves(sizes)}
        {...shared}
      />
      <Plot title={__('Each run')} curves={runCurves(sizes)} {...shared} />
    </>
  );
}

/** A curve for each function. */
function curvesOf(
  sizes: readonly TimedCall[][],
  mode: string,
  style: string,
  of: (call: TimedCall) => { low: number; median: number; high: number } | null,
): Curve[] {
  const first = sizes[0] ?? [];
  return first.map(({ function: name }, index) => ({
    label: first.length === 1 ? mode : [name, mode].filter(Boolean).join(', '),
    style: `jxv-timed-curve${index % 4} ${style}`,
    points: sizes.flatMap((calls) => {
      const call = calls[index];
      const took = call ? of(call) : null;
      return call?.size && took ? [{ size: call.size, ...took }] : [];
    }),
  }));
}

const readyCurves = (sizes: readonly TimedCall[][]): Curve[] =>
  curvesOf(sizes, '', '', (call) => {
    const took = readyIn(call);
    return { low: took, median: took, high: took };
  });

const runCurves = (sizes: readonly TimedCall[][]): Curve[] => [
  ...curvesOf(sizes, __('with jit'), '', ({ jitted }) => jitted),
  ...curvesOf(sizes, __('op by op'), 'jxv-timed-dashed', ({ eager }) => eager),
];

const BASE = HEIGHT - BOTTOM;

interface PlotProps extends CurvesProps {
  title: string;
  words?: string;
  curves: Curve[];
}

function Plot({ title, words = '', curves, sizes, at }: PlotProps) {
  const all = curves.flatMap(({ points }) => points.flatMap(({ low, high }) => [low, high]));
  const values = sizes.map((calls) => calls[0]?.size ?? 1);
  const [across, up] = [scaleBetween(values), scaleOf(all)];
  const x = (size: number) => LEFT + 16 + across.at(size) * (WIDTH - LEFT - RIGHT - 32);
  const y = (seconds: number) => BASE - up.at(seconds) * (BASE - TOP);
  const now = x(values[at] ?? 1);
  return (
    <figure class="jxv-timed-plot">
      <figcaption>
        {title} <span class="jxv-words">{words}</span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
        <Axes sizes={values} times={up} {...{ x, y }} />
        <line class="jxv-timed-now" x1={now} x2={now} y1={TOP} y2={BASE} />
        {curves.map((curve) => (
          <Line key={curve.label} curve={curve} {...{ x, y }} />
        ))}
      </svg>
      {curves.some(({ label }) => label !== '') && <Key curves={curves} />}
    </figure>
  );
}

interface Placed {
  x: (size: number) => number;
  y: (seconds: number) => number;
}

/** The most powers of ten that are written beside an axis. */
const MOST_TICKS = 6;

/** Lines at powers of ten of a second, and the sizes below. */
function Axes({ sizes, times, x, y }: Placed & { sizes: number[]; times: LogScale }) {
  const step = Math.ceil(times.ticks.length / MOST_TICKS);
  return (
    <g>
      {times.ticks.map((seconds, index) => (
        <g key={seconds}>
          <line
            class="jxv-timed-grid"
            x1={LEFT}
            x2={WIDTH - RIGHT}
            y1={y(seconds)}
            y2={y(seconds)}
          />
          {index % step === 0 && (
            <text x={LEFT - 6} y={y(seconds) + 4} text-anchor="end">
              {timeText(seconds)}
            </text>
          )}
        </g>
      ))}
      {spaced(sizes, x).map((size) => (
        <text key={size} x={x(size)} y={HEIGHT - 7} text-anchor="middle">
          {thousands(size)}
        </text>
      ))}
    </g>
  );
}

/** The sizes that fit side by side. */
function spaced(sizes: number[], x: Placed['x']): number[] {
  const shown: number[] = [];
  for (const size of [...sizes].sort((one, other) => one - other)) {
    const last = shown.at(-1);
    const room = (7 * (thousands(size).length + thousands(last ?? 0).length)) / 2;
    if (last === undefined || x(size) - x(last) > room) shown.push(size);
  }
  return shown;
}

/** A curve, and a whisker between the quartiles at each of its points. */
function Line({ curve, x, y }: Placed & { curve: Curve }) {
  const points = [...curve.points].sort((one, other) => one.size - other.size);
  return (
    <g class={curve.style}>
      <polyline points={points.map(({ size, median }) => `${x(size)},${y(median)}`).join(' ')} />
      {points.map(({ size, low, median, high }) => (
        <g key={size}>
          <line x1={x(size)} x2={x(size)} y1={y(low)} y2={y(high)} />
          <circle cx={x(size)} cy={y(median)} r={2.5} />
        </g>
      ))}
    </g>
  );
}

const Key = ({ curves }: { curves: Curve[] }) => (
  <p class="jxv-timed-key">
    {curves.map(({ label, style }) => (
      <span key={label}>
        <svg width={18} height={8} class={style} aria-hidden="true">
          <line x1={0} x2={18} y1={4} y2={4} />
        </svg>{' '}
        {label}
      </span>
    ))}
  </p>
);
