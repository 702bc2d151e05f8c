/** Restores the short forms in which operands and names of vars (`jaxviz/display/wire/operands.py`), texts of stages
 * and spans of eqns (`jaxviz/display/wire/text.py`) are sent. */
import type { Eqn, Graph, Program, Stage, Var } from '../../schema';
import { Damaged, PART } from './wire-columns';

/** The names that JAX gives to vars: `a`, `b`, … `ba`. */
const JAX_NAME = /^[a-z]{1,8}$/;
const LONGEST_NAME = 8;
const Z = 'z'.charCodeAt(0);
/** Precedes a name that would otherwise be read as something else. */
const ESCAPE = '=';

/** Restores the operands and names of a program, in place, with pauses. Throws if a var is not of its graph, or an
 * eqn uses a var before it is made, or makes one that was used before. */
export function* restoreOperands({ stages }: Program): Generator<void, void> {
  let following = 'a';
  for (const { constvars, invars, outvars, eqns, vars } of stages.flatMap(({ graphs }) => graphs)) {
    yield;
    const seen = new SeenVars(vars);
    seen.restore(constvars, 'binder');
    seen.restore(invars, 'binder');
    yield* each(eqns, (eqn) => {
      seen.restore(eqn.invars, 'operand');
      seen.restore(eqn.outvars, 'result');
    });
    seen.restore(outvars, 'operand');
    yield* each(vars, (one) => {
      if (one.name === '') {
        one.name = following;
      } else {
        if (one.name.startsWith(ESCAPE)) one.name = one.name.slice(ESCAPE.length);
        if (!JAX_NAME.test(one.name)) return;
      }
      following = after(one.name);
    });
  }
}

/** Calls `act` with each item, with pauses. The loop is the browser's own, so that no large function is compiled for
 * it. With a loop here, reading takes longer: 4 % for 50,009 eqns, 18 % for 11,279. */
function* each<T>(all: readonly T[], act: (one: T) => void): Generator<void, void> {
  for (let at = 0; at < all.length; at += PART) {
    yield;
    all.slice(at, at + PART).forEach(act);
  }
}

/** The vars of a graph that were read so far. */
class SeenVars {
  #count = 0;
  readonly #used: Uint8Array;
  readonly #made: Uint8Array;

  constructor(vars: readonly Var[]) {
    this.#used = new Uint8Array(vars.length);
    this.#made = Uint8Array.from(vars, ({ literal }) => Number(literal));
  }

  /** Replaces ages by vars, in place. Age 0 is the next new var; a negative age is the var itself. */
  restore(ages: number[], role: 'binder' | 'operand' | 'result'): void {
    const used = this.#used;
    const made = this.#made;
    for (let place = 0; place < ages.length; place += 1) {
      const age = ages[place] as number;
      const variable = age >= 0 ? this.#count - age : -1 - age;
      if (!(variable >= 0 && variable < used.length)) throw new Damaged();
      if (variable >= this.#count) this.#count = variable + 1;
      if (role === 'result' && used[variable] === 1) throw new Damaged();
      if (role === 'operand' && made[variable] === 0) throw new Damaged();
      if (role !== 'result') used[variable] = 1;
      if (role !== 'operand') made[variable] = 1;
      ages[place] = variable;
    }
  }
}

/** `b` after `a`, `ba` after `z`. */
function after(name: string): string {
  if (name.length > LONGEST_NAME) return name;
  let length = name.length;
  while (length > 0 && name.charCodeAt(length - 1) === Z) length -= 1;
  const end = 'a'.repeat(name.length - length);
  if (length === 0) return `b${end}`;
  return name.slice(0, length - 1) + String.fromCharCode(name.charCodeAt(length - 1) + 1) + end;
}

/** The most characters of a text: a few pieces can stand for more than the memory. */
const LONGEST_TEXT = 64_000_000;

/** Characters that stand for names. A NUL precedes a character that only looks like a mark. */
const [RESULT, BINDER, RETURNED] = [1, 3, 4];
const LAST_MARK = '\u0004';
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what marks a piece.
const PIECE_PART = /\0([\0-\u0004])|[\u0001-\u0004]|[^\0-\u0004]+/g;

const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Restores the text of a stage and the spans of its eqns, in place, with a pause wherever one is possible. */
export function* restoreText(stage: Stage): Generator<void, void> {
  const pieces = stage.text as unknown as readonly string[];
  const spans = stage.graphs.flatMap((graph) => graph.eqns.map((eqn) => eqn.span));
  restoreSpans(spans, pieces.length);
  const around = owners(spans, pieces.length);
  yield;
  const written = writtenOut(stage, pieces, around);
  yield;
  stage.text = written.join('');
  const cuts = cutsOf(written, stage.text);
  spans.forEach((span) => {
    if (span === null) return;
    span[0] = cuts[span[0] as number] as number;
    span[1] = cuts[span[1] as number] as number;
  });
}

/** Turns the sent distances and counts into the indices of the pieces at which spans start and stop, in place. */
function restoreSpans(spans: readonly (number[] | null)[], pieces: number): void {
  let before = 0;
  spans.forEach((span) => {
    if (span === null) return;
    if (span.length !== 2) throw new Damaged();
    const start = before + (span[0] as number);
    const stop = start + (span[1] as number);
    if (!(0 <= start && start <= stop && stop <= pieces)) throw new Damaged();
    span[0] = start;
    span[1] = stop;
    before = stop;
  });
}

/** For each piece of the text the index of the innermost span around it; -1 if there is none. */
function owners(spans: readonly (number[] | null)[], pieces: number): Int32Array {
  const starts = new Int32Array(spans.length).fill(pieces);
  const stops = new Int32Array(spans.length).fill(pieces);
  spans.forEach((span, index) => {
    if (span === null) return;
    starts[index] = span[0] as number;
    stops[index] = span[1] as number;
  });
  const opening = outerFirst(starts, stops);
  const found = new Int32Array(pieces);
  const around = [-1];
  let innermost = -1;
  let next = 0;
  for (let piece = 0; piece < pieces; piece += 1) {
    while (innermost >= 0 && (stops[innermost] as number) <= piece) {
      around.pop();
      innermost = around[around.length - 1] as number;
    }
    for (; next < opening.length; next += 1) {
      const span = opening[next] as number;
      if ((starts[span] as number) > piece) break;
      if ((stops[span] as number) <= piece) continue;
      around.push(span);
      innermost = span;
    }
    found[piece] = innermost;
  }
  return found;
}

/** The indices of spans in the order of their starts; of those with the same start the longest first. Spans that are
 * in order, as most are, are not sorted: that would take 6 % of the time in which 50,009 eqns are read. */
function outerFirst(starts: Int32Array, stops: Int32Array): Int32Array {
  const order = starts.map((_, index) => index);
  const compare = (a: number, b: number) =>
    (starts[a] as number) - (starts[b] as number) ||
    (stops[b] as number) - (stops[a] as number) ||
    a - b;
  const isOrdered = order.every((index) => index === 0 || compare(index - 1, index) < 0);
  return isOrdered ? order : order.sort(compare);
}

/** The pieces with names instead of marks. */
function writtenOut(stage: Stage, pieces: readonly string[], around: Int32Array): string[] {
  const names = new Names(stage);
  const byPiece = new Map<string, readonly (string | number)[]>();
  let length = 0;
  return pieces.map((piece, index) => {
    let parts = byPiece.get(piece);
    if (parts === undefined) {
      parts = partsOf(piece);
      byPiece.set(piece, parts);
    }
    let text = '';
    for (let at = 0; at < parts.length; at += 1) {
      const part = parts[at] as string | number;
      text += typeof part === 'string' ? part : names.next(part, around[index] as number);
    }
    length += text.length;
    if (length > LONGEST_TEXT) throw new Damaged();
    return text;
  });
}

/** The strings and marks of a piece. */
function partsOf(piece: string): (string | number)[] {
  return Array.from(piece.matchAll(PIECE_PART), ([part, escaped]) => {
    if (escaped !== undefined) return escaped;
    return part <= LAST_MARK ? part.charCodeAt(0) : part;
  });
}

/** The offset at which each piece starts and the last one stops, in characters as Python counts them (code points). */
function cutsOf(pieces: readonly string[], text: string): number[] {
  const some = text.search(SURROGATE_PAIR) >= 0;
  let at = 0;
  const starts = pieces.map((piece) => {
    const start = at;
    at += some ? piece.length - (piece.match(SURROGATE_PAIR)?.length ?? 0) : piece.length;
    return start;
  });
  starts.push(at);
  return starts;
}

/** The names that each eqn contributes. Each list of names is read from its start. */
class Names {
  readonly #graphs: readonly Graph[];
  readonly #eqns: readonly Eqn[];
  readonly #holders: readonly Graph[];
  /** The number of results of each eqn that were named. */
  readonly #results: Int32Array;
  readonly #operands: Int32Array;
  readonly #inside = new Map<number, { binders: Iterator<string>; returned: Iterator<string> }>();

  constructor({ graphs }: Stage) {
    this.#graphs = graphs;
    this.#eqns = graphs.flatMap((graph) => graph.eqns);
    this.#holders = graphs.flatMap((graph) => new Array<Graph>(graph.eqns.length).fill(graph));
    this.#results = new Int32Array(this.#eqns.length);
    this.#operands = new Int32Array(this.#eqns.length);
  }

  /** The name for a mark in a piece. `owner` is the index of the eqn around the piece, -1 for the program. */
  next(mark: number, owner: number): string {
    if (mark === BINDER) return this.#insideOf(owner).binders.next().value ?? '';
    if (mark === RETURNED) return this.#insideOf(owner).returned.next().value ?? '';
    const eqn = this.#eqns[owner];
    if (!eqn) return '';
    const variables = mark === RESULT ? eqn.outvars : eqn.invars;
    const used = mark === RESULT ? this.#results : this.#operands;
    const at = used[owner] as number;
    used[owner] = at + 1;
    return this.#holders[owner]?.vars[variables[at] ?? -1]?.name ?? '';
  }

  #insideOf(owner: number) {
    const before = this.#inside.get(owner);
    if (before) return before;
    const bodies = this.#eqns[owner]?.bodies.map((body) => body.graph) ?? [0];
    const graphs = bodies.flatMap((body) => this.#graphs[body] ?? []);
    const made = { binders: binders(graphs), returned: returned(graphs) };
    this.#inside.set(owner, made);
    return made;
  }
}

function* binders(graphs: readonly Graph[]): Generator<string> {
  for (const { vars, constvars, invars } of graphs) {
    for (const index of constvars) yield vars[index]?.name ?? '';
    for (const index of invars) yield vars[index]?.name ?? '';
  }
}

function* returned(graphs: readonly Graph[]): Generator<string> {
  for (const { vars, outvars } of graphs) {
    for (const index of outvars) yield vars[index]?.name ?? '';
  }
}
