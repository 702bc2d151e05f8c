// How long the functions of TypeScript and JavaScript files are: `node scripts/functions.mjs FILE…`
// prints, for each file, a list of their lengths in lines, as JSON. For scripts/limits.py.
import { readFileSync } from 'node:fs';
import ts from 'typescript';

const lengths = process.argv.slice(2).map((path) => [path, lengthsIn(path)]);
console.log(JSON.stringify(Object.fromEntries(lengths)));

function lengthsIn(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line;
  const found = [];
  const left = [source];
  while (left.length > 0) {
    const node = left.pop();
    if (ts.isFunctionLike(node) && node.body) {
      found.push(lineOf(node.end) - lineOf(node.getStart(source)) + 1);
    }
    ts.forEachChild(node, (child) => void left.push(child));
  }
  return found;
}
