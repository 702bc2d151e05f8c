/** The functions that the kernel calls (`jaxviz/picture.py`) in an engine for JavaScript without a
 * page. Programs and logs come as JSON. */
import { dot } from '../picture/dot';
import { picture } from '../picture/picture';
import { timeline } from '../picture/still-timeline';
import type { Graph, Program } from '../schema';
import { seal } from '../state/regions';

/** A graph as `jaxviz/closing.py` makes it, which leaves out what no picture shows. A graph that may
 * be seen has in `closed` the groups that stay closed, of each of which few eqns were sent. Any other
 * graph has each kind of eqn once, with how often it occurs (`times`), and without fields
 * that are as in `UNSEEN`. */
type Sent = Graph & { closed?: number[]; times?: number[] };
/** What an eqn and a graph have where nothing of them is seen. */
const NO_VALUES = { invars: [], outvars: [], effects: [] };
const UNSEEN = {
  graph: { ...NO_VALUES, name: '', vars: [], constvars: [], args: [], results: [], groups: [] },
  eqn: {
    ...{ ...NO_VALUES, roles: [], params: [], origin: [], frame: null, call: null, span: null },
    ...{ inherited: false, scope: 0, guess: false, own: '', trips: null, cost: null },
  },
};

/** A program, with whole graphs. */
function programOf(text: string): Program {
  const program: Program = JSON.parse(text);
  for (const stage of program.stages) stage.graphs = stage.graphs.map(graphOf);
  return program;
}

/** A whole graph from what was sent. */
function graphOf(sent: Sent): Graph {
  const { closed = [], eqns, groups, times } = sent;
  for (const index of closed) seal(groups[index]!);
  if (!times) return sent;
  const all = eqns.flatMap((eqn, at) =>
    new Array(times[at]).fill(Object.setPrototypeOf(eqn, UNSEEN.eqn)),
  );
  return { ...UNSEEN.graph, eqns: all };
}

Object.assign(globalThis, {
  picture: (program: string, opening: string, most: number, born = 'null') =>
    picture(programOf(program), JSON.parse(opening), most, JSON.parse(born)),
  dot: (program: string, kind: string) => dot(JSON.parse(program), kind),
  timeline: (log: string) => timeline(JSON.parse(log)),
});
