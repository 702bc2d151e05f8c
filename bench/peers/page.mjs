// How long a page takes from navigation until it shows its graph, in a process that can be stopped.
//
//   node bench/peers/page.mjs KIND URL
//
// Prints {shown} in ms, or {error}: what the page complained of.
import { chromium, CHROMIUM } from '../page.mjs';

const [kind, url] = process.argv.slice(2);

/** Conditions that are true when a graph is there. All run in the page. */
const SHOWN = {
  ours: () => document.querySelector('.jxv canvas')?.width > 300,
  jaxviz014: () => document.querySelectorAll('svg g').length > 10,
  explorer: () =>
    document.querySelector('webgl-renderer') !== null &&
    !document.body.innerText.includes('Processing graph'),
};
const LIMIT = 60_000;
/** Model Explorer draws with WebGL, here without a GPU. */
const SOFTWARE_GL = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', ...(kind === 'explorer' ? SOFTWARE_GL : ['--disable-gpu'])],
});
const page = await browser.newPage({ viewport: { width: 1100, height: 620 } });
const complaint = new Promise((done) => page.on('pageerror', (error) => done(String(error))));
const start = performance.now();
try {
  await page.goto(url, { timeout: LIMIT });
  const shown = page.waitForFunction(SHOWN[kind], null, { timeout: LIMIT, polling: 'raf' });
  const said = await Promise.race([shown.then(() => null), complaint]);
  console.log(JSON.stringify(said === null ? { shown: performance.now() - start } : { error: said }));
} catch (error) {
  console.log(JSON.stringify({ error: String(error.message).split('\n')[0] }));
}
await browser.close();
