/** The curve of the bytes that are live while each eqn runs. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { avalOf, graphAt } from '../../facts/graph';
import { eqnId, type Id } from '../../facts/ids';
import { type Curve, curveOf, eqnsIn, type Liveness } from '../../facts/numbers/liveness';
import { joined, labelOf, placeOf, sizeText } from '../../facts/text/describe';
import { typeText } from '../../facts/text/types';
import { __ } from '../../language';
import type { Graph, Stage } from '../../schema';
import { useWidth } from '../../shell/parts/controls';
import type { Action, ViewState } from '../../state/view-state';
import { eqnsText } from '../../words/fact-parts';

interface Props {
  /** The path of the graph of the eqns. */
  path: Id;
  live: Liveness;
  /** The bytes that XLA reserves for the program; null if they are unknown. */
  reserved: number | null;
  state: ViewState;
  dispatch: (action: Action) => void;
}

/** The height of the curve, px. */
const CURVE_HEIGHT = 104;
/** The height of the numbers above the curve, px. */
const NUMBERS_HEIGHT = 16;
/** The assumed width before the layout, px. */
const FIRST_WIDTH = 400;

/** The curve as a slider: it moves along the eqns, and selects one. */
export function LiveBytes({ path, live, reserved, state, dispatch }: Props) {
  const { stage } = state;
  const graph = graphAt(stage, path) as Graph;
  const { length } = live.bytes;
  const element = useRef<HTMLDivElement>(null);
  const width = Math.max(120, useWidth(element) ?? FIRST_WIDTH);
  const curve = useMemo(() => curveOf(live.bytes, width), [live, width]);
  const { shown, walked, handlers } = useWalk({ path, live, curve, dispatch });
  return (
    <>
      <p class="jxv-live-text">
        <ShownEqn graph={graph} stage={stage} live={live} eqn={shown} />
      </p>
      <div
        class="jxv-live"
        ref={element}
        role="slider"
        aria-label={__('Eqn, with the bytes that are live while it runs')}
        aria-valuemin={0}
        aria-valuemax={length - 1}
        aria-valuenow={walked}
        aria-valuetext={textOf(stage, graph, live, walked)}
        tabIndex={0}
        {...handlers}
      >
        <CurvePicture {...{ path, live, reserved, state, curve, width, shown }} />
      </div>
      <p class="jxv-live-axis" aria-hidden="true">
        <span>{__('first')}</span>
        <span class="jxv-live-key">{__('inputs and consts %1', sizeText(live.inputs))}</span>
        <span>{lengthText(stage, graph)}</span>
      </p>
    </>
  );
}

/** The number of eqns along the curve: those of its graph, without those in bodies. */
function lengthText(stage: Stage, { eqns }: Graph): string {
  const count = eqnsText(stage, eqns.length);
  return eqns.some(({ bodies }) => bodies.length > 0) ? __('%1 and their bodies', count) : count;
}

type WalkProps = Pick<Props, 'path' | 'live' | 'dispatch'> & { curve: Curve };

/** The shown eqn: the pointed-at one, else the one of the keys; and the handlers of keys and
 * pointer. */
function useWalk({ path, live, curve, dispatch }: WalkProps) {
  const [pointed, point] = useState<number | null>(null);
  const [walked, walk] = useState(live.peak);
  const choose = (eqn: number) => {
    walk(eqn);
    dispatch({ type: 'select', id: eqnId(path, eqn) });
  };
  const hover = (eqn: number | null) => {
    if (eqn === pointed) return;
    point(eqn);
    dispatch({ type: 'hover', id: eqn === null ? null : eqnId(path, eqn) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = stepOf(event.key, walked, live.bytes.length);
    if (to !== null) {
      walk(to);
      dispatch({ type: 'hover', id: eqnId(path, to) });
    } else if (event.key === 'Enter' || event.key === ' ') choose(walked);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const handlers = {
    onKeyDown,
    onPointerMove: (event: MouseEvent) => hover(eqnUnder(event, curve)),
    onPointerLeave: () => hover(null),
    onClick: (event: MouseEvent) => choose(eqnUnder(event, curve)),
  };
  return { shown: pointed ?? walked, walked, handlers };
}

function eqnUnder({ currentTarget, clientX }: MouseEvent, { at }: Curve): number {
  const { left, width } = (currentTarget as Element).getBoundingClientRect();
  const part = Math.max(0, Math.min(0.9999, (clientX - left) / Math.max(1, width)));
  return at[Math.floor(part * at.length)] ?? 0;
}

interface PictureProps extends Pick<Props, 'path' | 'live' | 'reserved' | 'state'> {
  curve: Curve;
  width: number;
  /** The eqn at the cursor. */
  shown: number;
}

function CurvePicture({ path, live, reserved, state, curve, width, shown }: PictureProps) {
  const top = Math.max(live.most, reserved ?? 0, 1);
  const x = (eqn: number) => (width * eqn) / live.bytes.length;
  const y = (bytes: number) => NUMBERS_HEIGHT + (CURVE_HEIGHT - NUMBERS_HEIGHT) * (1 - bytes / top);
  const selected = eqnsIn(state.stage, path, state.selected);
  const inputs = y(live.inputs);
  const steps = stepsOf(curve, width, y);
  return (
    <svg width={width} height={CURVE_HEIGHT} aria-hidden="true">
      <path class="jxv-live-area" d={`${steps}V${CURVE_HEIGHT}H0Z`} />
      <rect class="jxv-live-inputs" x={0} y={inputs} width={width} height={CURVE_HEIGHT - inputs} />
      <path class="jxv-live-curve" d={steps} />
      {selected && (
        <rect
          class="jxv-live-selected"
          x={x(selected.start)}
          y={0}
          width={Math.max(1.5, x(selected.stop) - x(selected.start))}
          height={CURVE_HEIGHT}
        />
      )}
      {reserved !== null && <ReservedLine at={y(reserved)} width={width} bytes={reserved} />}
      <path class="jxv-live-cursor" d={`M${x(shown + 0.5)} ${NUMBERS_HEIGHT}V${CURVE_HEIGHT}`} />
      <circle class="jxv-live-peak" cx={x(live.peak + 0.5)} cy={y(live.most)} r={3.5} />
      <text class="jxv-live-number" x={4} y={11}>
        {sizeText(live.most)}
      </text>
    </svg>
  );
}

/** The line of the bytes that XLA reserves, with its number. */
function ReservedLine({ at, width, bytes }: { at: number; width: number; bytes: number }) {
  return (
    <>
      <path class="jxv-live-aside" d={`M0 ${at}H${width}`} />
      <text class="jxv-live-number" x={width - 4} y={at < 24 ? at + 12 : at - 4} text-anchor="end">
        {__('XLA reserves %1', sizeText(bytes))}
      </text>
    </>
  );
}

/** The path of the curve from left to right; all its columns have the same width. */
function stepsOf({ values }: Curve, width: number, y: (bytes: number) => number): string {
  const columnWidth = width / values.length;
  const steps = Array.from(values, (value, column) => {
    const height = y(value).toFixed(1);
    return `${column === 0 ? `M0 ${height}` : `V${height}`}H${((column + 1) * columnWidth).toFixed(1)}`;
  });
  return steps.join('');
}

interface ShownEqnProps {
  stage: Stage;
  graph: Graph;
  live: Liveness;
  eqn: number;
}

function ShownEqn({ stage, graph, live, eqn }: ShownEqnProps) {
  return (
    <>
      <b>{sizeText(live.bytes[eqn] ?? 0)}</b>
      {eqn === live.peak && <span class="jxv-badge">{__('peak')}</span>}
      <span class="jxv-words">{__('while')}</span>
      <code>{whatOf(stage, graph, eqn)}</code>
      <span class="jxv-words">{whereOf(stage, graph, eqn)}</span>
    </>
  );
}

function whatOf(stage: Stage, graph: Graph, eqn: number): string {
  const found = graph.eqns[eqn];
  const first = found?.outvars[0];
  const type = first === undefined ? '' : typeText(avalOf(stage, graph, first));
  return found ? `${labelOf(found)} ${type}`.trim() : '';
}

function whereOf(stage: Stage, graph: Graph, eqn: number): string {
  const frame = stage.frames[graph.eqns[eqn]?.frame ?? -1];
  return frame ? placeOf(frame) : '';
}

const textOf = (stage: Stage, graph: Graph, live: Liveness, eqn: number): string =>
  joined(', ', [
    sizeText(live.bytes[eqn] ?? 0),
    whatOf(stage, graph, eqn),
    whereOf(stage, graph, eqn),
    ...(eqn === live.peak ? [__('the peak')] : []),
  ]);

function stepOf(key: string, at: number, length: number): number | null {
  const page = Math.max(1, Math.round(length / 20));
  const to = new Map([
    ['ArrowRight', at + 1],
    ['ArrowUp', at + 1],
    ['ArrowLeft', at - 1],
    ['ArrowDown', at - 1],
    ['PageUp', at + page],
    ['PageDown', at - page],
    ['Home', 0],
    ['End', length - 1],
  ]).get(key);
  return to === undefined ? null : Math.max(0, Math.min(length - 1, to));
}
