import { describe, expect, test } from 'vitest';
import { checked } from '../src/model/check';
import { decode } from '../src/model/wire';
import type { Body, Program, Stage } from '../src/schema';
import { F32, golden, goldens } from './fixtures';

/** Graphs of one eqn each that takes their input to their output and holds these bodies. */
function program(...held: number[][]): Program {
  const body = (graph: number): Body => ({ label: 'body', graph, inputs: [0], outputs: [-1] });
  const graphs = held.map((bodies, index) => ({
    name: `graph ${index}`,
    vars: [
      { name: 'a', aval: 0, literal: false },
      { name: 'b', aval: 0, literal: false },
    ],
    constvars: [],
    invars: [0],
    outvars: [1],
    args: ['x'],
    results: ['result'],
    eqns: [
      {
        op: 'sin',
        name: '',
        invars: [0],
        outvars: [1],
        params: [],
        bodies: bodies.map(body),
        effects: [],
        frame: null,
        call: null,
        inherited: false,
        scope: 0,
        span: [0, 4],
      },
    ],
    groups: [{ ...group(0, 1), name: 'all' }],
    effects: [],
  }));
  const stage = { kind: 'jaxpr', graphs, avals: [F32], frames: [], scopes: [''], text: 'text' };
  const leaf = { path: 'x', aval: F32 };
  return {
    version: 1,
    jax: '0.10.2',
    name: 'f',
    args: [leaf],
    results: [leaf],
    stages: [{ ...stage, notes: [], error: null }],
  };
}

test('a program is what it was', () => {
  const whole = program([1, 2], [2], []);
  expect(checked(whole)).toBe(whole);
});

test.each(goldens)('%s is a program', (name) => {
  const whole = golden(name);
  expect(checked(whole)).toBe(whole);
});

test('what inflates without end is refused', async () => {
  const json = JSON.stringify(program([]));
  const deflated = new Blob([json]).stream().pipeThrough(new CompressionStream('deflate'));
  const bytes = new Uint8Array(await new Response(deflated).arrayBuffer());
  expect(await decode(bytes)).toEqual(program([]));
  await expect(decode(bytes, json.length - 1)).rejects.toThrow('It is larger than any');
});

describe('data that is no program is refused', () => {
  const changes: [string, (stage: Stage) => void][] = [
    ['an operand that is not in the graph', (stage) => stage.graphs[0]?.eqns[0]?.invars.push(2)],
    ['a negative index', (stage) => stage.graphs[0]?.outvars.fill(-1)],
    ['an aval that is not in the stage', (stage) => stage.avals.pop()],
    ['a scope that is not in the stage', (stage) => stage.scopes.pop()],
    ['a span beyond the text', (stage) => stage.graphs[0]?.eqns[0]?.span?.splice(1, 1, 5)],
    ['a group beyond the eqns', (stage) => stage.graphs[0]?.groups.push(group(0, 2))],
    ['a group beyond the one around it', (stage) => stage.graphs[0]?.groups.push(outOfTheFirst)],
    ['an eqn before what it uses', (stage) => stage.graphs[0]?.eqns[0]?.invars.fill(1)],
    ['a span beyond a text of wide characters', (stage) => Object.assign(stage, { text: '😀😀' })],
    ['no graph', (stage) => stage.graphs.splice(0)],
    ['a body that is not in the stage', (stage) => stage.graphs.pop()],
    ['an unknown field', (stage) => Object.assign(stage, { html: '' })],
    ['a number for a text', (stage) => Object.assign(stage, { text: 7 })],
    ['a fraction for an index', (stage) => stage.graphs[0]?.invars.fill(0.5)],
  ];
  test.each(changes)('%s', (_, change) => {
    const changed = program([1], []);
    for (const stage of changed.stages) change(stage);
    expect(() => checked(changed)).toThrow(/its data/);
  });

  test.each([null, 7, 'text', [], {}, { version: 1 }])('%j', (data) => {
    expect(() => checked(data)).toThrow('its data is damaged.');
  });

  test('a body that holds itself, at any remove', () => {
    expect(() => checked(program([1], [2], [1]))).toThrow('its data does not fit together.');
    expect(() => checked(program([0]))).toThrow('its data does not fit together.');
  });
});

const outOfTheFirst = { ...group(0, 2), parent: 0 };

function group(start: number, stop: number) {
  const none = { role: '', parent: null, twin: null, alike: -1 };
  return { name: 'g', kind: 'section', ...none, start, stop };
}
