import { describe, expect, test } from 'vitest';
import { check } from '../src/facts/wire/check-program';
import { restoreOperands } from '../src/facts/wire/short-forms';
import { type Body, type Eqn, type Program, type Stage, VERSION } from '../src/schema';
import { F32, golden, goldens, JAXPR, plainGroup, UNMEASURED } from './fixtures';

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
        attributes: null,
        bodies: bodies.map(body),
        effects: [],
        frame: null,
        call: null,
        inherited: false,
        scope: 0,
        span: [0, 4],
        ...JAXPR,
        roles: [],
      },
    ],
    groups: [{ ...group(0, 1), name: 'all' }],
    effects: [],
  }));
  const stage = { kind: 'jaxpr', graphs, avals: [F32], frames: [], scopes: [''], text: 'text' };
  const leaf = { path: 'x', aval: F32 };
  return {
    version: VERSION,
    jax: '0.10.2',
    name: 'f',
    args: [leaf],
    fixed: [],
    results: [leaf],
    listings: [],
    stages: [{ ...stage, ...UNMEASURED, collectives: [], strays: [], notes: [], error: null }],
    compared: null,
    findings: [],
  };
}

test('a program holds together', () => {
  check(program([1, 2], [2], []));
});

test.each(goldens)('%s holds together', (name) => {
  check(golden(name));
});

describe('a program that does not hold together is refused', () => {
  const changes: [string, (stage: Stage) => void][] = [
    ['an aval that is not in the stage', (stage) => stage.avals.pop()],
    ['a scope that is not in the stage', (stage) => stage.scopes.pop()],
    ['a group beyond the eqns', (stage) => stage.graphs[0]?.groups.push(group(0, 2))],
    ['a group beyond the one around it', (stage) => stage.graphs[0]?.groups.push(outOfTheFirst)],
    ['roles of other operands', (stage) => stage.graphs[0]?.eqns[0]?.roles.push('carry', 'xs')],
    [
      'an exchange of an eqn that is not there',
      ({ collectives }) =>
        collectives.push({ eqn: 9, kind: 'permute', axes: [], devices: 2, sent: 8, cause: '' }),
    ],
    [
      'a stray of an eqn that is not there',
      ({ strays }) => strays.push({ eqn: 9, layer: 'layers[7]', siblings: 11, shared: true }),
    ],
    ['no graph', (stage) => stage.graphs.splice(0)],
    ['a body that is not in the stage', (stage) => stage.graphs.pop()],
  ];
  test.each(changes)('%s', (_, change) => {
    const changed = program([1], []);
    for (const stage of changed.stages) change(stage);
    expect(() => check(changed)).toThrow('Its parts contradict one another.');
  });

  test('a body that holds itself, at any remove', () => {
    expect(() => check(program([1], [2], [1]))).toThrow('Its parts contradict one another.');
    expect(() => check(program([0]))).toThrow('Its parts contradict one another.');
  });
});

test('a variable is of its graph, and no eqn uses what it or a later one makes', () => {
  const restored = (change: (eqn: Eqn) => void) => {
    const sent = program([]);
    for (const { graphs } of sent.stages) {
      for (const graph of graphs) {
        graph.vars = graph.vars.map((one) => ({ ...one, name: '' }));
        Object.assign(graph, { invars: [0], outvars: [1] });
        graph.eqns.forEach(change);
      }
    }
    Array.from(restoreOperands(sent));
    return sent;
  };
  const set = (invars: number[], outvars: number[]) => (eqn: Eqn) =>
    Object.assign(eqn, { invars, outvars });
  const wanted = program([]);
  expect(restored(set([1], [0])).stages[0]?.graphs).toEqual(wanted.stages[0]?.graphs);
  expect(restored(set([-1], [-2])).stages[0]?.graphs).toEqual(wanted.stages[0]?.graphs);
  for (const operand of [2, -3]) {
    expect(() => restored(set([operand], [0]))).toThrow('Its data is damaged.');
  }
  expect(() => restored(set([0], [1]))).toThrow('Its data is damaged.');
});

const outOfTheFirst = { ...group(0, 2), parent: 0 };

function group(start: number, stop: number) {
  return { ...plainGroup(start, stop), kind: 'section' };
}
