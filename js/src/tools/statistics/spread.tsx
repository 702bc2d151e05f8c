/** How the values of a result are spread. */
import { magnitudeText, signedText } from '../../facts/reports';
import { __, thousands } from '../../language';
import type { Bars, ValueDistribution } from '../../schema';

/** How a result is spread: in numbers, over powers of 2, and over the turns of its loop. */
export function Spread({ of }: { of: ValueDistribution }) {
  const { smallest, greatest, mean, deviation, finite, zeros, subnormals } = of;
  const [from, to, middle, away] = [smallest, greatest, mean, deviation].map(signedText);
  return (
    <div class="jxv-line-table-spread">
      {smallest !== null && (
        <p>
          {__('%1 to %2, mean %3, deviation %4', from, to, middle, away)}
          {zeros > 0 && `; ${__('%1 of %2 zeros', thousands(zeros), thousands(finite))}`}
          {subnormals > 0 &&
            `; ${__('%1 of %2 subnormal', thousands(subnormals), thousands(finite))}`}
        </p>
      )}
      {of.turns && (
        <Histogram
          bars={of.turns}
          said={__(
            'largest value in iterations %1 to %2; the highest bar is %3',
            0,
            of.turns.count - 1,
            magnitudeText(Math.max(...of.turns.heights)),
          )}
        />
      )}
      {of.exponents && (
        <Histogram
          bars={of.exponents}
          said={__(
            'elements with magnitudes from 2^%1 to below 2^%2',
            of.exponents.first,
            of.exponents.first + of.exponents.count,
          )}
        />
      )}
    </div>
  );
}

/** The size of a histogram, px. */
const [WIDTH, HEIGHT] = [150, 30];

/** Bars beside one another; a red one where something was not finite. */
function Histogram({ bars: { heights, flawed }, said }: { bars: Bars; said: string }) {
  const [unit, width] = [Math.max(...heights) || 1, WIDTH / heights.length];
  return (
    <figure>
      <svg role="img" aria-label={said} width={WIDTH} height={HEIGHT}>
        {heights.map((height, at) => {
          const isFlawed = flawed.includes(at);
          const tall = isFlawed ? HEIGHT : (height / unit) * HEIGHT;
          return (
            <rect
              key={at}
              class={isFlawed ? 'jxv-line-table-bad' : undefined}
              x={at * width}
              y={HEIGHT - tall}
              width={Math.max(width - 1, 0.5)}
              height={tall}
            />
          );
        })}
      </svg>
      <figcaption aria-hidden="true">
        {said}
        {flawed.length > 0 && `; ${__('red: not finite')}`}
      </figcaption>
    </figure>
  );
}
