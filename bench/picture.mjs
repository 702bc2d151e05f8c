// Times the static picture in V8, the page's engine.
//
//     node --jitless bench/picture.mjs FILE
//
// FILE has the arguments of `picture` (`js/src/hosts/kernel.ts`) as a JSON list. With `--jitless` V8 interprets, as that engine does.
// Prints the processor time in ms, the median of some pictures after the first, each by code that has drawn
// nothing before.
import { readFileSync } from 'node:fs';
import { Script, createContext } from 'node:vm';

const ROUNDS = 9;

const code = new Script(readFileSync('jaxviz/static/picture.js', 'utf8'));
const sent = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const times = Array.from({ length: ROUNDS + 1 }, () => {
  const fresh = createContext();
  code.runInContext(fresh);
  const start = process.cpuUsage();
  fresh.picture(...sent);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e3;
});
console.log(times.slice(1).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]);
