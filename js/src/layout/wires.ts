/** Connects the items of a region by wires, and finds where values cross the border of an open box. */

import { givenBy, leaving, takenBy } from '../facts/flow';
import { conditionCasts, isPassedOn, pickIn } from '../facts/graph';
import { parse } from '../facts/ids';
import { append } from '../facts/maps';
import type { Item } from '../facts/outline';
import type { Graph } from '../schema';

/** A place where values cross the border of an open box. A value without an entry ends at the
 * border. */
export interface Port {
  vars: readonly number[];
  /** px right of the box's left side. */
  x: number;
  /** The constant with which the value of an open loop or choice starts. */
  start?: Item | undefined;
}

/** The ports of an open box: where values enter, and where they leave. */
export interface Ports {
  entries: readonly Port[];
  exits: readonly Port[];
}

/** An end of a wire: an item of the region (by its index, or `BORDER` for the region's own border)
 * and one of its ports (or `PLAIN`, `PICK`). */
export interface End {
  item: number;
  port: number;
}

/** The region's own border, in place of an item. */
export const BORDER = -1;

/** Values that flow between two items of a region. */
export interface Wire {
  source: End;
  target: End;
  vars: number[];
}

/** All wires of a region, and the ports of its border. */
export interface Wiring {
  wires: Wire[];
  /** The vars of each port of the region's own border. */
  entries: number[][];
  exits: number[][];
}

/** The contents of a region: its items, and the ports of those that are open. */
export interface Contents {
  items: readonly Item[];
  ports: readonly (Ports | null)[];
  /** True if a value is shown. */
  carries: (variable: number) => boolean;
}

/** No port: the wire ends at the box itself. */
export const PLAIN = -1;
/** The left side of a choice, where the value enters that picks its branch. */
export const PICK = -2;

/** The wires of a whole graph. Values enter and leave it only through its binders. */
export function wiresOfGraph(graph: Graph, contents: Contents): Wiring {
  const collect = new Collector(contents, graph);
  flowWithin(graph, contents, collect);
  return collect.wiring();
}

/** The wires of a group, whose eqns end before `stop`, with the values that cross its border. */
export function wiresOfGroup(graph: Graph, contents: Contents, stop: number): Wiring {
  const collect = new Collector(contents, graph);
  flowWithin(graph, contents, collect);
  const leaves = leaving(graph, stop);
  contents.items.forEach((item, source) => {
    for (const variable of madeBy(graph, item)) {
      if (leaves(variable)) collect.leaving(variable, source);
    }
  });
  return collect.wiring();
}

/** Adds what flows from item to item, and what none of them makes. The makers of vars are an array, not a map: the
 * kernel's engine gives numbers of one size the same hash. */
function flowWithin(graph: Graph, contents: Contents, collect: Collector): void {
  const makers = new Int32Array(graph.vars.length).fill(BORDER);
  contents.items.forEach((item, index) => {
    for (const variable of madeBy(graph, item)) makers[variable] = index;
  });
  contents.items.forEach((item, target) => {
    for (const variable of usedBy(graph, item)) {
      const source = makers[variable]!;
      if (source === BORDER) collect.entering(variable, target);
      else collect.between(variable, source, target);
    }
  });
}

/** The wires between the border of an eqn and its bodies, which stand side by side. `starts` contains operands that are
 * constants and enter all the same. */
export function wiresOfBodies(
  graph: Graph,
  contents: Contents,
  starts: ReadonlyMap<number, unknown>,
): Wiring {
  const collect = new Collector(contents, graph);
  contents.items.forEach((item, at) => {
    const eqn = graph.eqns[item.start];
    const operands = eqn?.bodies[bodyIndex(item)]?.inputs ?? [];
    const entering = operands.flatMap((operand) => {
      const variable = eqn?.invars[operand] ?? -1;
      return starts.has(operand) || !graph.vars[variable]?.literal ? [variable] : [];
    });
    for (const variable of new Set(entering)) collect.entering(variable, at);
  });
  contents.items.forEach((item, at) => {
    for (const variable of new Set(madeBy(graph, item))) collect.leaving(variable, at);
  });
  return collect.wiring();
}

/** The vars of its graph that an item uses, each once. */
export function usedBy(graph: Graph, item: Item): readonly number[] {
  const vars = used.get(item) ?? findUsed(graph, item);
  used.set(item, vars);
  return vars;
}

/** The vars of its graph that an item makes, and that are used outside it. */
export function madeBy(graph: Graph, item: Item): readonly number[] {
  const vars = made.get(item) ?? findMade(graph, item);
  made.set(item, vars);
  return vars;
}

const used = new WeakMap<Item, readonly number[]>();
const made = new WeakMap<Item, readonly number[]>();

function findUsed(graph: Graph, item: Item): number[] {
  if (item.kind === 'output') return item.vars.filter((one) => !graph.vars[one]?.literal);
  if (item.kind === 'gathered') {
    return isOutput(item) ? [...new Set(item.vars)].filter((v) => !graph.vars[v]?.literal) : [];
  }
  if (item.kind === 'eqn') return takenByEqn(graph, item);
  if (item.kind !== 'body') return takenBy(graph, item.start, item.stop);
  const eqn = graph.eqns[item.start];
  const passed = eqn?.bodies[bodyIndex(item)]?.inputs ?? [];
  const operands = new Set(passed.flatMap((operand) => eqn?.invars[operand] ?? []));
  return [...operands].filter((one) => !graph.vars[one]?.literal);
}

/** The vars that an eqn uses. A choice uses the condition itself, not the number to which it is cast. */
function takenByEqn(graph: Graph, { start, stop }: Item): number[] {
  const isCast = conditionCasts(graph).has(start - 1);
  const cast = isCast ? graph.eqns[start - 1]?.outvars[0] : undefined;
  const used = takenBy(graph, start, stop).filter((one) => one !== cast);
  return isCast ? [...new Set([...takenBy(graph, start - 1, start), ...used])] : used;
}

function findMade(graph: Graph, item: Item): readonly number[] {
  const { kind, start, stop, vars } = item;
  if (kind === 'input' || kind === 'const') return vars;
  if (kind === 'gathered') return isOutput(item) ? [] : vars;
  if (kind === 'body') {
    const eqn = graph.eqns[start];
    const body = eqn?.bodies[bodyIndex(item)];
    return body?.outputs.flatMap((result) => eqn?.outvars[result] ?? []) ?? [];
  }
  return givenBy(graph, start, stop);
}

function bodyIndex(item: Item): number {
  const { step } = parse(item.id);
  return step.kind === 'body' ? step.index : -1;
}

/** True if an item is an output, or a pytree of outputs. */
export function isOutput(item: Item): boolean {
  if (item.kind === 'output') return true;
  if (item.kind !== 'gathered') return false;
  const { step } = parse(item.id);
  return step.kind === 'gathered' && step.binder === 'out';
}

/** Gathers wires, those between the same two ends into one. Each end is one object. */
class Collector {
  private readonly wires: Wire[] = [];
  private readonly byEnds = new Map<End, Map<End, Wire>>();
  private readonly inward = new Map<number, End[]>();
  private readonly outward = new Map<number, End[]>();
  private readonly plain: [End][] = [];
  private readonly entry: Map<number, End[]>[];
  private readonly exit: Map<number, End[]>[];

  /** By item: the var that picks its branch, and the end at its side. */
  private readonly picks: (number | undefined)[];
  private readonly side: End[] = [];

  /** The one wire between two closed items, at `[target][source]`. It spares a search for each value. */
  private readonly straight: Wire[][] = [];

  constructor(
    private readonly contents: Contents,
    private readonly graph: Graph,
  ) {
    this.picks = contents.items.map(({ kind, start }) =>
      kind === 'eqn' ? pickIn(graph, start) : undefined,
    );
    this.entry = contents.ports.map((ports, item) => byVar(ports?.entries ?? [], item));
    this.exit = contents.ports.map((ports, item) => byVar(ports?.exits ?? [], item));
  }

  between(variable: number, source: number, target: number): void {
    const { ports, carries } = this.contents;
    if (!carries(variable)) return;
    if (!ports[source] && !ports[target] && this.picks[target] === undefined) {
      this.straightWire(source, target).vars.push(variable);
      return;
    }
    const from = this.exitEnd(variable, source);
    for (const end of this.entryEnds(variable, target)) this.wire(from, end).vars.push(variable);
  }

  entering(variable: number, target: number): void {
    if (!this.contents.carries(variable)) return;
    for (const end of this.entryEnds(variable, target)) append(this.inward, variable, end);
  }

  leaving(variable: number, source: number): void {
    if (!this.contents.carries(variable)) return;
    append(this.outward, variable, this.exitEnd(variable, source));
  }

  /** The wiring of all that was added. Values that go to the same ends share a port. */
  wiring(): Wiring {
    const entries = bundles(this.inward);
    const exits = bundles(this.outward);
    entries.forEach(({ vars, ends }, port) => {
      const border = { item: BORDER, port };
      for (const end of ends) for (const one of vars) this.wire(border, end).vars.push(one);
    });
    exits.forEach(({ vars, ends }, port) => {
      const border = { item: BORDER, port };
      for (const end of ends) for (const one of vars) this.wire(end, border).vars.push(one);
    });
    return {
      wires: this.wires,
      entries: entries.map(({ vars }) => vars),
      exits: exits.map(({ vars }) => vars),
    };
  }

  private entryEnds(variable: number, item: number): readonly End[] {
    const ends = this.entry[item]?.get(variable);
    if (this.picks[item] !== variable) return ends ?? this.plainEnd(item);
    this.side[item] ??= { item, port: PICK };
    const choice = this.contents.items[item]!.start;
    const others = isPassedOn(this.graph, choice) ? (ends ?? this.plainEnd(item)) : [];
    return [this.side[item], ...others];
  }

  private exitEnd(variable: number, item: number): End {
    return (this.exit[item]?.get(variable) ?? this.plainEnd(item))[0]!;
  }

  private plainEnd(item: number): [End] {
    this.plain[item] ??= [{ item, port: PLAIN }];
    return this.plain[item];
  }

  private straightWire(source: number, target: number): Wire {
    const existing = this.straight[target]?.[source];
    if (existing) return existing;
    const made = this.wire(this.plainEnd(source)[0], this.plainEnd(target)[0]);
    this.straight[target] ??= [];
    this.straight[target][source] = made;
    return made;
  }

  /** The one wire between two ends. */
  private wire(source: End, target: End): Wire {
    const beyond = this.byEnds.get(source) ?? new Map<End, Wire>();
    const existing = beyond.get(target);
    if (existing) return existing;
    const made: Wire = { source, target, vars: [] };
    this.byEnds.set(source, beyond.set(target, made));
    this.wires.push(made);
    return made;
  }
}

/** The ports of an item, by the vars that pass through them. */
function byVar(ports: readonly Port[], item: number): Map<number, End[]> {
  const found = new Map<number, End[]>();
  ports.forEach(({ vars }, port) => {
    const end = { item, port };
    for (const one of vars) append(found, one, end);
  });
  return found;
}

/** Groups vars that cross the border to or from the same ends. */
function bundles(crossing: Map<number, End[]>): { vars: number[]; ends: End[] }[] {
  const found = new Map<string, { vars: number[]; ends: End[] }>();
  for (const [variable, ends] of crossing) {
    const key = ends.map(({ item, port }) => `${item} ${port}`).join();
    const bundle = found.get(key);
    if (bundle) bundle.vars.push(variable);
    else found.set(key, { vars: [variable], ends });
  }
  return [...found.values()];
}
