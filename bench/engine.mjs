// One engine on one program, in a process of its own, so that it starts cold and can be stopped.
//
//   node bench/engine.mjs ENGINE REGIONS CUT
//
// Prints {ms, warm, crossings, boxes, edges} or {error}; times are of the processor, but for native
// Graphviz, which is a process of its own, by the clock. CUT is `cut` or `whole`: whether edges over
// more than 8 ranks are left out, as our layout draws them as stubs.
import { readFileSync } from 'node:fs';
import { countCrossings } from './crossings.mjs';
import { ENGINES } from './engines.mjs';

const [name, file, cut] = process.argv.slice(2);
/** Runs until V8 has compiled the code, so that the next ones are warm. */
const WARMING = 6;
const WARM = 9;

function now() {
  if (name === 'dot') return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

try {
  console.log(JSON.stringify(await measured()));
} catch (error) {
  console.log(JSON.stringify({ error: String(error.message ?? error).split('\n')[0] }));
}

async function measured() {
  const layout = await ENGINES[name]();
  const regions = JSON.parse(readFileSync(file, 'utf8'));
  const kept = cut === 'cut' && name !== 'jaxviz' ? await withoutLong(regions) : regions;
  const start = now();
  const laid = [];
  for (const region of kept) laid.push(await layout(region, cut === 'cut' ? 8 : null));
  const ms = now() - start;
  const lines = laid.map((linesOf) => linesOf());
  const times = [];
  for (let run = 0; name === 'jaxviz' && run < WARMING + WARM; run++) {
    const again = now();
    for (const region of kept) await layout(region, cut === 'cut' ? 8 : null);
    if (run >= WARMING) times.push(now() - again);
  }
  times.sort((a, b) => a - b);
  const crossings = kept.reduce(
    (sum, { source, target }, r) => sum + countCrossings(lines[r], source, target),
    0,
  );
  return {
    ms,
    warm: times[times.length >> 1] ?? null,
    crossings,
    boxes: sum(regions, 'width'),
    edges: lines.flat().filter((line) => line.length > 0).length,
  };
}

/** The regions without the edges that our layout cuts. */
async function withoutLong(regions) {
  const ours = await ENGINES.jaxviz();
  return regions.map((region) => {
    const lines = ours(region, 8)();
    const short = (_, e) => lines[e].length > 0;
    return {
      ...region,
      source: region.source.filter(short),
      target: region.target.filter(short),
    };
  });
}

function sum(regions, side) {
  return regions.reduce((count, region) => count + region[side].length, 0);
}
