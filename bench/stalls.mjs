// How long the page stands still with a large program.
//
//   node bench/stalls.mjs WIRE
//
// Prints JSON: of each thing done, how long it took until the page was at rest, and the longest task of the
// main thread meanwhile, in ms. `empty` is the same page without a program.
import { readFileSync } from 'node:fs';
import { launch, openPage, painted } from './page.mjs';

const SIZE = { width: 1100, height: 620 };

/** Installed in the page: gathers tasks of 50 ms or more. */
function watch() {
  globalThis.tasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.tasks.push(duration);
  }).observe({ entryTypes: ['longtask'] });
}

/** Does something, and waits until the page has drawn for a while. */
async function timed(page, act) {
  await page.evaluate(() => globalThis.tasks.splice(0));
  const start = performance.now();
  await act();
  const ms = performance.now() - start;
  await painted(page);
  const tasks = await page.evaluate(() => globalThis.tasks);
  return { ms: Math.round(ms), longest: Math.round(Math.max(0, ...tasks)), tasks: tasks.length };
}

async function measured(wire) {
  const browser = await launch();
  try {
    const { page, errors } = await openPage(browser, SIZE, watch);
    const empty = await timed(page, () => painted(page));
    const base64 = wire.toString('base64');
    await page.evaluate((text) => {
      globalThis.mountIt = globalThis.prepare(text, 'jaxpr');
    }, base64);
    const first = await timed(page, async () => {
      await page.evaluate(() => globalThis.mountIt());
      await page.waitForSelector('.jxv canvas', { timeout: 60_000 });
    });
    const find = await timed(page, async () => {
      await page.focus('.jxv canvas');
      await page.keyboard.press('/');
      await page.keyboard.type('tanh');
      await page.waitForSelector('.jxv [role=option], .jxv .jxv-matches li', { timeout: 60_000 });
    });
    const go = await timed(page, () => page.keyboard.press('Enter'));
    const back = await timed(page, () => page.keyboard.press('Escape'));
    if (errors.length > 0) throw new Error(errors[0]);
    return { empty, first, find, go, back };
  } finally {
    await browser.close();
  }
}

try {
  console.log(JSON.stringify(await measured(readFileSync(process.argv[2]))));
} catch (error) {
  console.log(JSON.stringify({ error: String(error.message ?? error).split('\n')[0] }));
}
