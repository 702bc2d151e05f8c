// Outputs in a real JupyterLab.
//
//   node bench/lab.mjs PORT ROUNDS
//
// Prints JSON. Of the notebooks `outputs` and `plain`, medians: `slow` and `fast`, frames a second while it
// scrolls at that many px a second, `heap` in MB after that, garbage collected, and `canvases`, the most that there
// are at once. Of `capture`, in ms from Shift+Enter: `begun` and `ended`, when the cell's code began and ended
// in the kernel; `painted`, the first frame with a picture; `plain`, `make_jaxpr` of the same program alone.
import { chromium, CHROMIUM } from './page.mjs';

const [port, rounds] = process.argv.slice(2).map(Number);
const SPEEDS = { slow: 500, fast: 3_000 };
const SECONDS = 4;
const SERVER = `http://127.0.0.1:${port}`;

async function opened(browser, name) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(`${SERVER}/lab/tree/${name}.ipynb?reset`);
  await page.waitForSelector('.jp-Notebook .jp-CodeCell', { timeout: 60_000 });
  return page;
}

/** Runs in the page: scrolls down a notebook, and counts the frames. */
async function scroll([speed, seconds]) {
  const candidates = [...document.querySelectorAll('.jp-WindowedPanel-outer, .jp-Notebook')];
  const outer = candidates.find((one) => one.scrollHeight > one.clientHeight + 100);
  outer.scrollTop = 0;
  await new Promise((rest) => setTimeout(rest, 1_000));
  const start = performance.now();
  let frames = 0;
  let canvases = 0;
  while (performance.now() - start < 1_000 * seconds) {
    const now = await new Promise(requestAnimationFrame);
    outer.scrollTop = ((now - start) / 1_000) * speed;
    canvases = Math.max(canvases, document.querySelectorAll('.jxv canvas').length);
    frames++;
  }
  return { rate: (1_000 * frames) / (performance.now() - start), canvases };
}

async function scrolled(browser, name) {
  const page = await opened(browser, name);
  const shown = name === 'plain' ? '.jp-OutputArea-output' : '.jxv canvas';
  await page.waitForSelector(shown, { timeout: 60_000 });
  const slow = await page.evaluate(scroll, [SPEEDS.slow, SECONDS]);
  const fast = await page.evaluate(scroll, [SPEEDS.fast, SECONDS]);
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await page.close();
  const canvases = Math.max(slow.canvases, fast.canvases);
  return { slow: slow.rate, fast: fast.rate, heap: usedSize / 1e6, canvases };
}

async function captured(browser) {
  const page = await opened(browser, 'capture');
  const cells = page.locator('.jp-Notebook .jp-CodeCell');
  const times = async (at) => {
    const text = cells.nth(at).locator('.jp-OutputArea-output', { hasText: 'jaxviz-times' });
    return (await text.innerText({ timeout: 120_000 })).trim().split(' ').slice(1).map(Number);
  };
  await cells.nth(0).click();
  await page.waitForSelector('.jp-Notebook-ExecutionIndicator[data-status=idle]', { timeout: 60_000 });
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.press('Shift+Enter');
  const [from, to] = await times(1);
  await page.evaluate(() => {
    addEventListener('keydown', () => { globalThis.pressed = Date.now(); }, { capture: true, once: true });
    const look = () => {
      if (!document.querySelector('.jxv canvas')) return requestAnimationFrame(look);
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { globalThis.seen = Date.now(); };
      requestAnimationFrame(() => port2.postMessage(0));
    };
    look();
  });
  await page.keyboard.press('Shift+Enter');
  await page.waitForFunction(() => globalThis.seen, null, { timeout: 120_000 });
  const [begin, end] = await times(2);
  const { pressed, seen } = await page.evaluate(() => ({ pressed: globalThis.pressed, seen: globalThis.seen }));
  const since = (seconds) => 1_000 * seconds - pressed;
  return { begun: since(begin), ended: since(end), painted: seen - pressed, plain: 1_000 * (to - from) };
}

const medians = (runs) =>
  Object.fromEntries(
    Object.keys(runs[0]).map((key) => [
      key,
      runs.map((run) => run[key]).toSorted((a, b) => a - b)[runs.length >> 1],
    ]),
  );

async function measured() {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--enable-precise-memory-info'],
  });
  try {
    const runs = { outputs: [], plain: [], capture: [] };
    for (let round = 0; round < rounds; round++) {
      for (const name of ['plain', 'outputs']) runs[name].push(await scrolled(browser, name));
      runs.capture.push(await captured(browser));
    }
    return Object.fromEntries(Object.entries(runs).map(([name, one]) => [name, medians(one)]));
  } finally {
    await browser.close();
  }
}

try {
  console.log(JSON.stringify(await measured()));
} catch (error) {
  console.log(JSON.stringify({ error: String(error.message ?? error).split('\n')[0] }));
}
