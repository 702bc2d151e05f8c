// Writes the colours of js/style/colours.css, light and dark, to js/src/picture/colours.ts: pictures are
// drawn where there is no page to ask. With --check, says whether that file is up to date.
import { readFileSync, writeFileSync } from 'node:fs';

const SHEET = 'js/style/colours.css';
const TABLE = 'js/src/picture/colours.ts';

/** The custom properties of the first rule with a selector, by their names. */
function properties(sheet, selector) {
  const [, rule] = sheet.slice(sheet.indexOf(selector)).split(/[{}]/);
  return new Map([...rule.matchAll(/--jxv-([\w-]+): (#\w+);/g)].map(([, name, colour]) => [name, colour]));
}

function tableOf(name, found) {
  const plain = [...found].filter(([key]) => !key.includes('-'));
  const pairs = [...found].flatMap(([key, fill]) => {
    const own = key.endsWith('-fill') ? key.slice(0, -5) : null;
    return own ? [`    ${own}: { fill: '${fill}', line: '${found.get(`${own}-line`)}' },`] : [];
  });
  return [
    `export const ${name}: Colours = {`,
    ...plain.map(([key, colour]) => `  ${key}: '${colour}',`),
    '  paints: {',
    ...pairs,
    '  },',
    '};',
  ];
}

const sheet = readFileSync(SHEET, 'utf8');
const written = [
  `/** Written by scripts/colours.mjs from ${SHEET}: change that. */`,
  'export interface Paint {',
  '  fill: string;',
  '  line: string;',
  '}',
  '',
  '/** The colours of a picture. */',
  'export interface Colours {',
  ...[...properties(sheet, '.jxv {').keys()]
    .filter((key) => !key.includes('-'))
    .map((key) => `  ${key}: string;`),
  '  /** By the name of a colour class. */',
  '  paints: Readonly<Record<string, Paint>>;',
  '}',
  '',
  ...tableOf('LIGHT', properties(sheet, '.jxv {')),
  '',
  ...tableOf('DARK', properties(sheet, '.jxv[data-dark] {')),
  '',
].join('\n');

if (!process.argv.includes('--check')) writeFileSync(TABLE, written);
else if (readFileSync(TABLE, 'utf8') !== written) {
  console.error(`${TABLE} is not what ${SHEET} says: run node scripts/colours.mjs`);
  process.exit(1);
}
