// How long the page stands still with a large program.
//
//   node bench/stalls.mjs WIRE
//
// Prints JSON: of each thing done, how long it took until the page was at rest, and the longest task of the
// main thread meanwhile, in ms, the median of some pages. `empty` is the same page without a program;
// `collection` the longest of V8's collections of garbage while a program is shown, and `apart` the longest task then
// without the collections in it.
import { readFileSync } from 'node:fs';
import { launch, median, openPage, painted } from './page.mjs';

const SIZE = { width: 1100, height: 620 };
const PAGES = 5;
const TASKS = 'disabled-by-default-devtools.timeline';

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

/** Does all in a page of its own. */
async function measured(base64) {
  return onPage(base64, watch, async (page) => {
    const empty = await timed(page, () => painted(page));
    const first = await timed(page, () => show(page));
    const find = await timed(page, async () => {
      await page.focus('.jxv canvas');
      await page.keyboard.press('/');
      await page.keyboard.type('tanh');
      await page.waitForSelector('.jxv [role=option], .jxv .jxv-matches li', { timeout: 60_000 });
    });
    const go = await timed(page, () => page.keyboard.press('Enter'));
    const back = await timed(page, () => page.keyboard.press('Escape'));
    return { empty, first, find, go, back };
  });
}

/** Measures tasks while a program is shown, in ms: the longest garbage collection, and the longest task without those in it. */
async function collections(base64) {
  const trace = await onPage(base64, null, async (page, browser) => {
    await browser.startTracing(page, { categories: ['devtools.timeline', 'v8', TASKS] });
    await show(page);
    await painted(page);
    return browser.stopTracing();
  });
  const { traceEvents } = JSON.parse(trace.toString());
  const collected = traceEvents.filter(({ name, dur }) => dur && /^(Major|Minor)GC$/.test(name));
  const [{ pid, tid }] = collected;
  const tasks = traceEvents.filter(
    (one) => one.name === 'RunTask' && one.dur && one.pid === pid && one.tid === tid,
  );
  const apart = tasks.map(({ ts, dur }) => {
    const within = collected.filter((one) => one.ts >= ts && one.ts < ts + dur);
    return within.reduce((left, one) => left - one.dur, dur);
  });
  const longest = (all) => Math.round(Math.max(...all) / 1e3);
  return { collection: longest(collected.map(({ dur }) => dur)), apart: longest(apart) };
}

async function show(page) {
  await page.evaluate(() => globalThis.mountIt());
  await page.waitForSelector('.jxv canvas', { timeout: 60_000 });
}

async function onPage(base64, watch, run) {
  const browser = await launch();
  try {
    const { page, errors } = await openPage(browser, SIZE, watch);
    await page.evaluate((text) => {
      globalThis.mountIt = globalThis.prepare(text, 'jaxpr');
    }, base64);
    const result = await run(page, browser);
    if (errors.length > 0) throw new Error(errors[0]);
    return result;
  } finally {
    await browser.close();
  }
}

try {
  const base64 = readFileSync(process.argv[2]).toString('base64');
  const pages = [];
  for (let page = 0; page < PAGES; page++) pages.push(await measured(base64));
  const result = await collections(base64);
  for (const done of Object.keys(pages[0])) {
    const of = (key) => median(pages.map((page) => page[done][key]));
    result[done] = { ms: of('ms'), longest: of('longest'), tasks: of('tasks') };
  }
  console.log(JSON.stringify(result));
} catch (error) {
  console.log(JSON.stringify({ error: String(error.message ?? error).split('\n')[0] }));
}
