/** The sharding of a value over the devices of the mesh: the axes that split each dimension, and the shard of each
 * device. */
import type { MeshAxis, Stage } from '../../schema';
import { avalOf, bindersOf, eqnAt, graphAt } from '../graph';
import { enclosingEqns, type Id, parse, ROOT } from '../ids';
import { plainName } from '../kinds';

export interface Sharding {
  mesh: readonly MeshAxis[];
  /** For each dimension its size, and the axes that split it, in their order. */
  dimensions: readonly Dimension[];
  /** The dtype as types write it: `f32`. */
  dtype: string;
  /** Bytes of the whole value; null if not known. */
  bytes: number | null;
}

interface Dimension {
  size: number;
  axes: readonly MeshAxis[];
}

/** The sharding of an input, an output or the only result of an eqn. Null if it is not known: Shardy's `{?}` leaves
 * it open, optimized HLO and the body of a `shard_map` are programs of one device, and an axis that does not divide a
 * dimension leaves unequal shards. */
export function shardingOf(stage: Stage, id: Id): Sharding | null {
  const graph = graphAt(stage, parse(id).path);
  const variable = isOfAllDevices(stage, id) ? variableOf(stage, id) : undefined;
  if (!graph || variable === undefined) return null;
  const { text, shape, sharding, bytes } = avalOf(stage, graph, variable);
  const split = axesOf(sharding ?? passedAs(stage, id));
  if (!split || !shape || split.length > shape.length) return null;
  const mesh = stage.call?.mesh ?? [];
  const dimensions = shape.map((size, at) => dimension(mesh, size, split[at] ?? []));
  if (!dimensions.every((one) => one !== null)) return null;
  return { mesh, dimensions, dtype: text.split('[')[0] ?? '', bytes };
}

const OF_ONE_DEVICE = new Set(['shard_map', 'manual_computation', 'pmap', 'xla_pmap']);

const isOfAllDevices = (stage: Stage, id: Id): boolean =>
  ['jaxpr', 'stablehlo'].includes(stage.kind) &&
  enclosingEqns(id).every((around) => {
    const op = eqnAt(stage, around)?.eqn.op ?? '';
    return !OF_ONE_DEVICE.has(plainName(op));
  });

function variableOf(stage: Stage, id: Id): number | undefined {
  const { path, step } = parse(id);
  if (step.kind === 'eqn') {
    const made = eqnAt(stage, id)?.eqn.outvars ?? [];
    return made.length === 1 ? made[0] : undefined;
  }
  const graph = graphAt(stage, path);
  return graph && step.kind === 'binder'
    ? bindersOf(graph, step.binder).vars[step.index]
    : undefined;
}

/** The partition spec of an input or output of the program without a sharding in its type. */
function passedAs({ call, graphs }: Stage, id: Id): string {
  const { path, step } = parse(id);
  if (path !== ROOT || step.kind !== 'binder' || !['in', 'out'].includes(step.binder)) return '';
  const before = step.binder === 'in' ? 0 : (graphs[0]?.invars.length ?? 0);
  return call?.shardings[before + step.index] ?? '';
}

const JAX = /^P\(((None|'[^']*'|\(('[^']*'(, |,)?)+\))(, |,)?)*\)$/;
const SHARDY = /^<@mesh, \[(\{("[^"]*"(, )?)*\}(, )?)*\]>$/;

/** For each dimension the axes that split it: of `P('data', None)`, or of `<@mesh, [{"data"}, {}]>`; null for any
 * other text. */
function axesOf(sharding: string): string[][] | null {
  const dimension = JAX.test(sharding)
    ? /None|\([^()]*\)|'[^']*'/g
    : SHARDY.test(sharding)
      ? /\{[^}]*\}/g
      : null;
  if (!dimension) return null;
  const listed = sharding.replace(/^P\(/, '').match(dimension) ?? [];
  return listed.map((one) =>
    [...one.matchAll(/'([^']*)'|"([^"]*)"/g)].map(([, a, b]) => a ?? b ?? ''),
  );
}

function dimension(
  mesh: readonly MeshAxis[],
  size: number | string,
  names: readonly string[],
): Dimension | null {
  const axes = names.flatMap((split) => mesh.find(({ name }) => name === split) ?? []);
  const isSplit = typeof size === 'number' && size % parts(axes) === 0;
  return isSplit && axes.length === names.length ? { size, axes } : null;
}

const parts = (axes: readonly MeshAxis[]): number =>
  axes.reduce((count, { size }) => count * size, 1);

const sizeOfShard = ({ size, axes }: Dimension): number => size / parts(axes);

/** The shape of each device's shard. */
export const shardShape = ({ dimensions }: Sharding): number[] => dimensions.map(sizeOfShard);

/** The bytes of each device's shard; null if not known. */
export const shardBytes = ({ dimensions, bytes }: Sharding): number | null =>
  bytes === null ? null : Math.ceil(bytes / parts(dimensions.flatMap(({ axes }) => axes)));

/** A place of the mesh: its position along each axis. */
export type Place = ReadonlyMap<MeshAxis, number>;

/** The part of each dimension in the shard of the device at a place: `0:512`; `:` for all of it. */
export function shardAt({ dimensions }: Sharding, place: Place): string[] {
  return dimensions.map((one) => {
    if (one.axes.length === 0) return ':';
    const at = one.axes.reduce((sum, axis) => sum * axis.size + (place.get(axis) ?? 0), 0);
    return `${at * sizeOfShard(one)}:${(at + 1) * sizeOfShard(one)}`;
  });
}
