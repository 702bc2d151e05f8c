/** The parts of a value on the devices of a mesh, compared with counts by hand. */
import { describe, expect, it } from 'vitest';
import { shardAt, shardBytes, shardingOf, shardShape } from '../src/facts/numbers/sharding';
import type { Program, Stage } from '../src/schema';
import { meshFacts } from '../src/words/value-rows';
import { golden, readable } from './fixtures';

const DATA = { name: 'data', size: 4 };
const MODEL = { name: 'model', size: 2 };
const MESH = [DATA, MODEL];

const at = (data: number, model: number) =>
  new Map([
    [DATA, data],
    [MODEL, model],
  ]);

/** The first input is f32[2048,512], 4 MiB, laid as a sharding says, which its type has or the call. */
function laid(sharding: string, kind = 'jaxpr', inCall = false): ReturnType<typeof shardingOf> {
  const [first] = (golden('lesson') as Program).stages as [Stage];
  const root = first.graphs[0]!;
  const aval = {
    ...first.avals[0]!,
    text: 'f32[2048,512]',
    shape: [2048, 512],
    bytes: 4 << 20,
    sharding: inCall ? null : sharding,
  };
  const vars = [{ name: 'a', aval: 0, literal: false }, ...root.vars.slice(1)];
  const call = { ...first.call!, mesh: MESH, shardings: inCall ? [sharding] : [] };
  const graph = { ...root, vars, invars: [0] };
  return shardingOf({ ...first, kind, call, avals: [aval], graphs: [graph] }, 'in0');
}

describe('a value on a mesh', () => {
  it.each([
    ["P('data', None)", 'jaxpr'],
    ["P('data',)", 'jaxpr'],
    ['<@mesh, [{"data"}, {}]>', 'stablehlo'],
  ])('is split along an axis: %s', (sharding, kind) => {
    for (const inCall of [false, true]) {
      const found = laid(sharding, kind, inCall)!;
      expect(shardShape(found)).toEqual([512, 512]);
      expect(shardBytes(found)).toBe(1 << 20);
      expect(shardAt(found, at(1, 0))).toEqual(['512:1024', ':']);
      expect(shardAt(found, at(1, 1))).toEqual(['512:1024', ':']);
      expect(meshFacts(found).map(readable)).toEqual([
        'per device: f32[512,512] 1.0 MiB',
        'split: dimension 0 along data; the same along model',
        'mesh: data 4 × model 2',
      ]);
    }
  });

  it('is split along two axes of one dimension, and the first one counts slower', () => {
    const found = laid("P(None, ('data', 'model'))")!;
    expect(shardShape(found)).toEqual([2048, 64]);
    expect(shardAt(found, at(1, 1))).toEqual([':', '192:256']);
    const turned = laid("P(None, ('model', 'data'))")!;
    expect(shardAt(turned, at(1, 1))).toEqual([':', '320:384']);
    expect(meshFacts(turned).map(readable)[1]).toBe('split: dimension 1 along model, data');
  });

  it('is split along both', () => {
    const found = laid('<@mesh, [{"model"}, {"data"}]>', 'stablehlo')!;
    expect(shardShape(found)).toEqual([1024, 128]);
    expect(shardAt(found, at(3, 1))).toEqual(['1024:2048', '384:512']);
  });

  it('is not said in a body that each device runs on its part', () => {
    const [first] = (golden('lesson') as Program).stages as [Stage];
    const root = first.graphs[0]!;
    const eqn = {
      ...root.eqns[0]!,
      bodies: [{ graph: 1, label: 'jaxpr', inputs: [], outputs: [] }],
      outvars: [0],
    };
    const vars = [{ name: 'a', aval: 0, literal: false }];
    const held = { ...root, vars, eqns: [], invars: [0], groups: [] };
    const aval = { ...first.avals[0]!, text: 'f32[8]', shape: [8], sharding: "P('model',)" };
    const within = (op: string) => {
      const graphs = [{ ...held, eqns: [{ ...eqn, op }] }, held];
      return shardingOf(
        { ...first, avals: [aval], graphs, call: { ...first.call!, mesh: MESH } },
        '0.0/in0',
      );
    };
    expect(within('shard_map')).toBeNull();
    expect(within('sdy.manual_computation')).toBeNull();
    expect(within('jit')).not.toBeNull();
  });

  it('is not known where nothing or something else is said', () => {
    expect(laid('')).toBeNull();
    expect(laid("P('other')")).toBeNull();
    expect(laid('<@mesh, [{"data":(1)2}, {}]>', 'stablehlo')).toBeNull();
    expect(laid('<@mesh, [{"data", ?}, {?}]>', 'stablehlo')).toBeNull(); // open to more axes
    expect(laid('<@mesh_0, [{"data"}, {}]>', 'stablehlo')).toBeNull(); // another mesh
    expect(laid('<@mesh, [{"data"}, {}], unreduced={"model"}>', 'stablehlo')).toBeNull();
    expect(laid("P('data', None, unreduced={'model'})")).toBeNull();
    expect(laid("P(UNCONSTRAINED, 'data')")).toBeNull();
    expect(laid("P('data', 'data', 'model')")).toBeNull();
    expect(laid('{devices=[4,1]<=[4]}', 'stablehlo')).toBeNull();
    expect(laid('<@mesh, [{"data"}, {}]>', 'hlo')).toBeNull();
  });
});
