/** What the kernel calls (`jaxviz/picture.py`): it has an engine for JavaScript, and no page. Programs
 * and logs come as JSON. */
import './bare';
import { dot } from '../picture/dot';
import { picture } from '../picture/picture';
import { timeline } from '../picture/still-timeline';
import type { Graph, Program } from '../schema';
import { seal } from '../state/budget';

/** A graph as `jaxviz/drawable.py` sends it: groups that stay closed have few of their eqns, and what is
 * never seen comes once, with how often it is there. */
interface Sent extends Graph {
  closed?: number[];
  times?: number[];
}

function programOf(text: string): Program {
  const program: Program = JSON.parse(text);
  for (const graph of program.stages.flatMap(({ graphs }): Sent[] => graphs)) {
    const { closed = [], eqns, groups, times } = graph;
    for (const index of closed) seal(groups[index]!);
    if (times) graph.eqns = eqns.flatMap((eqn, at) => new Array(times[at]).fill(eqn));
  }
  return program;
}

Object.assign(globalThis, {
  picture: (program: string, kind: string, most: number) =>
    picture(programOf(program), kind, [most]),
  dot: (program: string, kind: string) => dot(JSON.parse(program), kind),
  timeline: (log: string) => timeline(JSON.parse(log)),
});
