import fc from 'fast-check';
import type { Graph, Stage } from '../src/schema';
import { stage } from './fixtures';
import { Growing } from './growing';

interface Layer {
  parts: number[];
  /** The parts of the layer that the backward pass lacks or has in another form. */
  twin: boolean;
  recompute: boolean;
  update: boolean;
  scan: boolean;
}

const layers = fc.array(
  fc.record({
    parts: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
    twin: fc.boolean(),
    recompute: fc.boolean(),
    update: fc.boolean(),
    scan: fc.boolean(),
  }),
  { maxLength: 6 },
);

/** Training steps: layers with their derivatives in reverse order and the updates of their
 * parameters, and now and then something that a clear step does not have. */
export const steps: fc.Arbitrary<Stage> = fc
  .record({
    layers,
    numbers: fc.array(fc.nat(10_000), { minLength: 1, maxLength: 120 }),
    inputs: fc.integer({ min: 1, max: 16 }),
    beside: fc.tuple(fc.nat(2), fc.nat(2), fc.nat(3)),
    wrapped: fc.boolean(),
  })
  .map(({ layers, numbers, inputs, beside, wrapped }) => {
    const names = Array.from({ length: inputs }, (_, at) => `params['layers'][${at}]['w']`);
    const grown = new Growing(numbers, [...names, 'x']);
    stepInto(grown, layers, beside);
    const body = new Growing(numbers, ['a', 'b']);
    body.graph.outvars = [body.eqn('tanh', [body.eqn('dot_general', [0, 1])])];
    body.graph.results = ['carry'];
    return wrapped ? wrap(grown.graph, body.graph) : stage([grown.graph, body.graph]);
  });

/** A step as it grows: the value that flows on, and of each layer what the backward pass needs. */
interface Growth {
  grown: Growing;
  layers: Layer[];
  flow: number;
  /** The values of each layer's parts, its group and its parts' groups. */
  made: { values: number[][]; group: number; parts: number[] }[];
  gradients: number[];
}

function stepInto(grown: Growing, layers: Layer[], [before, between, after]: number[]): void {
  const { graph } = grown;
  const growth: Growth = { grown, layers, flow: graph.invars.at(-1)!, made: [], gradients: [] };
  loose(growth, before);
  const forward = grown.group('forward', null, { role: 'forward' }, (own) => {
    for (const [at, layer] of layers.entries()) forwardOf(growth, layer, at, own);
  });
  loose(growth, between);
  grown.group('backward', null, { role: 'backward', twin: forward }, (own) => {
    for (let at = layers.length - 1; at >= 0; at--) backwardOf(growth, at, own);
  });
  const results: number[] = [];
  grown.group('optimizer', null, { role: 'optimizer', twin: forward }, (own) => {
    for (const [at, { update }] of layers.entries()) {
      if (update) results.push(updateOf(growth, at, own));
    }
  });
  loose(growth, after);
  graph.outvars = [...results, growth.flow];
  graph.results = graph.outvars.map((_, at) => `result[${at}]`);
}

/** Eqns beside the passes. */
function loose(growth: Growth, count = 0): void {
  const { grown } = growth;
  for (let at = 0; at < count; at++) {
    growth.flow = grown.eqn('mul', [growth.flow, grown.oneOf(grown.graph.invars)]);
  }
}

const paramOf = ({ graph }: Growing, layer: number): number =>
  graph.invars[layer % (graph.invars.length - 1)]!;

const valuesOf = ({ made }: Growth): number[] => made.flatMap(({ values }) => values.flat());

function forwardOf(growth: Growth, layer: Layer, at: number, outer: number): void {
  const { grown } = growth;
  const one = { values: layer.parts.map((): number[] => []), group: -1, parts: [] as number[] };
  growth.made.push(one);
  one.group = grown.group(`layer ${at}`, outer, { role: 'forward', alike: at % 2 }, (own) => {
    layer.parts.forEach((size, part) => {
      const grow = () => {
        for (let eqn = 0; eqn < size; eqn++) {
          const skip = grown.once(4) ? [grown.oneOf([...valuesOf(growth), growth.flow])] : [];
          const operands = [growth.flow, paramOf(grown, at), ...skip];
          growth.flow = callOf(grown, layer.scan && eqn === 0, operands);
          one.values[part]!.push(growth.flow);
        }
      };
      if (layer.parts.length === 1) grow();
      else one.parts.push(grown.group(`part ${part}`, own, { role: 'forward' }, grow));
    });
  });
}

function backwardOf(growth: Growth, at: number, outer: number): void {
  const { grown, made, layers } = growth;
  const layer = layers[at]!;
  const { values, group, parts } = made[at]!;
  const twin = layer.twin ? group : null;
  grown.group(`layer ${at} ⟵`, outer, { role: 'backward', twin }, (own) => {
    if (layer.recompute) {
      grown.group('again', own, { role: 'recompute', twin }, () => {
        for (const value of values.flat()) grown.eqn('sin', [value]);
      });
    }
    for (let part = layer.parts.length - 1; part >= 0; part--) {
      const grow = () => {
        for (const value of [...values[part]!].reverse()) {
          const far = grown.once(6) ? [grown.oneOf(valuesOf(growth))] : [];
          growth.flow = grown.eqn('mul', [growth.flow, value, ...far], 1 + grown.below(2));
        }
      };
      const about = { role: 'backward', twin: layer.twin ? (parts[part] ?? null) : null };
      if (layer.parts.length === 1) grow();
      else grown.group(`part ${part} ⟵`, own, about, grow);
    }
  });
  growth.gradients[at] = growth.flow;
}

/** The new value of a layer's parameter. */
function updateOf({ grown, made, gradients }: Growth, at: number, outer: number): number {
  const twin = grown.once(5) ? null : made[at]!.group;
  let updated = -1;
  grown.group(`update ${at}`, outer, { role: 'optimizer', twin }, () => {
    const scaled = grown.eqn('mul', [gradients[at]!]);
    updated = grown.eqn('sub', [paramOf(grown, at), scaled]);
  });
  return updated;
}

/** An eqn of a forward pass, a scan over graph 1 where `scan` says so. */
function callOf(grown: Growing, scan: boolean, invars: number[]): number {
  if (!scan) return grown.eqn(grown.oneOf(['add', 'dot_general', 'max', 'exp']), invars);
  const body = { label: 'body', graph: 1, inputs: [0, 1], outputs: [0] };
  return grown.eqn('scan', invars, 1, [body]);
}

/** The step as the one body of a jit, as a jitted function has it. */
function wrap(step: Graph, body: Graph): Stage {
  const outer = new Growing([0], step.args);
  const inputs = step.invars.map((_, at) => at);
  const outputs = step.outvars.map((_, at) => at);
  const held = { label: 'body', graph: 2, inputs, outputs };
  outer.eqn('jit', [...outer.graph.invars], step.outvars.length, [held]);
  outer.graph.outvars = outer.graph.eqns[0]?.outvars ?? [];
  outer.graph.results = step.results;
  return stage([outer.graph, body, step]);
}
