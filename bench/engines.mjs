// Layout engines behind one form: a region in, what gives for each edge the line it is drawn as out. Each uses
// its own defaults but for d3-dag, whose default takes exponential time: there its fast options.
import { spawnSync } from 'node:child_process';

const GAP = { x: 24, y: 32 };

export const ENGINES = { jaxviz, dagre, elk, 'd3-dag': d3dag, 'wasm-graphviz': wasmGraphviz, dot };

/** `layoutRegion`, bundled from the sources as they are. Its cut edges have no line. */
async function jaxviz() {
  const { fromSource } = await import('./source.mjs');
  const { layoutRegion, OPTIONS } = await fromSource('js/src/layout/region/index.ts');
  return (region, cut) => {
    const placed = layoutRegion(region, cut === null ? { ...OPTIONS, cut: Infinity } : OPTIONS);
    return () =>
      region.source.map((_, e) =>
        placed.cut[e] ? [] : placed.points.subarray(2 * placed.start[e], 2 * placed.start[e + 1]),
      );
  };
}

async function dagre() {
  const { default: library } = await import('@dagrejs/dagre');
  return ({ width, height, source, target }) => {
    const graph = new library.graphlib.Graph();
    graph.setGraph({ nodesep: GAP.x, ranksep: GAP.y });
    graph.setDefaultEdgeLabel(() => ({}));
    width.forEach((w, v) => graph.setNode(String(v), { width: w, height: height[v] }));
    source.forEach((u, e) => graph.setEdge(String(u), String(target[e])));
    library.layout(graph);
    return () =>
      source.map((u, e) =>
        graph.edge(String(u), String(target[e])).points.flatMap(({ x, y }) => [x, y]),
      );
  };
}

async function elk() {
  const { default: ELK } = await import('elkjs/lib/elk.bundled.js');
  const engine = new ELK();
  return async ({ width, height, source, target }) => {
    const { edges } = await engine.layout({
      id: 'root',
      layoutOptions: {
        'elk.algorithm': 'layered',
        'elk.direction': 'DOWN',
        'elk.edgeRouting': 'POLYLINE',
        'elk.spacing.nodeNode': String(GAP.x),
        'elk.layered.spacing.nodeNodeBetweenLayers': String(GAP.y),
      },
      children: width.map((w, v) => ({ id: `n${v}`, width: w, height: height[v] })),
      edges: source.map((u, e) => ({ id: `e${e}`, sources: [`n${u}`], targets: [`n${target[e]}`] })),
    });
    return () =>
      edges.map(({ sections: [{ startPoint, bendPoints = [], endPoint }] }) =>
        [startPoint, ...bendPoints, endPoint].flatMap(({ x, y }) => [x, y]),
      );
  };
}

async function d3dag() {
  const d3 = await import('d3-dag');
  const layout = d3
    .sugiyama()
    .layering(d3.layeringSimplex())
    .decross(d3.decrossTwoLayer().order(d3.twolayerAgg()))
    .coord(d3.coordGreedy())
    .nodeSize(({ data }) => [data.width, data.height])
    .gap([GAP.x, GAP.y]);
  return ({ width, height, source, target }) => {
    const graph = d3.graph();
    const nodes = width.map((w, v) => graph.node({ width: w, height: height[v] }));
    const links = source.map((u, e) => graph.link(nodes[u], nodes[target[e]]));
    layout(graph);
    return () => links.map(({ points }) => points.flat());
  };
}

async function wasmGraphviz() {
  const { Graphviz } = await import('@hpcc-js/wasm-graphviz');
  const graphviz = await Graphviz.load();
  return (region) => {
    const plain = graphviz.layout(dotOf(region), 'plain', 'dot');
    return () => linesOf(plain, region);
  };
}

/** Graphviz as the system has it; no engine where it has none. */
async function dot() {
  if (spawnSync('dot', ['-V']).error) throw new Error('not installed');
  return (region) => {
    const { stdout, status, stderr } = spawnSync('dot', ['-Tplain'], {
      input: dotOf(region),
      encoding: 'utf8',
      maxBuffer: 1 << 30,
    });
    if (status !== 0) throw new Error(stderr.trim().split('\n')[0]);
    return () => linesOf(stdout, region);
  };
}

/** Without arrowheads: the lines of the output end where these begin, short of their boxes and of what crosses
 * there. */
function dotOf({ width, height, source, target }) {
  const inches = (px) => (px / 72).toFixed(3);
  const nodes = width.map(
    (w, v) => `${v} [width=${inches(w)}, height=${inches(height[v])}, fixedsize=true]`,
  );
  const edges = source.map((u, e) => `${u} -> ${target[e]}`);
  const set = `nodesep=${inches(GAP.x)}; ranksep=${inches(GAP.y)}; node [shape=box, label=""]; edge [dir=none];`;
  return `digraph { ${set} ${[...nodes, ...edges].join('; ')} }`;
}

/** Reads the lines of Graphviz's plain output. An edge is a chain of cubics: three points of each are drawn. */
function linesOf(plain, { source, target }) {
  const found = new Map();
  for (const line of plain.replaceAll('\\\n', '').split('\n')) {
    if (!line.startsWith('edge ')) continue;
    const [, tail, head, count, ...numbers] = line.split(' ');
    const points = numbers.slice(0, 2 * Number(count)).map((one, i) => (i % 2 ? -one : Number(one)));
    found.set(`${tail} ${head}`, sampled(points));
  }
  return source.map((u, e) => found.get(`${u} ${target[e]}`) ?? []);
}

function sampled(points) {
  const line = points.slice(0, 2);
  for (let i = 0; i + 7 < points.length; i += 6) {
    for (const t of [1 / 3, 2 / 3, 1]) {
      const weights = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
      for (const axis of [0, 1]) {
        line.push(weights.reduce((sum, w, k) => sum + w * points[i + 2 * k + axis], 0));
      }
    }
  }
  return line;
}
