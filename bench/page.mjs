// The widget in a browser, as a host would mount it.
import { createRequire } from 'node:module';
import { build } from 'esbuild';
import { bundled, PARTS } from '../js/widget-bundle.mjs';

const ROOT = new URL('../', import.meta.url);
export const { chromium } = createRequire(new URL('ui-tests/', ROOT))('playwright-core');

/** The widget as `js/build.mjs` bundles it, from the sources as they are now. */
const { script: WIDGET, style: STYLE } = await bundled(await build(PARTS));

/** The page that `Program.save('x.html')` writes, without a program. */
const SHELL = `<!doctype html><html lang="en"><head><meta charset="utf-8"><style>
${STYLE}
:root { color-scheme: light dark; }
body { margin: 8px; background: Canvas; color: CanvasText; }
.jxv .jxv-frame:not(.jxv-short) { --jxv-grows: 0; height: calc(100vh - 20px); }
</style></head><body><main id="view"></main></body></html>`;

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

export const launch = (args = []) =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', ...args],
  });

/** A page with the widget loaded and nothing shown. `errors` gathers what goes wrong in it; `watch`
 * runs in it before the widget. */
export async function openPage(browser, { width, height, colorScheme = 'light' }, watch = null) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (said) => said.type() === 'error' && errors.push(said.text()));
  await page.setContent(SHELL);
  if (watch) await page.evaluate(watch);
  await page.evaluate(async (code) => {
    const module = new Blob([code], { type: 'text/javascript' });
    globalThis.widget = (await import(URL.createObjectURL(module))).default;
    const parts = [...globalThis.jaxvizParts.addresses.values()];
    await Promise.all(parts.map(async (address) => import(await address)));
    globalThis.prepare = (base64, stage) => {
      globalThis.clear?.();
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      const traits = { payload: new DataView(bytes.buffer), opening: { stage } };
      const model = { get: (name) => traits[name] };
      return async () => {
        const el = document.getElementById('view');
        globalThis.clear = await globalThis.widget.render({ model, el });
      };
    };
  }, WIDGET);
  return { page, errors };
}

/** Mounts a program, given in its wire form, and waits until the graph of a stage is there. */
export async function show(page, wire, stage = 'jaxpr') {
  const shown = ([base64, kind]) => globalThis.prepare(base64, kind)();
  await page.evaluate(shown, [wire.toString('base64'), stage]);
  await page.waitForSelector('.jxv canvas, .jxv .jxv-failure', { timeout: 60_000 });
  await painted(page);
}

/** Opens all that the program holds, as the menu does. */
export async function expandAll(page) {
  await page.click('.jxv-menu-more > * > button');
  await page.click('.jxv-menu [role=menuitem]:has-text("Expand all")');
  await painted(page);
}

/** Resolves after the frames that are due: motion and resizing included. */
export const painted = (page) =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 20; frame++) {
      await new Promise((next) => requestAnimationFrame(next));
    }
  });

/** The middle of some values; null where there are none. */
export const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? null;
