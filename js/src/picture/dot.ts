/** Writes a stage in DOT, the language of Graphviz. */
import { allEqns, pickedBy, titleOfBody } from '../facts/graph';
import { familyIn } from '../facts/kinds';
import { joined, labelOf } from '../facts/text/describe';
import { detailOf } from '../facts/text/detail';
import { thousands } from '../language';
import { BOX_COLUMNS, operandsOf, typesOf } from '../layout/caption';
import { pickText } from '../layout/item-boxes';
import { head, oneLine, tail } from '../layout/measure';
import type { Body, Eqn, Graph, Program, Stage } from '../schema';
import { LIGHT } from './colours';
import { countOf, signatureOf } from './heading';
import { drawableStage } from './picture';

/** The most nodes that are written: `dot` can take minutes for a thousand. */
const MOST_NODES = 500;
/** The greatest depth of nested clusters. */
const DEEPEST_CLUSTER = 40;
/** Up to this number of edges, `dot` may take its time and make room for labels. */
const FEW_EDGES = 150;

/** Attributes of texts, nodes and edges. */
const TEXT_STYLE = `fontcolor="${LIGHT.ink}" fontname=monospace fontsize=10`;
const NODE_STYLE = `${TEXT_STYLE} height=0.3 shape=box style="filled,rounded"`;
const EDGE_STYLE = `arrowsize=0.6 color="${LIGHT.edge}" fontcolor="${LIGHT.faint}" fontname=monospace fontsize=9`;
/** Limits the rounds of `dot`'s network simplex for each node: without it `dot` takes a minute for
 * 300 eqns. */
const QUICK_LAYOUT = 'nslimit=1 nslimit1=1';

/**
 * A stage of a program in DOT (https://graphviz.org/doc/info/lang.html): the stage `kind`, or the first that has a
 * graph. Throws if no stage has one.
 *
 * Inputs, eqns and outputs are nodes; groups and bodies are clusters. A dashed edge leads from an eqn to each of its
 * bodies; a shared body is drawn once. If there are too many nodes, only the outermost are drawn, and the label says
 * so.
 */
export function dot(program: Program, kind: string): string {
  const sketch = new Sketch(drawableStage(program, kind));
  sketch.draw();
  const name = head(oneLine(program.name), BOX_COLUMNS.label);
  return sketch.finished(`${name} ${signatureOf(program)}`);
}

/** A frame of the drawing: the nodes in it, and further frames. */
interface Cluster {
  opening: string[];
  nodes: string[];
  inner: Cluster[];
  depth: number;
}

/** The node that makes each var of a graph; empty if there was no room for it. */
type Makers = Map<number, string>;

/** The DOT text of a stage while it is written. Graphs wait in a queue, so that deep nesting needs no deep stack. */
class Sketch {
  /** All clusters, each after the one that contains it. */
  private readonly clusters: Cluster[] = [{ opening: [], nodes: [], inner: [], depth: 0 }];
  private readonly waiting: [number, Cluster][] = [[0, this.clusters[0]!]];
  private readonly queued = new Set([0]);
  /** The first node of each graph. */
  private readonly first = new Map<number, string>();
  private readonly edges: [string, string, string][] = [];
  private readonly bodyEdges: [string, Body][] = [];
  private room = MOST_NODES;
  private eqns = 0;

  constructor(private readonly stage: Stage) {}

  draw(): void {
    for (const [index, cluster] of this.waiting) {
      if (this.room === 0) break;
      this.graph(index, cluster);
    }
  }

  finished(title: string): string {
    const quick = this.edges.length > FEW_EDGES;
    return [
      'digraph program {',
      `\tgraph [compound=true ${TEXT_STYLE} labelloc=t${quick ? ` ${QUICK_LAYOUT}` : ''}]`,
      `\tnode [${NODE_STYLE}]`,
      `\tedge [${EDGE_STYLE}]`,
      ...written(this.clusters),
      `\tlabel=${lines(title, this.count())}`,
      ...this.edges.map(([source, target, text]) => {
        return `\t${source} -> ${target} [${quick ? 'xlabel' : 'label'}=${lines(text)}]`;
      }),
      ...this.bodyEdges.flatMap(([source, { graph, label }]) => {
        const target = this.first.get(graph);
        const text = lines(oneLine(label));
        if (!target) return [];
        return [`\t${source} -> ${target} [label=${text} lhead=cluster_${graph} style=dashed]`];
      }),
      '}\n',
    ].join('\n');
  }

  private count(): string {
    const all = countOf(this.stage);
    if (this.room > 0 && this.eqns === allEqns(this.stage)) return all;
    return `${all}, too many to draw: these are the outermost ${thousands(this.eqns)}`;
  }

  /** Writes the inputs, eqns and outputs of a graph. */
  private graph(index: number, cluster: Cluster): void {
    const graph = this.stage.graphs[index]!;
    const makers: Makers = new Map();
    const pill = (name: string, variable: number, path: string | undefined): string => {
      const label = tail(oneLine(path || graph.vars[variable]!.name), BOX_COLUMNS.label);
      return this.node(index, name, cluster, 'pill', label);
    };
    for (const [at, one] of graph.constvars.entries()) makers.set(one, pill(`const${at}`, one, ''));
    for (const [at, one] of graph.invars.entries()) {
      makers.set(one, pill(`in${at}`, one, graph.args[at]));
    }
    this.graphEqns(index, graph, cluster, makers);
    for (const [at, one] of graph.outvars.entries()) {
      this.edge(graph, makers, one, pill(`out${at}`, one, graph.results[at]));
    }
  }

  /** Writes the eqns of a graph in the clusters of its groups, as long as there is room. */
  private graphEqns(index: number, graph: Graph, cluster: Cluster, makers: Makers): void {
    const starts = new Map<number, number[]>();
    graph.groups.forEach(({ start, stop }, number) => {
      if (start < stop) starts.set(start, [...(starts.get(start) ?? []), number]);
    });
    const opened: [number, Cluster][] = [[graph.eqns.length, cluster]];
    const innermost = () => opened.at(-1)![1];
    for (let at = 0; at < graph.eqns.length && this.room > 0; at++) {
      while (opened.at(-1)![0] <= at) opened.pop();
      for (const number of starts.get(at) ?? []) {
        const { name, stop } = graph.groups[number]!;
        const inner = this.cluster(innermost(), `${index}_${number}`, name, 'group');
        opened.push([stop, inner ?? innermost()]);
      }
      this.eqn(index, graph, at, innermost(), makers);
    }
  }

  private eqn(index: number, graph: Graph, at: number, cluster: Cluster, makers: Makers): void {
    const eqn = graph.eqns[at]!;
    const family = familyIn(this.stage, eqn);
    const label = head(oneLine(labelOf(eqn)), BOX_COLUMNS.label);
    const notes = [...operandsOf(this.stage, graph, at), detailOf(this.stage, eqn)];
    const note = head(oneLine(notes.filter((text) => text !== '').join(' ')), BOX_COLUMNS.note);
    const node = this.node(index, `eqn${at}`, cluster, family, label, note);
    this.eqns += 1;
    for (const one of new Set(eqn.invars)) {
      this.edge(graph, makers, one, node, one === pickedBy(eqn) ? pickText() : '');
    }
    for (const one of eqn.outvars) makers.set(one, node);
    for (const body of eqn.bodies) this.body(eqn, body, node, cluster, label, family);
  }

  /** Notes that an eqn holds a body, and queues the graph of the body unless it was queued before. */
  private body(
    { bodies }: Eqn,
    body: Body,
    node: string,
    outer: Cluster,
    label: string,
    family: string,
  ): void {
    this.bodyEdges.push([node, body]);
    if (this.queued.has(body.graph)) return;
    const title = bodies.length > 1 ? `${label} · ${titleOfBody(body)}` : label;
    const inner = this.cluster(outer, String(body.graph), title, family);
    if (!inner) return;
    this.queued.add(body.graph);
    this.waiting.push([body.graph, inner]);
  }

  /** Adds a node. Returns its id, which contains no text of the program; empty if there is no room. */
  private node(
    index: number,
    name: string,
    cluster: Cluster,
    paint: string,
    label: string,
    note = '',
  ): string {
    if (this.room === 0) return '';
    this.room -= 1;
    const id = `g${index}_${name}`;
    const { fill, line } = LIGHT.paints[paint]!;
    cluster.nodes.push(`${id} [label=${lines(label, note)} color="${line}" fillcolor="${fill}"]`);
    if (!this.first.has(index)) this.first.set(index, id);
    return id;
  }

  /** Adds a cluster to another. Returns null if it would be too deep. */
  private cluster(outer: Cluster, name: string, title: string, paint: string): Cluster | null {
    if (outer.depth === DEEPEST_CLUSTER) return null;
    const label = lines(head(oneLine(title), BOX_COLUMNS.label));
    const opening = [
      `subgraph cluster_${name} {`,
      `\tgraph [color="${LIGHT.paints[paint]!.line}" label=${label} style=rounded]`,
    ];
    const inner = { opening, nodes: [], inner: [], depth: outer.depth + 1 };
    outer.inner.push(inner);
    this.clusters.push(inner);
    return inner;
  }

  private edge(graph: Graph, makers: Makers, variable: number, target: string, text = ''): void {
    const source = makers.get(variable);
    const label = joined(' ', [typesOf(this.stage, graph, [variable]), text]);
    if (source && target) this.edges.push([source, target, label]);
  }
}

/** The lines of the outermost cluster. Inner clusters come later in the list, so the list is read from its end.
 * Clusters without nodes are left out. */
function written(clusters: readonly Cluster[]): string[] {
  const found = new Map<Cluster, string[]>();
  for (const cluster of [...clusters].reverse()) {
    const inner = cluster.inner.flatMap((one) => {
      const content = found.get(one)!;
      return content.length > 0 ? [...one.opening, ...content, '}'] : [];
    });
    found.set(
      cluster,
      [...cluster.nodes, ...inner].map((line) => `\t${line}`),
    );
  }
  return found.get(clusters[0]!)!;
}

/** Labels that need no quotes, and keywords, which need them although they match. */
const NEEDS_NO_QUOTES = /^(?:[a-zA-Z_]\w*|-?(?:\.\d+|\d+(?:\.\d*)?))$/;
const KEYWORD = /^(?:node|edge|graph|digraph|subgraph|strict)$/i;

/** A label that means these lines and nothing else: no escape, entity or markup of Graphviz. */
function lines(...texts: string[]): string {
  const literal = (text: string) => text.replaceAll('&', '&amp;').replaceAll('\\', '\\\\');
  const label = texts
    .filter((text) => text !== '')
    .map(literal)
    .join('\\n');
  const isPlain = NEEDS_NO_QUOTES.test(label) && !KEYWORD.test(label);
  return isPlain ? label : `"${label.replaceAll('"', '\\"')}"`;
}
