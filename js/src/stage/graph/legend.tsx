/** The colours' place in the bar: their switch, and the legend. */
import type { ColourBy, ColourClass } from '../../facts/colours/colour-schemes';
import { __, thousands } from '../../language';
import { type Entry, MenuButton, type Section } from '../../shell/parts/menu';
import type { Colours } from './graph-marks';

interface Props {
  colours: Colours;
  /** True for a comparison of programs that differ. */
  changed: boolean;
}

/** A colour scheme, and the meaning of a closed box's colour in it. */
interface Choice {
  by: ColourBy;
  label: string;
  closed: string;
}

const choicesOf = (changed: boolean, timed: boolean): readonly Choice[] => {
  const closed = __('a stripe shows what is inside a closed box');
  const change: Choice = { by: 'change', label: __('change'), closed };
  const kinds: Choice[] = [
    { by: 'family', label: __('op family'), closed },
    {
      by: 'dtype',
      label: __('dtype'),
      closed: __('a closed box has the colour of most of its eqns'),
    },
    { by: 'scope', label: __('scope'), closed },
  ];
  // Costs say little in two programs drawn as one.
  if (changed) return [change, ...kinds];
  return [
    ...kinds,
    { by: 'flops', label: __('flops'), closed: '' },
    { by: 'bytes', label: __('bytes'), closed: '' },
    ...(timed ? [{ by: 'time', label: __('time'), closed: '' } as const] : []),
  ];
};

/** `colour: op family ▾`, whose menu has the choices and the legend; beside it as much of the legend
 * as there is room for. */
export function Legend({ colours, changed }: Props) {
  const { colouring, timed, kept, keep, peek } = colours;
  const chosen = choicesOf(changed, timed).find(({ by }) => by === colouring.by);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds inputs
    <div class="jxv-legend" role="group" aria-label={__('Legend')}>
      <MenuButton
        name={__('Colour by %1', chosen?.label ?? '')}
        title={__('Meaning of the colours')}
        class="jxv-button jxv-plain"
        sections={() => [...colourChoices(colours, changed), legendOf(colours, chosen)]}
        leave={() => peek(-1)}
        stays
      >
        <span class="jxv-words">{__('colour:')}</span>
        <span class="jxv-legend-chosen">{chosen?.label}</span>▾
      </MenuButton>
      <ul onPointerLeave={() => peek(-1)}>
        {presentClasses(colours).map(({ index, label, about, paint, sign, count }) => (
          <li key={index}>
            <button
              type="button"
              class="jxv-bare"
              aria-pressed={kept === index}
              title={classText({ label, about, count })}
              onClick={() => keep(kept === index ? -1 : index)}
              onPointerEnter={() => peek(index)}
            >
              <Swatch paint={paint} sign={sign} />
              {label}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** `contraction: matrix products and convolutions · 8`. */
const classText = ({
  label,
  about,
  count,
}: {
  label: string;
  about: string;
  count: number;
}): string => `${[label, about].filter((text) => text !== '').join(': ')} · ${thousands(count)}`;

/** The colour schemes as entries of a menu. */
export const colourChoices = (
  { colouring, timed, colourBy }: Colours,
  changed: boolean,
): readonly Section[] => [
  {
    heading: __('Colour by'),
    entries: choicesOf(changed, timed).map(({ by, label }) => ({
      label,
      chosen: { as: 'radio', now: by === colouring.by },
      run: () => colourBy(by),
    })),
  },
];

/** The legend as entries of a menu. A class that is pointed at is shown alone; a click keeps that
 * until the next click. */
function legendOf(colours: Colours, chosen: Choice | undefined): Section {
  const { colouring, kept, keep, peek } = colours;
  const hasContents = colouring.within.some((held) => held !== null);
  const notes = [colouring.whole, hasContents ? (chosen?.closed ?? '') : ''];
  const entries = presentClasses(colours).map(
    ({ index, label, paint, sign, count }): Entry => ({
      label,
      before: <Swatch paint={paint} sign={sign} />,
      after: thousands(count),
      chosen: { as: 'checkbox', now: kept === index },
      peek: () => peek(index),
      run: () => keep(kept === index ? -1 : index),
    }),
  );
  return { heading: notes.filter((note) => note !== '').join(' · '), entries };
}

/** A colour class of boxes in the picture, with their number. */
interface PresentClass extends ColourClass {
  index: number;
  count: number;
}

const presentClasses = ({ colouring: { classes, counts } }: Colours): readonly PresentClass[] =>
  classes
    .map((one, index) => ({ ...one, index, count: counts[index] ?? 0 }))
    .filter(({ count }) => count > 0);

const Swatch = ({ paint, sign }: { paint: string; sign: string | undefined }) => (
  <span
    class={sign ? 'jxv-swatch jxv-swatch-sign' : 'jxv-swatch'}
    aria-hidden="true"
    style={`--jxv-swatch-fill:var(--jxv-${paint}-fill);--jxv-swatch-line:var(--jxv-${paint}-line)`}
  >
    {sign}
  </span>
);
