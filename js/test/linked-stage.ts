import type { Eqn, Frame, Graph, Stage } from '../src/schema';
import { F32, UNMEASURED } from './fixtures';
import { CELL } from './linked-text';

/** Stages by hand, from the lines that they print. */

interface Line {
  /** The text of the stage with the span of the eqn. */
  text: string;
  op: string;
  name?: string;
  bodies?: [label: string, graph: number][];
  origin?: number[];
  guess?: boolean;
  /** The line of the cell, 0 where JAX knows none. */
  line?: number;
}

const LINES = [5, 6, 7, 10, 12, 13];

const frames: Frame[] = LINES.map((line) => ({
  function: 'model',
  file: 'cell.py',
  line,
  column: 5,
  end_line: 0,
  end_column: 0,
  code: CELL.split('\n')[line - 1]?.trim() ?? '',
  cell: 'c1',
  count: 3,
  library: false,
  rules: '',
  parent: null,
}));

/** A graph whose eqns each take the result of the one before; their spans are found in `text`. */
export function graph(
  name: string,
  lines: readonly Line[],
  text: string,
  more: Partial<Graph> = {},
): Graph {
  let from = Math.max(0, text.indexOf(`#${name}`));
  const eqns = lines.map((one, index): Eqn => {
    const start = text.indexOf(one.text.split('…')[0] as string, from);
    const end = one.text.includes('…')
      ? text.indexOf(one.text.split('…')[1] as string, start) +
        (one.text.split('…')[1] ?? '').length
      : start + one.text.length;
    from = end;
    return {
      op: one.op,
      name: one.name ?? '',
      invars: [index],
      outvars: [index + 1],
      roles: [],
      params: [],
      attributes: null,
      bodies: (one.bodies ?? []).map(([label, number]) => ({
        label,
        graph: number,
        inputs: [0],
        outputs: [0],
      })),
      effects: [],
      frame: one.line ? LINES.indexOf(one.line) : null,
      call: null,
      inherited: !one.line,
      scope: 0,
      span: start < 0 ? null : [start, end],
      origin: one.origin ?? [],
      guess: one.guess ?? false,
      own: '',
      trips: null,
      cost: null,
    };
  });
  const printed = (one: Line | undefined) => /^(%?[\w.]+)/.exec(one?.text ?? '')?.[1] ?? 'x';
  return {
    name,
    vars: [undefined, ...lines].map((one) => ({ name: printed(one), aval: 0, literal: false })),
    constvars: [],
    invars: [0],
    outvars: [lines.length],
    args: [''],
    results: [''],
    eqns,
    groups: [],
    effects: [],
    ...more,
  };
}

export function stage(kind: string, text: string, graphs: Graph[]): Stage {
  return {
    kind,
    graphs,
    avals: [F32],
    frames,
    scopes: [''],
    text,
    notes: [],
    ...UNMEASURED,
    error: null,
  };
}
