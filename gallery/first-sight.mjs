// Lays out the first view of every captured program at three widths, and writes docs/first-sight.md.
//
//   node gallery/first-sight.mjs FOLDER [PICTURES]
//
// FOLDER holds what `first_sight.py` wrote, PICTURES is where a few first views are written as SVG.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fromSource } from '../bench/source.mjs';
import { namesIn } from './invented-names.mjs';

const [folder, pictures] = process.argv.slice(2);
const ROOT = new URL('../', import.meta.url);
const path = (name) => fileURLToPath(new URL(name, ROOT));
/** Cells, and the room that their graphs have: beside the text from 1,000 px on, else above it. */
const CELLS = [
  { cell: 600, room: { width: 598, height: 572 } },
  { cell: 900, room: { width: 898, height: 572 } },
  { cell: 1400, room: { width: 922, height: 808 } },
];
const SHOWN = ['nnx_dropout', 'nnx_step', 'gallery_gpt2', 'dict_of_layers'];

const { measured, drawnAs, outlined } = await fromSource('gallery/first-sight-entry.ts');

const programsIn = (folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => [
      file.replace(/\.json$/, ''),
      JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')),
    ]);

const rows = [];
for (const [name, program] of programsIn(folder)) {
  const found = CELLS.map(({ room }) => measured(program, room));
  rows.push({ name, found, ...namesIn(program) });
  if (!pictures || !SHOWN.includes(name)) continue;
  mkdirSync(pictures, { recursive: true });
  writeFileSync(`${pictures}/${name}.svg`, drawnAs(program, CELLS[1].room));
}

const same = programsIn(`${folder}/same`).map(([library, program]) => {
  const picture = `same-${library.toLowerCase().replace(' ', '-')}`;
  if (pictures) writeFileSync(`${pictures}/${picture}.svg`, drawnAs(program, CELLS[1].room));
  return { library, picture, outline: outlined(program, CELLS[1].room) };
});

const beside = readFileSync(path('gallery/beside-others.md'), 'utf8');
const percent = (share) => Math.round(100 * share);
const cellOf = ({ zoom, told, all, overlaps, empty }) =>
  `${percent(zoom)} · ${percent(told)} · ${all ? 'yes' : '**no**'} · ${overlaps} · ${percent(empty)}`;
const inAll = (test) => CELLS.map((_, at) => rows.filter(({ found }) => test(found[at])).length);
const counted = (about, test) => `| ${about} | ${inAll(test).join(' | ')} |`;
const sum = (at, key) => rows.reduce((all, { found }) => all + found[at][key], 0);
const crossed = CELLS.map((_, at) => `${sum(at, 'crossed')} of ${sum(at, 'types')}`).join(' | ');
const couldOpen = CELLS.map((_, at) => rows.reduce((all, { found }) => all + found[at].could.length, 0));
const invented = rows.flatMap(({ name, invented }) => invented.map((one) => `${one} in ${name}`));
const heads = CELLS.map(({ cell }) => `${cell} px`).join(' | ');
writeFileSync(
  path('docs/first-sight.md'),
  `# The first view

The first view of ${rows.length} programs in cells of three widths, computed from the scenes by \`make first-sight\`. A first view should
show all of its program at 85 % or more, with inputs and results. If something does not fit, more is folded
(\`js/src/state/first-view.ts\`); it is never drawn smaller. A view grows with its program up to a height of 900 px.

| of ${rows.length} programs | ${heads} |
|---|---|---|---|
${counted('all boxes, inputs and results in view at 85 % or more', ({ all }) => all)}
${counted('boxes or texts that overlap', ({ overlaps }) => overlaps > 0)}
${counted('more than 45 % empty ground', ({ empty }) => empty > 0.45)}
${counted('less than 10 % of the work visible', ({ told }) => told < 0.1)}
| types of values with an edge through them | ${crossed} |
| closed boxes that have room to open | ${couldOpen.join(' | ')} |

Groups with an invented name, which is nowhere in the reader's code, the library's or the ops: ${invented.length} of ${rows.reduce((all, { names }) => all + names.length, 0)}.

Each cell of the table has: zoom in %; the share of the program's work in open boxes and in boxes of one eqn, in %; whether all of
it is in view; overlaps; empty ground in % of the graph's rectangle. Ground is empty if it is farther than 24 px from any box, text
or edge: beside a lane that is closed while the next one is open, beside chains with a long edge, and within open boxes. Titles of
open boxes are text.

${SHOWN.map((name) => `![${name}](first-sight/${name}.svg)`).join('\n\n')}

## One model in five libraries

The step of a small transformer with Adam (\`tests/same_models.py\`), in a cell of 900 px: the open boxes, and the closed boxes in them
with their eqns. Each library has its own names, and JAX recorded other eqns for its layers.

| library | first view |
|---|---|
${same.map(({ library, outline }) => `| ${library} | ${outline} |`).join('\n')}

${same.map(({ library, picture }) => `![${library}](first-sight/${picture}.svg)`).join(' ')}

## All programs

| program | ${heads} |
|---|---|---|---|
${rows.map(({ name, found }) => `| ${name} | ${found.map(cellOf).join(' | ')} |`).join('\n')}
${beside}`,
);
const failed = rows.filter(({ found }) => found.some(({ all }) => !all)).map(({ name }) => name);
console.log(`${rows.length} programs; not all in view: ${failed.join(', ') || 'none'}`);
if (invented.length > 0) console.log(`invented names: ${invented.join(', ')}`);
for (const { name, found } of rows) {
  found.forEach(({ could }, at) => {
    if (could.length > 0) console.log(`${name} at ${CELLS[at].cell} px could open ${could.join(', ')}`);
  });
}
