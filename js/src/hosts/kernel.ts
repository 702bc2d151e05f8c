/** The functions that the kernel calls (`jaxviz/picture/draw.py`) in an engine for JavaScript without a
 * page. Programs and logs come as JSON. */
import { dot } from '../picture/dot';
import { picture } from '../picture/picture';
import { textPicture, timeline } from '../picture/still-timeline';
import type { Eqn, Graph, Program } from '../schema';
import { seal } from '../state/opening';

/** A graph as `jaxviz/picture/drawable.py` makes it. One that may be seen has in `closed` the groups that stay
 * closed, of each of which few eqns were sent. Any other has each kind of eqn once, with how often it
 * occurs (`times`), and lacks the fields that no box shows. */
type Sent = Graph & { closed?: number[]; times?: number[] };
/** An eqn and a graph without values: what counted ones have in the fields that they lack. */
type Unseen = { eqn: Eqn; graph: Graph };

/** A program, with whole graphs. */
function programOf(text: string, unseen: Unseen): Program {
  const program: Program = JSON.parse(text);
  for (const stage of program.stages) {
    stage.graphs = stage.graphs.map((graph) => graphOf(graph, unseen));
  }
  return program;
}

/** A whole graph from what was sent. */
function graphOf(sent: Sent, unseen: Unseen): Graph {
  const { closed = [], eqns, groups, times } = sent;
  for (const index of closed) seal(groups[index]!);
  if (!times) return sent;
  const all = eqns.flatMap((eqn, at) =>
    new Array(times[at]).fill(Object.setPrototypeOf(eqn, unseen.eqn)),
  );
  return { ...unseen.graph, eqns: all };
}

Object.assign(globalThis, {
  picture: (program: string, opening: string, most: number, report = 'null', unseen = 'null') =>
    picture(programOf(program, JSON.parse(unseen)), JSON.parse(opening), most, JSON.parse(report)),
  textPicture,
  dot: (program: string, kind: string) => dot(JSON.parse(program), kind),
  timeline: (log: string) => timeline(JSON.parse(log)),
});
