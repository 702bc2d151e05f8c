/** What lies over the graph: its minimap, and the legend that says what its colours mean and lets the
 * reader choose what they say. */
import type { Ref } from 'preact';
import { useImperativeHandle, useRef, useState } from 'preact/hooks';
import type { ColourBy, ColourClass } from '../../facts/colours/colour-schemes';
import type { Colouring } from '../../facts/colours/colouring';
import { __ } from '../../language';
import type { Picture } from '../../render/canvas';
import { drawMap, mapSize, type Overview, wantsMap } from '../../render/overview';
import type { Shown } from '../../render/shown-picture';

/** What the picture calls to have the minimap drawn. */
export interface MinimapControls {
  draw(shown: Shown, overview: Overview | null): void;
}

interface MinimapProps {
  controls: Ref<MinimapControls>;
  picture: { current: Picture | null };
}

/** The whole graph, small. Dragging the frame, or a click, moves the view; in the graph, the arrow
 * keys, + and 0 do the same. */
export function Minimap({ controls, picture }: MinimapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState('');
  useImperativeHandle(
    controls,
    () => ({
      draw(shown, overview) {
        const { width, height } = mapSize(shown.scene);
        setSize(wantsMap(shown) ? `width:${width}px;height:${height}px` : '');
        if (canvas.current) drawMap(canvas.current, shown, overview, devicePixelRatio);
      },
    }),
    [],
  );
  const { take, go } = useDragging(picture);
  return (
    <div
      class="jxv-minimap"
      aria-hidden="true"
      hidden={size === ''}
      style={size}
      onPointerDown={take}
      onPointerMove={go}
    >
      <canvas ref={canvas} />
    </div>
  );
}

/** Moves the camera of the picture with the pointer: the frame is dragged from where it was taken; a
 * press beside the frame brings its middle to the pointer. */
function useDragging(picture: MinimapProps['picture']) {
  const grip = useRef({ x: 0, y: 0 });
  /** The point of the scene at the pointer, and the middle of what is seen. */
  const places = (event: PointerEvent) => {
    const { left, top, width, height } = (event.currentTarget as Element).getBoundingClientRect();
    const { scene, camera, view } = (picture.current as Picture).shown();
    const [halfX, halfY] = [view.width / camera.zoom / 2, view.height / camera.zoom / 2];
    const x = ((event.clientX - left) / width) * scene.width;
    const y = ((event.clientY - top) / height) * scene.height;
    return { x, y, offX: camera.x + halfX - x, offY: camera.y + halfY - y, halfX, halfY };
  };
  const take = (event: PointerEvent) => {
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    const { offX, offY, halfX, halfY } = places(event);
    const inside = Math.abs(offX) <= halfX && Math.abs(offY) <= halfY;
    grip.current = inside ? { x: offX, y: offY } : { x: 0, y: 0 };
    go(event);
  };
  const go = (event: PointerEvent) => {
    if (!(event.currentTarget as Element).hasPointerCapture(event.pointerId)) return;
    const { x, y } = places(event);
    picture.current?.centre(x + grip.current.x, y + grip.current.y);
  };
  return { take, go };
}

interface LegendProps {
  colours: Colouring;
  /** Whether there is room to show it at first. */
  roomy: boolean;
  /** The class that the reader shows alone; -1 for none. */
  kept: number;
  colourBy: (by: ColourBy) => void;
  keep: (one: number) => void;
  /** Whether it is a comparison of programs that differ. */
  changed: boolean;
  /** Shows a class alone while it is pointed at; -1 when no longer. */
  peek: (one: number) => void;
}

/** Something that colours can say, and what the colour of a closed box then says of its contents. */
interface Choice {
  by: ColourBy;
  label: string;
  closed: string;
}

const choicesOf = (): readonly Choice[] => [
  { by: 'family', label: __('op family'), closed: __('strip: the eqns inside a closed box') },
  { by: 'dtype', label: __('dtype'), closed: __('a closed box: what most of its eqns have') },
  { by: 'scope', label: __('scope'), closed: __('strip: the eqns inside a closed box') },
  { by: 'flops', label: __('flops'), closed: '' },
  { by: 'bytes', label: __('bytes'), closed: '' },
];

/** In a comparison this choice comes first. Costs are left out: they say little of two programs drawn
 * as one. */
const changeOf = (): Choice => ({
  by: 'change',
  label: __('change'),
  closed: __('strip: the eqns inside a closed box'),
});

/** What the colours mean, and the switch for what they say. */
export function Legend({ colours, roomy, kept, colourBy, keep, peek, changed }: LegendProps) {
  const [wanted, want] = useState<boolean | null>(null);
  const shown = wanted ?? roomy;
  const present = presentClasses(colours);
  const choices = changed ? [changeOf(), ...choicesOf().slice(0, 3)] : choicesOf();
  const chosen = choices.find(({ by }) => by === colours.by);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds inputs
    <section class="jxv-legend" role="group" aria-label={__('Legend')}>
      <div class="jxv-legend-head">
        <button
          type="button"
          class="jxv-legend-fold"
          aria-expanded={shown}
          aria-label={__('Colours')}
          title={shown ? __('Hide the legend') : __('What the colours mean')}
          onClick={() => want(!shown)}
        >
          {shown ? '▾' : <Swatches classes={present} />}
        </button>
        {shown && <ColourChoice by={colours.by} choices={choices} colourBy={colourBy} />}
      </div>
      {shown && (
        <ul onPointerLeave={() => peek(-1)}>
          {present.map((one) => (
            <ClassButton key={one.index} present={one} {...{ kept, keep, peek }} />
          ))}
          {colours.whole !== '' && <li class="jxv-legend-note">{colours.whole}</li>}
          {colours.within.some((held) => held !== null) && (
            <li class="jxv-legend-note">{chosen?.closed}</li>
          )}
        </ul>
      )}
    </section>
  );
}

/** A class of colours that boxes of the picture have, and how many have it. */
interface PresentClass extends ColourClass {
  index: number;
  count: number;
}

const presentClasses = ({ classes, counts }: Colouring): readonly PresentClass[] =>
  classes
    .map((one, index) => ({ ...one, index, count: counts[index] ?? 0 }))
    .filter(({ count }) => count > 0);

interface ChoiceProps extends Pick<LegendProps, 'colourBy'> {
  by: ColourBy;
  choices: readonly Choice[];
}

/** The switch for what the colours say. */
function ColourChoice({ by: chosen, choices, colourBy }: ChoiceProps) {
  return (
    <select
      aria-label={__('Colour by')}
      value={chosen}
      onChange={(event) => colourBy(event.currentTarget.value as ColourBy)}
    >
      {choices.map(({ by, label }) => (
        <option key={by} value={by}>
          {label}
        </option>
      ))}
    </select>
  );
}

type ClassProps = Pick<LegendProps, 'kept' | 'keep' | 'peek'> & { present: PresentClass };

/** A class with its colour. Pointing at it shows it alone for a moment; a click keeps that until
 * the next click. */
function ClassButton({ present, kept, keep, peek }: ClassProps) {
  const { paint, label, about, sign, index, count } = present;
  return (
    <li>
      <button
        type="button"
        aria-pressed={kept === index}
        title={[label, about].filter((text) => text !== '').join(': ')}
        onClick={() => keep(kept === index ? -1 : index)}
        onPointerEnter={() => peek(index)}
      >
        <Swatch paint={paint} sign={sign} />
        <span class="jxv-legend-name">{label}</span>
        <span class="jxv-legend-count">{count.toLocaleString('en')}</span>
      </button>
    </li>
  );
}

/** The colours of the first classes. */
function Swatches({ classes }: { classes: readonly ColourClass[] }) {
  return (
    <>
      {classes.slice(0, 6).map(({ paint, label, sign }) => (
        <Swatch key={label} paint={paint} sign={sign} />
      ))}
    </>
  );
}

const Swatch = ({ paint, sign }: { paint: string; sign: string | undefined }) => (
  <span
    class={sign ? 'jxv-swatch jxv-swatch-sign' : 'jxv-swatch'}
    aria-hidden="true"
    style={`--jxv-swatch-fill:var(--jxv-${paint}-fill);--jxv-swatch-line:var(--jxv-${paint}-line)`}
  >
    {sign}
  </span>
);
