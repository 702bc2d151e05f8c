/** The functions that the kernel calls (`jaxviz/picture/draw.py`) in a JavaScript engine without a
 * page. Programs and logs come as JSON. */
import { dot } from '../picture/dot';
import { picture } from '../picture/picture';
import { textPicture, timeline } from '../picture/still-timeline';
import type { Eqn, Graph, Program } from '../schema';
import { seal } from '../state/open-items';
import { marksOfReport } from '../tools/marks';

/** A graph as `jaxviz/picture/drawable.py` sends it. A graph that may be visible lists in `closed`
 * the groups that stay closed; few of their eqns are sent. Any other graph has each kind of eqn
 * once, with its number of occurrences in `times`, and lacks fields that no box shows. */
type SentGraph = Graph & { closed?: number[]; times?: number[] };
/** Default values for the fields that counted eqns and graphs lack. */
type Defaults = { eqn: Eqn; graph: Graph };

function programOf(text: string, defaults: Defaults): Program {
  const program: Program = JSON.parse(text);
  for (const stage of program.stages) {
    stage.graphs = stage.graphs.map((graph) => graphOf(graph, defaults));
  }
  return program;
}

function graphOf(sent: SentGraph, defaults: Defaults): Graph {
  const { closed = [], eqns, groups, times } = sent;
  for (const index of closed) seal(groups[index]!);
  if (!times) return sent;
  const all = eqns.flatMap((eqn, at) =>
    new Array(times[at]).fill(Object.setPrototypeOf(eqn, defaults.eqn)),
  );
  return { ...defaults.graph, eqns: all };
}

Object.assign(globalThis, {
  picture: (program: string, opening: string, most: number, report = 'null', defaults = 'null') =>
    picture(
      programOf(program, JSON.parse(defaults)),
      JSON.parse(opening),
      most,
      marksOfReport(JSON.parse(report)),
    ),
  textPicture,
  dot: (program: string, kind: string) => dot(JSON.parse(program), kind),
  timeline: (log: string) => timeline(JSON.parse(log)),
});
