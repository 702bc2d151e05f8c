/** Whether data from a notebook's file is a program: what a file brings may be anything. */
import { type Eqn, type Graph, type Program, RECORDS, type Stage } from '../schema';

/** The part of JSON Schema in which the records are written. */
interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly $ref?: string;
}

type Fields = Readonly<Record<string, Schema>>;

const FIELDS = new Map<string, Fields>(
  Object.entries(RECORDS).map(([name, fields]) => [`#/definitions/${name}`, fields]),
);

/** The data as a program: each field of its type, each index within its list, no body in itself, no
 * eqn before what it uses. */
export function checked(data: unknown): Program {
  if (!fits(data, { $ref: '#/definitions/Program' })) throw new Error('its data is damaged.');
  const program = data as Program;
  if (!program.stages.every(holds)) throw new Error('its data does not fit together.');
  return program;
}

function fits(data: unknown, schema: Schema): boolean {
  if (schema.anyOf) return schema.anyOf.some((one) => fits(data, one));
  if (schema.$ref !== undefined) return isRecord(data, FIELDS.get(schema.$ref) ?? {});
  const { items } = schema;
  if (items) return Array.isArray(data) && data.every((one) => fits(one, items));
  if (schema.type === 'integer') return Number.isInteger(data);
  if (schema.type === 'null') return data === null;
  return typeof data === schema.type;
}

function isRecord(data: unknown, fields: Fields): boolean {
  if (typeof data !== 'object' || data === null) return false;
  const names = Object.keys(fields);
  return (
    Object.keys(data).length === names.length &&
    names.every(
      (name) => Object.hasOwn(data, name) && fits(Reflect.get(data, name), fields[name] ?? {}),
    )
  );
}

function holds(stage: Stage): boolean {
  const { avals, frames, graphs, scopes, text } = stage;
  const characters = codePoints(text);
  const eqn = (one: Eqn) =>
    within([one.scope], scopes) &&
    [one.frame, one.call].every((at) => at === null || within([at], frames)) &&
    (one.span === null || isRange(one.span, characters)) &&
    one.bodies.every((body) => bodyHolds(body, one, graphs));
  return (
    (stage.error !== null || graphs.length > 0) &&
    frames.every((frame, index) => frame.parent === null || isIndex(frame.parent, index)) &&
    graphs.every(
      (graph) =>
        graphHolds(graph) &&
        within(
          graph.vars.map((one) => one.aval),
          avals,
        ) &&
        graph.eqns.every(eqn),
    ) &&
    isAcyclic(graphs)
  );
}

function graphHolds({ vars, constvars, invars, outvars, args, results, eqns, groups }: Graph) {
  return (
    [constvars, invars, outvars].every((indices) => within(indices, vars)) &&
    eqns.every((eqn) => within(eqn.invars, vars) && within(eqn.outvars, vars)) &&
    args.length === invars.length &&
    results.length === outvars.length &&
    isOrdered(eqns) &&
    groups.every((group, index) => {
      const outer = group.parent === null ? { start: 0, stop: eqns.length } : groups[group.parent];
      return (
        (group.parent === null || isIndex(group.parent, index)) &&
        (group.twin === null || isIndex(group.twin, groups.length)) &&
        outer !== undefined &&
        outer.start <= group.start &&
        group.stop <= outer.stop &&
        isRange([group.start, group.stop], eqns.length)
      );
    })
  );
}

/** Whether no eqn uses what it or a later one makes. */
function isOrdered(eqns: readonly Eqn[]): boolean {
  const maker = new Map<number, number>();
  eqns.forEach((eqn, index) => {
    for (const variable of eqn.outvars) maker.set(variable, index);
  });
  return eqns.every((eqn, index) => eqn.invars.every((one) => (maker.get(one) ?? -1) < index));
}

function bodyHolds(body: Eqn['bodies'][number], eqn: Eqn, graphs: readonly Graph[]): boolean {
  const graph = graphs[body.graph];
  return (
    graph !== undefined &&
    body.inputs.length === graph.invars.length &&
    body.outputs.length === graph.outvars.length &&
    body.inputs.every((index) => index === -1 || isIndex(index, eqn.invars.length)) &&
    body.outputs.every((index) => index === -1 || isIndex(index, eqn.outvars.length))
  );
}

/** Whether every graph can be put after all that hold it. */
function isAcyclic(graphs: readonly Graph[]): boolean {
  const bodies = graphs.map((graph) => graph.eqns.flatMap((eqn) => eqn.bodies.map((b) => b.graph)));
  const holders = graphs.map(() => 0);
  for (const graph of bodies.flat()) holders[graph] = (holders[graph] ?? 0) + 1;
  const free = graphs.flatMap((_, index) => (holders[index] === 0 ? [index] : []));
  for (const graph of free) {
    for (const body of bodies[graph] ?? []) {
      holders[body] = (holders[body] ?? 0) - 1;
      if (holders[body] === 0) free.push(body);
    }
  }
  return free.length === graphs.length;
}

/** Characters as Python counts them. */
function codePoints(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

function within(indices: readonly number[], list: readonly unknown[]): boolean {
  return indices.every((index) => isIndex(index, list.length));
}

function isIndex(index: number, length: number): boolean {
  return index >= 0 && index < length;
}

function isRange([start, stop, ...more]: readonly number[], length: number): boolean {
  if (start === undefined || stop === undefined || more.length > 0) return false;
  return start >= 0 && start <= stop && stop <= length;
}
