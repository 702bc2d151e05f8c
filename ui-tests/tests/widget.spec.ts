import { readFileSync } from 'node:fs';
import { test as plain } from '@playwright/test';
import { expect, outline, screenshot, view } from './notebook';
import { encoded, program } from './saved';

const STATIC = '../jaxviz/static';

plain('a page that hosts the anywidget alone shows the view', async ({ page }) => {
  const files = new Map([
    ['/widget.js', { contentType: 'text/javascript', body: readFileSync(`${STATIC}/widget.js`) }],
    ['/widget.css', { contentType: 'text/css', body: readFileSync(`${STATIC}/widget.css`) }],
    ['/', { contentType: 'text/html', body: Buffer.from(PAGE) }],
    ['/payload', { body: encoded(program('alone')) }],
  ]);
  await page.route('http://widget.test/**', (route) => {
    const file = files.get(new URL(route.request().url()).pathname);
    return file ? route.fulfill(file) : route.abort();
  });
  await page.goto('http://widget.test/');
  const alone = view(page, 'alone');
  await expect(outline(alone).getByRole('treeitem', { name: /^sin/ })).toBeVisible();
  await screenshot(alone, 'anywidget');
  await page.evaluate(() => Reflect.get(globalThis, 'remove')());
  await expect(alone).toHaveCount(0);
});

const PAGE = `<!doctype html><title>host</title><link rel="stylesheet" href="widget.css">
<main id="here"></main>
<script type="module">
  import widget from './widget.js';
  const payload = new DataView(await (await fetch('payload')).arrayBuffer());
  const traits = { payload, opening: { stage: 'jaxpr' } };
  const model = { get: name => traits[name], on() {}, off() {} };
  globalThis.remove = await widget.render({ model, el: document.getElementById('here') });
</script>`;
