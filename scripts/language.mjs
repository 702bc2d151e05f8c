/**
 * Keeps the translations of the page whole: `node scripts/language.mjs` gives the Korean file a key
 * for each text of the code, for a person to fill; `--check` says what is missing, and fails.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bareIn } from './language/bare.mjs';
import { schemaTexts } from './language/schema.mjs';
import { termFaults } from './language/terms.mjs';
import { textsIn } from './language/texts.mjs';
import { faultsOf } from './language/translated.mjs';

const CODE = 'js/src';
const SCHEMA = 'schema/panel.json';
const KOREAN = 'jupyterlab_jaxviz/locale/ko_KR/LC_MESSAGES/jupyterlab_jaxviz.json';

const faults = [];
const texts = new Map();
for (const path of filesIn(CODE)) {
  const source = readFileSync(path, 'utf8');
  const found = textsIn(path, source);
  faults.push(...found.faults, ...bareIn(path, source));
  for (const text of found.texts) add(text);
}
for (const text of schemaTexts(JSON.parse(readFileSync(SCHEMA, 'utf8')), SCHEMA)) add(text);

const korean = JSON.parse(readFileSync(KOREAN, 'utf8'));
if (process.argv.includes('--check')) {
  const wrong = [...faultsOf(texts, korean), ...termFaults(korean)];
  faults.push(...wrong.map((fault) => `${KOREAN}: ${fault}`));
} else {
  writeFileSync(KOREAN, `${JSON.stringify(filled(texts, korean), null, 2)}\n`);
}
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}

/** A text that is there as a singular cannot be a plural elsewhere: JupyterLab finds but one. */
function add({ key, more, where }) {
  const known = texts.get(key);
  if (known && known.more !== more) faults.push(`${where}: “${key}” has another plural elsewhere`);
  else texts.set(key, { more, where });
}

/** The file with a key for each text, in their order, and none beside. */
function filled(texts, { '': head, ...old }) {
  const entries = [...texts.keys()].sort().map((key) => {
    const [said = '', other = ''] = old[key] ?? [];
    return [key, texts.get(key).more === null ? [said] : [said, other]];
  });
  return { '': head, ...Object.fromEntries(entries) };
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
    .sort();
}
