/** Adds up the costs of consecutive eqns of a graph. The sums are kept, so that each further range
 * takes constant time. */
import type { Cost, Graph } from '../../schema';

export const UNKNOWN_COST: Cost = { flops: null, bytes: null, least: false };

/** RunningSums over eqns `[0, n)` of a graph, for each n. */
interface RunningSums {
  flops: Float64Array;
  bytes: Float64Array;
  /** How many of these eqns have unknown flops, unknown bytes, or only lower bounds. */
  noFlops: Int32Array;
  noBytes: Int32Array;
  least: Int32Array;
}

const sums = new WeakMap<Graph, RunningSums>();

/** The running sums of a graph, for one run of it. */
function sumsOf(graph: Graph): RunningSums {
  const known = sums.get(graph);
  if (known) return known;
  const length = graph.eqns.length + 1;
  const made: RunningSums = {
    flops: new Float64Array(length),
    bytes: new Float64Array(length),
    noFlops: new Int32Array(length),
    noBytes: new Int32Array(length),
    least: new Int32Array(length),
  };
  graph.eqns.forEach(({ cost }, at) => {
    const { flops, bytes, least } = cost ?? UNKNOWN_COST;
    made.flops[at + 1] = made.flops[at]! + (flops ?? 0);
    made.bytes[at + 1] = made.bytes[at]! + (bytes ?? 0);
    made.noFlops[at + 1] = made.noFlops[at]! + Number(flops === null);
    made.noBytes[at + 1] = made.noBytes[at]! + Number(bytes === null);
    made.least[at + 1] = made.least[at]! + Number(least);
  });
  sums.set(graph, made);
  return made;
}

/** The flops and bytes of eqns `[start, stop)` of a graph in one run of it. */
export function costOfRun(graph: Graph, start: number, stop: number): Cost {
  const { flops, bytes, noFlops, noBytes, least } = sumsOf(graph);
  const [missing, unmoved] = [noFlops[stop]! - noFlops[start]!, noBytes[stop]! - noBytes[start]!];
  const all = stop - start;
  return {
    flops: missing === all && all > 0 ? null : flops[stop]! - flops[start]!,
    bytes: unmoved === all && all > 0 ? null : bytes[stop]! - bytes[start]!,
    least: missing + unmoved > 0 || least[stop]! > least[start]!,
  };
}
