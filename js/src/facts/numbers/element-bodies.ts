/** Finds the user's argument that an element of a tuple is, in optimized HLO, where loops are
 * handed everything as one tuple. */
import type { Body, Eqn, Graph, Stage } from '../../schema';
import { plainName } from '../family';
import { flowOf } from '../graph';

/** A body and the eqn that holds it. */
interface Holder {
  outer: Graph;
  eqn: Eqn;
  body: Body;
}

const holders = new WeakMap<Stage, ReadonlyMap<Graph, Holder>>();

/** For each graph the first eqn that holds it. */
function holdersOf(stage: Stage): ReadonlyMap<Graph, Holder> {
  const before = holders.get(stage);
  if (before) return before;
  const found = new Map<Graph, Holder>();
  for (const outer of stage.graphs) {
    for (const eqn of outer.eqns) {
      for (const body of eqn.bodies) {
        const graph = stage.graphs[body.graph];
        if (graph && !found.has(graph)) found.set(graph, { outer, eqn, body });
      }
    }
  }
  holders.set(stage, found);
  return found;
}

/** How many eqns and bodies are followed back before giving up. */
const MOST_STEPS = 64;
/** Ops whose result is their operand. */
const COPIES = new Set(['bitcast', 'copy']);

/** The user's path of the argument that a `get-tuple-element` gives. Empty for any other value, and
 * for one that a loop changes. */
export function argumentOf(stage: Stage, graph: Graph, eqn: Eqn): string {
  if (eqn.op !== 'get-tuple-element') return '';
  let [at, variable]: [Graph, number | undefined] = [graph, eqn.outvars[0]];
  let element: number | null = null;
  for (let step = 0; step < MOST_STEPS && variable !== undefined; step++) {
    const input = at.invars.indexOf(variable);
    if (input >= 0) {
      const holder = holdersOf(stage).get(at);
      if (!holder) return element === null ? (at.args[input] ?? '') : '';
      if (!isKept(at, holder, variable, element)) return '';
      variable = holder.eqn.invars[holder.body.inputs[input] ?? -1];
      at = holder.outer;
      continue;
    }
    const made = at.eqns[flowOf(at).producer[variable] ?? -1];
    const op = made ? plainName(made.op) : '';
    if (element === null && op === 'get_tuple_element') element = indexOf(made as Eqn);
    else if (element !== null && op === 'tuple') {
      variable = made?.invars[element];
      element = null;
      continue;
    } else if (element !== null || !COPIES.has(op)) return '';
    variable = made?.invars[0];
  }
  return '';
}

const indexOf = ({ params }: Eqn): number =>
  Number(params.find(({ name }) => name === 'index')?.value ?? -1);

/** Whether a body hands on an input unchanged. Only the body of a loop must: its next round would
 * see the change. */
function isKept(graph: Graph, { eqn }: Holder, input: number, element: number | null): boolean {
  if (plainName(eqn.op) !== 'while') return true;
  const { producer } = flowOf(graph);
  const made = (variable: number | undefined) => graph.eqns[producer[variable ?? -1] ?? -1];
  const returned = made(graph.outvars[0]);
  // What a loop's condition returns is no tuple: whether the body keeps it is not known here.
  if (element === null || returned?.op !== 'tuple') return false;
  const kept = made(returned.invars[element]);
  return kept?.invars[0] === input && kept.op === 'get-tuple-element' && indexOf(kept) === element;
}
