/** Korean texts that do not keep to one term for each concept, as `terms.json` lists them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const TERMS = Object.entries(JSON.parse(readFileSync(join(import.meta.dirname, 'terms.json'), 'utf8'))).map(
  ([concept, { korean, not }]) => ({ concept, korean, others: new RegExp(not.join('|')) }),
);

const FOLDERS = ['jaxviz/pages/ko', 'jaxviz/lessons/ko', 'jaxviz/lessons/answers'];

/** Code within a text, addresses of links, and the English of a term behind its Korean. */
const CODE = /```.*?```|`[^`\n]*`|\]\([^)]*\)|\([a-zA-Z][a-zA-Z ,/-]*\)/gs;
/** A particle behind a place has both of its forms, so that the page chooses: `%1을(를)`. */
const ONE_FORM = /%\d+[`”]?(?:을(?!\(를)|를|이(?=[ ,.:]|$)|가(?=[ ,.:]|$)|은(?!\(는)|는(?=[ ,.:]|$)|과(?!\()|와(?=[ ,.:]|$)|으로|로(?=[ ,.:]|$))/;

/** A sentence for each fault of the translations, and of the pages and lessons in Korean. */
export function termFaults({ '': _head, ...translated }) {
  const texts = Object.values(translated).map(([text]) => [text, text]);
  for (const path of FOLDERS.flatMap(filesIn)) {
    for (const line of koreanLines(path)) texts.push([`${path}: ${line.trim()}`, line]);
  }
  return texts.flatMap(([name, text]) => faultsIn(text).map((fault) => `“${name}” ${fault}`));
}

function faultsIn(text) {
  const words = text.replace(CODE, ' ');
  const mixed = TERMS.flatMap(({ concept, korean, others }) => {
    const found = others.exec(words);
    return found ? [`says “${found[0]}” for ${concept}: ${korean}`] : [];
  });
  return ONE_FORM.test(text) ? [...mixed, 'has one form of a particle behind a place'] : mixed;
}

const filesIn = (folder) => readdirSync(folder).map((name) => join(folder, name));

/** The lines of a page or of a lesson's cells that are in Korean. */
function koreanLines(path) {
  const text = readFileSync(path, 'utf8');
  const read = path.endsWith('.ipynb')
    ? JSON.parse(text).cells.map(({ source }) => source.join('')).join('\n')
    : text.replace(CODE, (code) => (code.startsWith('```') ? '' : code));
  return read.split('\n').filter((line) => /[가-힣]/.test(line));
}
