/** The body that an open item shows: its graph, where its values cross the border, and the carry of a loop, drawn as
 * edges on the right from the outputs back to the inputs. */
import { type Carried, carryOf } from '../facts/graph';
import { binderId, bodyId, type Id, parse } from '../facts/ids';
import type { Item } from '../facts/outline';
import { __ } from '../language';
import type { Body, Eqn, Graph, Stage } from '../schema';
import { type Cell, type Frame, type Link, lowered } from './frame';
import { SMALL, textWidth } from './measure';
import { isOutput, type Port } from './wires';

/** The body that an open item shows: its own, or the only one of an eqn; null for any other item. */
export function bodyOf(graph: Graph, item: Item): { body: Body; number: number } | null {
  const bodies = graph.eqns[item.start]?.bodies ?? [];
  const { step } = parse(item.id);
  const number = step.kind === 'body' ? step.index : 0;
  const body = bodies[number];
  const shown = step.kind === 'body' || (step.kind === 'eqn' && bodies.length === 1);
  return shown && body ? { body, number } : null;
}

/** The graph that an open item shows. */
export function graphIn(stage: Stage, graph: Graph, item: Item): Graph {
  const shown = bodyOf(graph, item);
  return shown ? (stage.graphs[shown.body.graph] as Graph) : graph;
}

/** The path of the graph that an open item shows. */
export function pathIn(graph: Graph, item: Item): Id {
  const { path } = parse(item.id);
  const shown = bodyOf(graph, item);
  return shown ? bodyId(path, item.start, shown.number) : path;
}

/** The frame of the body that an open item shows, with its ports, and the carry of a loop. `starts` contains the
 * constants with which operands start. */
export function ofBody(
  graph: Graph,
  item: Item,
  own: Graph,
  frame: Frame,
  starts: ReadonlyMap<number, Item>,
): Frame {
  const eqn = graph.eqns[item.start];
  const shown = bodyOf(graph, item);
  if (!eqn || !shown) return frame;
  const path = pathIn(graph, item);
  const carry = carryOf(eqn, shown.number);
  const whole = withCarry(frame, carry, own, path);
  return { ...whole, ...portsOfBody(eqn, shown.body, own, path, whole, starts) };
}

/** The ports of a body: values enter above its inputs and leave below its outputs. The values of a pytree drawn as
 * one box share a port. */
function portsOfBody(
  eqn: Eqn,
  body: Body,
  graph: Graph,
  path: Id,
  frame: Frame,
  starts: ReadonlyMap<number, Item>,
) {
  const cellOf = binderCells(frame, graph, path);
  const ports = (
    binder: 'in' | 'out',
    mapping: readonly number[],
    outer: readonly number[],
  ): Port[] => {
    const found = new Map<Cell, { vars: number[]; x: number; start: Item | undefined }>();
    for (const [index, position] of mapping.entries()) {
      const variable = outer[position];
      const cell = cellOf(binder, index);
      if (variable === undefined || !cell) continue;
      const start =
        binder === 'in' && cell.item.kind === 'input' ? starts.get(position) : undefined;
      const port = found.get(cell) ?? { vars: [], x: cell.x + cell.w / 2, start };
      port.vars.push(variable);
      found.set(cell, port);
    }
    return [...found.values()];
  };
  return {
    entries: ports('in', body.inputs, eqn.invars),
    exits: ports('out', body.outputs, eqn.outvars),
  };
}

/** The most edges that return side by side. If there would be more, one edge carries all values. */
const MOST_TRACKS = 4;
/** Px between two returning edges. */
const TRACK = 6;
/** Px between a returning edge and the boxes. */
const CLEAR = 8;

/** A returning edge: from the cell of an output to that of an input, and its vars. */
interface Return {
  from: Cell;
  to: Cell;
  vars: number[];
}

/** Adds the edges of a loop's carry to the frame of its body. `path` is that of the body's graph. */
function withCarry(frame: Frame, pairs: readonly Carried[], graph: Graph, path: Id): Frame {
  const returns = gathered(pairsOf(frame, pairs, graph, path));
  if (returns.length === 0) return frame;
  const room = TRACK * (returns.length - 1) + CLEAR;
  const moved = lowered(frame, room);
  const text = __('next iteration');
  const beside = frame.w + textWidth(text, SMALL);
  const links = returns.map(({ from, to, vars }, track): Link => {
    const by = TRACK * (returns.length - 1 - track);
    const x = beside + TRACK * track;
    const [high, low] = [
      to.y + CLEAR - by - CLEAR + room - CLEAR,
      from.y + from.h + room + CLEAR + by,
    ];
    const [start, end] = [from.x + from.w / 2 + CLEAR, to.x + to.w / 2 + CLEAR];
    const top = to.y + room;
    const points = [
      start,
      from.y + from.h + room,
      start,
      low,
      x,
      low,
      x,
      high,
      end,
      high,
      end,
      top,
    ];
    const ends = { source: from.item.id, target: to.item.id, vars, points, mention: null };
    const label = track === 0 ? text : '';
    const at = { labelX: x - textWidth(text, SMALL) / 2 - 4, labelY: (high + low) / 2 };
    return { ...ends, direction: 'down', cut: false, returns: true, label, note: '', ...at };
  });
  return { ...moved, w: beside + room, h: moved.h + room, links: [...moved.links, ...links] };
}

/** A return for each value of the carry whose output and input are both drawn. */
function pairsOf(frame: Frame, pairs: readonly Carried[], graph: Graph, path: Id): Return[] {
  const cellOf = binderCells(frame, graph, path);
  return pairs.flatMap(({ input, output }) => {
    const [from, to] = [cellOf('out', output), cellOf('in', input)];
    const variable = graph.outvars[output];
    return from && to && variable !== undefined ? [{ from, to, vars: [variable] }] : [];
  });
}

/** Merges the returns between the same two cells, or all of them if more than `MOST_TRACKS` would remain. */
function gathered(returns: readonly Return[]): Return[] {
  const found: Return[] = [];
  for (const one of returns) {
    const same = found.find(({ from, to }) => from === one.from && to === one.to);
    if (same) same.vars.push(...one.vars);
    else found.push({ ...one, vars: [...one.vars] });
  }
  const [first] = found;
  if (!first || found.length <= MOST_TRACKS) return found;
  return [{ ...first, vars: found.flatMap(({ vars }) => vars) }];
}

/** Returns a function that finds the cell of an input or output: its own, or that of the pytree that contains it. */
function binderCells(frame: Frame, graph: Graph, path: Id) {
  const cells = new Map(frame.cells.map((cell) => [cell.item.id, cell]));
  const pytrees = frame.cells.filter(({ item }) => item.kind === 'gathered');
  return (binder: 'in' | 'out', index: number): Cell | undefined => {
    const own = cells.get(binderId(path, binder, index));
    if (own) return own;
    const variable = (binder === 'in' ? graph.invars : graph.outvars)[index];
    return pytrees.find(
      ({ item }) =>
        isOutput(item) === (binder === 'out') &&
        variable !== undefined &&
        item.vars.includes(variable),
    );
  };
}
