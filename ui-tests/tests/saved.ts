/** Outputs of jaxviz as a notebook's file holds them, written here by hand. */
import { execFileSync } from 'node:child_process';
import { type Display, type Eqn, type Program, VERSION } from '../../js/src/schema';
import { type Notebook, notebook } from './notebook';

const MIME = 'application/vnd.jaxviz.v1+json';

/** The program of `def NAME(x): return sin(cos(x))`, with the caller's strings. */
export function program(name: string, op = 'cos'): Program {
  const scalar = {
    text: 'f32[5]',
    kind: 'array',
    shape: [5],
    dtype: 'float32',
    weak_type: false,
    sharding: null,
    memory: null,
    layout: null,
    bytes: 20,
  };
  const text = `{ lambda ; a:f32[5]. let b:f32[5] = ${op} a; c:f32[5] = sin b in (c,) }`;
  const eqn = (primitive: string, from: number, to: number): Eqn => ({
    op: primitive,
    name: '',
    invars: [from],
    outvars: [to],
    roles: [],
    params: [],
    attributes: null,
    bodies: [],
    effects: [],
    frame: null,
    call: null,
    inherited: false,
    scope: 0,
    span: [text.indexOf(`= ${primitive} `) - 9, text.indexOf(`= ${primitive} `) + 4],
    origin: [],
    guess: false,
    own: '',
    trips: null,
    cost: null,
  });
  return {
    version: VERSION,
    jax: '0.10.2',
    name,
    fixed: [],
    args: [{ path: 'x', aval: scalar }],
    results: [{ path: 'result', aval: scalar }],
    listings: [],
    stages: [
      {
        kind: 'jaxpr',
        graphs: [
          {
            name,
            vars: ['a', 'b', 'c'].map((one) => ({ name: one, aval: 0, literal: false })),
            constvars: [],
            invars: [0],
            outvars: [2],
            args: ['x'],
            results: ['result'],
            eqns: [eqn(op, 0, 1), eqn('sin', 1, 2)],
            groups: [],
            effects: [],
          },
        ],
        avals: [scalar],
        frames: [],
        scopes: [''],
        text,
        notes: [],
        cost: null,
        reported: null,
        memory: null,
        call: null,
        took: null,
        error: null,
        collectives: [],
        strays: [],
        values: [],
        times: null,
      },
    ],
    compared: null,
    findings: [],
  };
}

export function display(shown: Program, partial = ''): Display {
  const data = encoded(shown).toString('base64');
  return {
    version: VERSION,
    jaxviz: '',
    program: data,
    partial: partial ? { key: '', parts: [], text: partial } : null,
    opening: { stage: 'jaxpr' },
    key: '',
    since: '',
    report: null,
    can_step: false,
  };
}

/** A program as it travels. */
export function encoded(shown: Program): Buffer {
  return execFileSync('python', ['-c', ENCODE], { input: JSON.stringify(shown) });
}

const ENCODE = `
import sys, msgspec
from jaxviz import schema
from jaxviz.display import encode
record = msgspec.json.decode(sys.stdin.buffer.read(), type=schema.Program)
sys.stdout.buffer.write(encode(record))
`;

/** A notebook that no kernel ran: each output with its data, and a summary beside it. */
export function saved(displays: unknown[]): Notebook {
  const made = notebook(displays.map((_, index) => `# output ${index}`));
  made.metadata = {};
  made.cells.forEach((cell, index) => {
    const data = { [MIME]: displays[index], 'text/plain': 'the summary' };
    Object.assign(cell, {
      execution_count: 1,
      outputs: [{ output_type: 'display_data', data, metadata: {} }],
    });
  });
  return made;
}
