import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Aval, Eqn, Graph, Group, Program, Sentence, Stage } from '../src/schema';
import type { Fact } from '../src/words/fact-parts';

export const GOLDEN = join(import.meta.dirname, '../../tests/golden');

/** The names of the programs that the Python tests captured in a folder. */
export const goldensIn = (folder: string): string[] =>
  readdirSync(join(GOLDEN, folder)).flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? []);

export const goldens = goldensIn('');

/** A program that the Python tests captured. */
export function golden(name: string): Program {
  return JSON.parse(readFileSync(join(GOLDEN, `${name}.json`), 'utf8')) as Program;
}

/** The programs as the Python side sends them, in base64. */
export const SENT: ReadonlyMap<string, string> = new Map(
  readFileSync(join(GOLDEN, 'wire/programs.txt'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ') as [string, string]),
);

export const stageOf = (name: string): Stage => golden(name).stages[0] as Stage;

/** A sentence of the kernel that no table has. */
export const english = (text: string): Sentence => ({ key: '', parts: [], text });

export const F32: Aval = {
  text: 'f32[]',
  kind: 'array',
  shape: [],
  dtype: 'float32',
  weak_type: false,
  sharding: null,
  memory: null,
  layout: null,
  bytes: 4,
};

/** The fields of a stage without costs. */
export const UNMEASURED = {
  cost: null,
  reported: null,
  memory: null,
  took: null,
  call: null,
  collectives: [],
  strays: [],
  times: null,
  values: [],
};

/** The fields that only eqns of later stages have, empty for an eqn of a jaxpr. */
export const JAXPR = { roles: [], origin: [], guess: false, own: '', trips: null, cost: null };

/** A graph whose eqn `i` takes variable `i` and gives variable `i + 1`. */
export function chain(ops: readonly string[], bodies: readonly (readonly number[])[] = []): Graph {
  const eqns = ops.map(
    (op, index): Eqn => ({
      op,
      name: '',
      invars: [index],
      outvars: [index + 1],
      params: [],
      attributes: null,
      bodies: (bodies[index] ?? []).map((graph, number) => ({
        label: `branch ${number}`,
        graph,
        inputs: [0],
        outputs: [0],
      })),
      effects: [],
      frame: null,
      call: null,
      inherited: true,
      scope: 0,
      span: null,
      ...JAXPR,
    }),
  );
  return {
    name: 'f',
    vars: [...ops, 'out'].map((_, index) => ({ name: `v${index}`, aval: 0, literal: false })),
    constvars: [],
    invars: [0],
    outvars: [ops.length],
    args: ['x'],
    results: ['result'],
    eqns,
    groups: [],
    effects: [],
  };
}

export function stage(graphs: Graph[], text = ''): Stage {
  return {
    kind: 'jaxpr',
    graphs,
    avals: [F32],
    frames: [],
    scopes: [''],
    text,
    notes: [],
    ...UNMEASURED,
    error: null,
  };
}

/** A fact as it reads: `lhs h: f32[8,64] ← [jit relu]`, links in brackets. */
export function readable({ name, value }: Fact): string {
  const parts = value.map((part) => (part.kind === 'link' ? `[${part.text}]` : part.text));
  return `${name}: ${parts.join(' ')}`;
}

/** A group that says nothing but its name and which eqns, `[start, stop)`, are in it. */
export const plainGroup = (start: number, stop: number, name = 'g'): Group => ({
  ...{ name, kind: 'scope', role: '', parent: null, twin: null, alike: -1 },
  ...{ loop: '', loop_line: 0, named_by: '', start, stop },
});
