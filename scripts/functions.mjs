/**
 * Fails where a function of TypeScript or JavaScript, a component too, is longer than 60 lines; 120 if its body
 * begins with a comment `// Algorithm: …`. biome's own rule does not count the lines between the tags of JSX.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const LONGEST = 60;
const LONGEST_ALGORITHM = 120;
/** In tests a function holds all the tests of one subject. */
const SOURCES = ['*.ts', '*.tsx', '*.mjs', ':!js/test', ':!ui-tests'];

const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard', ...SOURCES]);
const faults = listed.toString().split('\0').filter(existsSync).flatMap(faultsIn);
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}

function faultsIn(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const found = [];
  const left = [source];
  while (left.length > 0) {
    const node = left.pop();
    const from = lineOf(node.getStart(source));
    if (ts.isFunctionLike(node) && node.body) {
      const longest = /^\{\s*\/\/ Algorithm: /.test(node.body.getText(source)) ? LONGEST_ALGORITHM : LONGEST;
      if (lineOf(node.end) - from >= longest) {
        found.push(`${path}:${from}: more than ${longest} lines: give a part of it a name`);
      }
    }
    ts.forEachChild(node, (child) => void left.push(child));
  }
  return found;
}
