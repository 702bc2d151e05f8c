// What a page of JupyterLab holds after long use.
//
//   node bench/endurance.mjs PORT SHARE
//
// Prints JSON. By what was done: `times`; `grown`, by how many MB the page's heap, garbage collected, is larger
// at the end than after the first fifth; `plain`, the same without jaxviz. The notebooks `outputs` and `plain`
// are opened and closed. Those with a cell that retraces 100 times a second are `panel`, with the panel open,
// and `bare`: both run at once.
import { chromium, CHROMIUM } from './page.mjs';

const [port, share] = process.argv.slice(2).map(Number);
const SERVER = `http://127.0.0.1:${port}`;
const OPENINGS = Math.max(5, Math.round(20 * share));
const SECONDS = Math.max(25, Math.round(600 * share));

async function page(browser, path = '') {
  const made = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await made.goto(`${SERVER}/lab${path}?reset`);
  await made.waitForFunction(() => globalThis.jupyterapp?.commands.hasCommand('docmanager:open'));
  await made.evaluate(() => globalThis.jupyterapp.restored);
  return made;
}

/** The page's heap in MB, garbage collected. */
async function heap(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}

/** Growth of the heap while a notebook is opened, scrolled to its end and closed many times. */
async function opened(browser, name, drawn) {
  const lab = await page(browser);
  const sizes = [];
  for (let time = 0; time < OPENINGS; time++) {
    await lab.evaluate(async (path) => {
      const { commands } = globalThis.jupyterapp;
      await commands.execute('docmanager:open', { path, kernel: { shouldStart: false } });
    }, `${name}.ipynb`);
    await lab.waitForSelector(drawn, { timeout: 60_000 });
    await lab.evaluate(async () => {
      const { content } = globalThis.jupyterapp.shell.currentWidget;
      await content.scrollToItem(content.widgets.length - 1);
    });
    await lab.waitForSelector(drawn, { timeout: 60_000 });
    await lab.evaluate(() => globalThis.jupyterapp.shell.currentWidget.dispose());
    await lab.waitForSelector('.jp-Notebook', { state: 'detached', timeout: 60_000 });
    sizes.push(await heap(lab));
  }
  await lab.close();
  return sizes.at(-1) - sizes[Math.ceil(OPENINGS / 5) - 1];
}

/** Growth of the heap while a cell retraces without end. */
async function retracing(browser, name, withPanel) {
  const lab = await page(browser, `/tree/${name}.ipynb`);
  await lab.waitForSelector('.jp-Notebook .jp-CodeCell', { timeout: 60_000 });
  await lab.evaluate(async (withPanel) => {
    const { commands, shell } = globalThis.jupyterapp;
    await shell.currentWidget.sessionContext.ready;
    if (withPanel) await commands.execute('jaxviz:open-panel');
    void commands.execute('notebook:run-all-cells'); // its last cell does not end
  }, withPanel);
  const rest = (seconds) => lab.evaluate((ms) => new Promise((end) => setTimeout(end, ms)), 1_000 * seconds);
  await rest(SECONDS / 5);
  const before = await heap(lab);
  await rest((4 * SECONDS) / 5);
  const grown = (await heap(lab)) - before;
  await lab.close();
  return grown;
}

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const outputs = {
    times: `${OPENINGS}`,
    grown: await opened(browser, 'outputs', '.jxv canvas, .jxv svg'),
    plain: await opened(browser, 'plain', '.jp-OutputArea-output'),
  };
  const [grown, plain] = await Promise.all([
    retracing(browser, 'panel', true),
    retracing(browser, 'bare', false),
  ]);
  const panel = { times: `${SECONDS} s`, grown, plain };
  console.log(JSON.stringify({ 'a page of 100 outputs, opened and closed': outputs, 'the panel, at 100 retraces a second': panel }));
} finally {
  await browser.close();
}
