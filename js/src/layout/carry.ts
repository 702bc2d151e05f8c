/** Draws how a loop hands its carry to the next turn: edges on the right that lead from the outputs
 * of its body back to the inputs. */
import type { Carry } from '../facts/graph';
import { binderId, type Id } from '../facts/ids';
import type { Graph } from '../schema';
import type { Cell, Frame, Link } from './frame';
import { SMALL, textWidth } from './measure';
import { movedCell, movedLink, movedPoints } from './moved';
import { isOutput } from './wires';

/** The most edges that return side by side. Where there would be more, one edge carries all
 * values. */
const MOST_TRACKS = 4;
/** Px between two returning edges. */
const TRACK = 6;
/** Px between a returning edge and the boxes. */
const CLEAR = 8;

/** One returning edge: from the cell of an output to that of an input, and the vars that it
 * carries. */
interface Return {
  from: Cell;
  to: Cell;
  vars: number[];
}

/** The frame of a loop's body with the edges of its carry added. `path` is that of the body's
 * graph. */
export function withCarry(frame: Frame, { pairs, turns }: Carry, graph: Graph, path: Id): Frame {
  const returns = gathered(pairsOf(frame, pairs, graph, path));
  if (returns.length === 0) return frame;
  const room = TRACK * (returns.length - 1) + CLEAR;
  const moved = lowered(frame, room);
  const text = `carry ${turns}`.trim();
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
    return { ...ends, way: 'down', cut: false, returns: true, label, note: '', ...at };
  });
  return { ...moved, w: beside + room, h: moved.h + room, links: [...moved.links, ...links] };
}

/** A return for each value of the carry of which both the output and the input are drawn. */
function pairsOf(frame: Frame, pairs: Carry['pairs'], graph: Graph, path: Id): Return[] {
  const cellOf = binderCells(frame, graph, path);
  return pairs.flatMap(({ input, output }) => {
    const [from, to] = [cellOf('out', output), cellOf('in', input)];
    const variable = graph.outvars[output];
    return from && to && variable !== undefined ? [{ from, to, vars: [variable] }] : [];
  });
}

/** Merges the returns between the same two cells; all into one where there are more than
 * `MOST_TRACKS`. */
function gathered(returns: readonly Return[]): Return[] {
  const found: Return[] = [];
  for (const one of returns) {
    const known = found.find(({ from, to }) => from === one.from && to === one.to);
    if (known) known.vars.push(...one.vars);
    else found.push({ ...one, vars: [...one.vars] });
  }
  const [first] = found;
  if (!first || found.length <= MOST_TRACKS) return found;
  return [{ ...first, vars: found.flatMap(({ vars }) => vars) }];
}

/** Gives a function that finds the cell of an input or output: its own, or that of the pytree in
 * which it is gathered. */
export function binderCells(frame: Frame, graph: Graph, path: Id) {
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

/** The frame made `by` px taller, with all that it holds moved down by as much. */
function lowered(frame: Frame, by: number): Frame {
  const down = (points: readonly number[]) => movedPoints(points, 0, by);
  return {
    ...frame,
    h: frame.h + by,
    cells: frame.cells.map((cell) => movedCell(cell, 0, by)),
    routes: frame.routes.map((route) => ({ ...route, points: down(route.points) })),
    mentions: frame.mentions.map((one) => ({ ...one, y: one.y + by, points: down(one.points) })),
    links: frame.links.map((link) => movedLink(link, 0, by)),
  };
}
