import { useMemo, useRef, useState } from 'preact/hooks';
import { labelOf, placeOf } from '../../facts/describe';
import { avalOf, graphAt } from '../../facts/graph';
import { eqnId, type Id } from '../../facts/ids';
import { sizeText } from '../../facts/numbers/amounts';
import type { Liveness } from '../../facts/numbers/liveness';
import { type Curve, curveOf, eqnsIn } from '../../facts/numbers/peaks';
import { __ } from '../../language';
import type { Graph, Stage } from '../../schema';
import type { Action, ViewState } from '../../state/view-state';
import { useWidth } from '../element-size';

interface Props {
  /** The path of the graph that it is of. */
  path: Id;
  live: Liveness;
  /** What XLA sets aside for the program; null where that is not known. */
  aside: number | null;
  state: ViewState;
  dispatch: (action: Action) => void;
}

const HEIGHT = 132;
/** Above the curve, for the numbers, px. */
const NUMBERS_HEIGHT = 16;
/** Until it is laid out, px. */
const FIRST_WIDTH = 400;

/** The bytes that are live over the eqns of the program, as a curve to walk and to choose from. */
export function LiveBytes({ path, live, aside, state, dispatch }: Props) {
  const { stage, selected } = state;
  const graph = graphAt(stage, path) as Graph;
  const { length } = live.bytes;
  const element = useRef<HTMLDivElement>(null);
  const width = Math.max(120, useWidth(element) ?? FIRST_WIDTH);
  const curve = useMemo(() => curveOf(live.bytes, width), [live, width]);
  const top = Math.max(live.most, aside ?? 0, 1);
  const marked = eqnsIn(stage, path, selected);
  const [pointed, point] = useState<number | null>(null);
  const [walked, walk] = useState(live.peak);
  const shown = pointed ?? walked;
  const x = (eqn: number) => (width * eqn) / length;
  const y = (bytes: number) => NUMBERS_HEIGHT + (HEIGHT - NUMBERS_HEIGHT) * (1 - bytes / top);

  const under = (event: MouseEvent) => {
    const { left, width: wide } = (event.currentTarget as Element).getBoundingClientRect();
    const part = Math.max(0, Math.min(0.9999, (event.clientX - left) / Math.max(1, wide)));
    return curve.at[Math.floor(part * curve.at.length)] ?? 0;
  };
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
    const to = stepOf(event.key, walked, length);
    if (to !== null) {
      walk(to);
      dispatch({ type: 'hover', id: eqnId(path, to) });
    } else if (event.key === 'Enter' || event.key === ' ') choose(walked);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <p class="jxv-live-said">
        <Said graph={graph} stage={stage} live={live} eqn={shown} />
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
        onKeyDown={onKeyDown}
        onPointerMove={(event) => hover(under(event))}
        onPointerLeave={() => hover(null)}
        onClick={(event) => choose(under(event))}
      >
        <svg width={width} height={HEIGHT} aria-hidden="true">
          <path class="jxv-live-area" d={`${stepsOf(curve, width, y)}V${HEIGHT}H0Z`} />
          <rect
            class="jxv-live-inputs"
            x={0}
            y={y(live.inputs)}
            width={width}
            height={HEIGHT - y(live.inputs)}
          />
          <path class="jxv-live-curve" d={stepsOf(curve, width, y)} />
          {marked && (
            <rect
              class="jxv-live-selected"
              x={x(marked.start)}
              y={0}
              width={Math.max(1.5, x(marked.stop) - x(marked.start))}
              height={HEIGHT}
            />
          )}
          {aside !== null && <Aside at={y(aside)} width={width} bytes={aside} />}
          <path class="jxv-live-cursor" d={`M${x(shown + 0.5)} ${NUMBERS_HEIGHT}V${HEIGHT}`} />
          <circle class="jxv-live-peak" cx={x(live.peak + 0.5)} cy={y(live.most)} r={3.5} />
          <text class="jxv-live-number" x={4} y={11}>
            {sizeText(live.most)}
          </text>
        </svg>
      </div>
      <p class="jxv-live-axis" aria-hidden="true">
        <span>{__('eqn %1', 0)}</span>
        <span class="jxv-live-key">{__('inputs and consts %1', sizeText(live.inputs))}</span>
        <span>{__('eqn %1', (length - 1).toLocaleString('en'))}</span>
      </p>
    </>
  );
}

function Aside({ at, width, bytes }: { at: number; width: number; bytes: number }) {
  return (
    <>
      <path class="jxv-live-aside" d={`M0 ${at}H${width}`} />
      <text class="jxv-live-number" x={width - 4} y={at < 24 ? at + 12 : at - 4} text-anchor="end">
        {__('XLA sets aside %1', sizeText(bytes))}
      </text>
    </>
  );
}

/** From left to right, each column as wide as all others. */
function stepsOf({ values }: Curve, width: number, y: (bytes: number) => number): string {
  const wide = width / values.length;
  const steps = Array.from(values, (value, column) => {
    const height = y(value).toFixed(1);
    return `${column === 0 ? `M0 ${height}` : `V${height}`}H${((column + 1) * wide).toFixed(1)}`;
  });
  return steps.join('');
}

interface SaidProps {
  stage: Stage;
  graph: Graph;
  live: Liveness;
  eqn: number;
}

function Said({ stage, graph, live, eqn }: SaidProps) {
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
  const type = first === undefined ? '' : avalOf(stage, graph, first).text;
  return found ? `${labelOf(found)} ${type}`.trim() : '';
}

function whereOf(stage: Stage, graph: Graph, eqn: number): string {
  const frame = stage.frames[graph.eqns[eqn]?.frame ?? -1];
  return frame ? placeOf(frame) : __('eqn %1', eqn);
}

const textOf = (stage: Stage, graph: Graph, live: Liveness, eqn: number): string =>
  [
    sizeText(live.bytes[eqn] ?? 0),
    whatOf(stage, graph, eqn),
    whereOf(stage, graph, eqn),
    ...(eqn === live.peak ? [__('the peak')] : []),
  ].join(', ');

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
