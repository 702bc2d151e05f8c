// Screenshots of every captured program: three zooms, two shapes, light and dark.
//
//   node gallery/shoot.mjs WIRE SHOTS SHEETS [NAME ...]
//
// The zooms: what is seen at first; the middle of that at a zoom at which all text reads; all of the
// program with everything open. Of some programs the first view alone is taken. WIRE holds what `capture.py` wrote.
// Single screenshots go to SHOTS, one sheet per program and theme to SHEETS. Fails when a page reports an error.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expandAll, launch, openPage, painted, show } from '../bench/page.mjs';

const [wire, shots, sheets, ...only] = process.argv.slice(2);
const SHAPES = { wide: { width: 1100, height: 420 }, tall: { width: 380, height: 800 } };
const THEMES = ['light', 'dark'];
const ZOOMS = ['first', 'middle', 'all'];
/** Steps out from the largest zoom, 4, to one at which all text reads, 0.84. */
const READING = 7;
const GAP = 12;
/** A dark sheet is smaller, because the light one shows the detail. */
const SCALE = { light: 0.85, dark: 0.5 };
const zoomsOf = ({ first_alone }) => (first_alone ? ZOOMS.slice(0, 1) : ZOOMS);

async function shoot(browser, shape, theme, programs) {
  const { page, errors } = await openPage(browser, { ...SHAPES[shape], colorScheme: theme });
  const take = (name, zoom) =>
    page.screenshot({ path: `${shots}/${name}.${zoom}.${shape}.${theme}.png` });
  for (const program of programs) {
    const { name, file, stage } = program;
    await show(page, readFileSync(`${wire}/${file}.wire`), stage);
    await page.mouse.move(0, 0);
    await painted(page);
    await take(name, 'first');
    for (const error of errors.splice(0)) complain(`${name}, ${shape}, ${theme}: ${error}`);
    if (program.first_alone) continue;
    await page.focus('.jxv canvas');
    await page.keyboard.press('0');
    for (let step = 0; step < 36; step++) await page.keyboard.press('+');
    for (let step = 0; step < READING; step++) await page.keyboard.press('-');
    await painted(page);
    await take(name, 'middle');
    await expandAll(page);
    await page.focus('.jxv canvas');
    for (let step = 0; step < 36; step++) await page.keyboard.press('-');
    await painted(page);
    await take(name, 'all');
    for (const error of errors.splice(0)) complain(`${name}, ${shape}, ${theme}: ${error}`);
  }
  await page.context().close();
}

/** One sheet: the wide shots one above the other, the tall ones beside them. */
async function sheet(page, program, theme) {
  const { name } = program;
  const images = ['wide', 'tall'].map((shape) =>
    zoomsOf(program).map((zoom) => readFileSync(`${shots}/${name}.${zoom}.${shape}.${theme}.png`, 'base64')),
  );
  const encode = async ([wide, tall], shapes, gap, scale, dark) => {
    const load = (base64) =>
      new Promise((done) => {
        const image = new Image();
        image.onload = () => done(image);
        image.src = `data:image/png;base64,${base64}`;
      });
    const canvas = document.createElement('canvas');
    canvas.width = scale * (shapes.wide.width + tall.length * (shapes.tall.width + gap));
    canvas.height = scale * Math.max(shapes.tall.height, wide.length * (shapes.wide.height + gap) - gap);
    const ctx = canvas.getContext('2d');
    ctx.fillStyle = dark ? '#444' : '#ccc';
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.scale(scale, scale);
    ctx.imageSmoothingQuality = 'high';
    for (const [at, one] of wide.entries()) {
      ctx.drawImage(await load(one), 0, at * (shapes.wide.height + gap));
    }
    for (const [at, one] of tall.entries()) {
      ctx.drawImage(await load(one), shapes.wide.width + gap + at * (shapes.tall.width + gap), 0);
    }
    return canvas.toDataURL('image/webp', 0.7).split(',')[1];
  };
  const made = await page.evaluate(
    ([run, ...args]) => new Function(`return ${run}`)()(...args),
    [encode.toString(), images, SHAPES, GAP, SCALE[theme], theme === 'dark'],
  );
  writeFileSync(`${sheets}/${name}.${theme}.webp`, Buffer.from(made, 'base64'));
}

function complain(message) {
  process.exitCode = 1;
  console.error(message);
}

mkdirSync(shots, { recursive: true });
mkdirSync(sheets, { recursive: true });
const programs = JSON.parse(readFileSync(`${wire}/programs.json`, 'utf8')).filter(
  ({ name, missing }) => missing === '' && (only.length === 0 || only.includes(name)),
);
const browser = await launch();
// Side by side: a page waits for frames most of the time.
const pages = Object.keys(SHAPES).flatMap((shape) => THEMES.map((theme) => [shape, theme]));
await Promise.all(pages.map(([shape, theme]) => shoot(browser, shape, theme, programs)));
const page = await browser.newPage();
for (const program of programs) {
  for (const theme of THEMES) await sheet(page, program, theme);
}
await browser.close();
