/** What the kernel calls (`jaxviz/picture.py`): it has an engine for JavaScript, and no page. Programs
 * and logs come as JSON. */
import './bare';
import { dot } from '../picture/dot';
import { picture } from '../picture/picture';
import { timeline } from '../picture/still-timeline';
import type { Graph, Program } from '../schema';
import { seal } from '../state/budget';

/** A graph as `jaxviz/drawable.py` sends it. One of which something is seen says which of its groups stay
 * closed, as they have few of their eqns. Of any other each kind of eqn comes once, with how often it
 * is there, and only with what is not as here. */
type Sent = Graph & { closed?: number[]; times?: number[] };
const NONE = { invars: [], outvars: [], effects: [] };
const UNSEEN = {
  graph: { ...NONE, name: '', vars: [], constvars: [], args: [], results: [], groups: [] },
  eqn: {
    ...{ ...NONE, roles: [], params: [], origin: [], frame: null, call: null, span: null },
    ...{ inherited: false, scope: 0, guess: false, trips: null, cost: null },
  },
};

function programOf(text: string): Program {
  const program: Program = JSON.parse(text);
  for (const stage of program.stages) stage.graphs = stage.graphs.map(graphOf);
  return program;
}

function graphOf(sent: Sent): Graph {
  const { closed = [], eqns, groups, times } = sent;
  for (const index of closed) seal(groups[index]!);
  if (!times) return sent;
  const all = eqns.flatMap((eqn, at) => new Array(times[at]).fill({ ...UNSEEN.eqn, ...eqn }));
  return { ...UNSEEN.graph, eqns: all };
}

Object.assign(globalThis, {
  picture: (program: string, opening: string, most: number) =>
    picture(programOf(program), JSON.parse(opening), [most]),
  dot: (program: string, kind: string) => dot(JSON.parse(program), kind),
  timeline: (log: string) => timeline(JSON.parse(log)),
});
