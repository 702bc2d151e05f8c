/** Files opened from the file browser of a real JupyterLab. Saved programs need no kernel. Files of compilers are
 * read by a kernel that ends at once. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { Locator } from '@playwright/test';
import {
  choose,
  details,
  expect,
  openOutline,
  passesAxe,
  screenshot,
  test,
  text,
  view,
} from './notebook';
import { slow } from './slow';

const STEP = readFileSync('../tests/golden/train_step.json', 'utf8');
const FORMATS = ['1', '2', '3'];

/** The file in the browser's list. */
const listed = (page: IJupyterLabPageFixture, name: string): Locator =>
  page.locator('.jp-DirListing-item', { hasText: name });

async function upload(page: IJupyterLabPageFixture, path: string, content: string): Promise<void> {
  await page.contents.uploadContent(content, 'text', path);
  await page.filebrowser.refresh();
}

const reason = (page: IJupyterLabPageFixture): Locator => page.getByRole('alert');

test.beforeEach(async ({ page, tmpPath }) => {
  await page.filebrowser.openDirectory(tmpPath);
});

test('a double-click opens a saved program, without a kernel', async ({ page, tmpPath }) => {
  const started: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && /api\/(sessions|kernels)/.test(request.url())) {
      started.push(request.url());
    }
  });
  await upload(page, `${tmpPath}/step.jaxviz.json`, STEP);
  await listed(page, 'step.jaxviz.json').dblclick();
  const shown = view(page, 'train_step');
  await expect(shown).toBeVisible();
  await choose(shown, 'Expand all');
  const tree = await openOutline(shown);
  await tree.getByRole('treeitem', { name: /^max/ }).first().click();
  await expect(details(shown)).toContainText('max');
  await shown.getByRole('tab', { name: 'Text' }).click();
  await expect(text(shown)).toContainText('lambda');
  await shown.getByRole('tab', { name: 'Table', exact: true }).click();
  await expect(shown.getByRole('treegrid', { name: /^Numbers/ })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'step.jaxviz.json' })).toBeVisible();
  await passesAxe(page);
  expect(started).toEqual([]);
});

slow(test)('any JSON file opens by Open With', async ({ page, tmpPath }) => {
  await upload(page, `${tmpPath}/step.json`, STEP);
  await listed(page, 'step.json').click({ button: 'right' });
  await page.locator('.lm-Menu-itemLabel', { hasText: 'Open With' }).click();
  await page.getByRole('menuitem', { name: 'JAX program', exact: true }).click();
  await expect(view(page, 'train_step')).toBeVisible();
});

for (const format of FORMATS) {
  slow(test)(`a program and a comparison of format ${format} open`, async ({ page, tmpPath }) => {
    for (const name of ['program', 'compared']) {
      const saved = readFileSync(`../tests/formats/${format}/${name}.json`, 'utf8');
      await upload(page, `${tmpPath}/${name}.jaxviz.json`, saved);
      await listed(page, `${name}.jaxviz.json`).dblclick();
      const tab = page.locator('.jp-jaxviz-file:visible');
      await expect(tab.getByRole('region', { name: /^JAX program / })).toBeVisible();
      await page.activity.closeAll();
    }
  });
}

/** Writes the outputs of compilers for one program into a folder, as `x.mlir`, `x.mlirbc`, `x.hlo.pb`. */
const COMPILED = `
import io, sys, pathlib, jax, jax.numpy as jnp
folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
def loss(w, x):
    return jnp.sum(jnp.tanh(x @ w))
lowered = jax.jit(loss).lower(jnp.ones((4, 8)), jnp.ones((3, 4)))
module, written = lowered.compiler_ir('stablehlo'), io.BytesIO()
module.operation.write_bytecode(written)
hlo = lowered.compile().runtime_executable().hlo_modules()[0]
(folder / 'x.mlir').write_text(str(module))
(folder / 'x.mlirbc').write_bytes(written.getvalue())
(folder / 'x.hlo.pb').write_bytes(hlo.as_serialized_hlo_module_proto())
(folder / 'x.txt').write_text(hlo.to_string())
`;

test('StableHLO and HLO open with a kernel that ends at once', async ({ page, tmpPath }, info) => {
  execFileSync('python', ['-c', COMPILED, info.outputDir]);
  for (const name of ['x.mlir', 'x.mlirbc', 'x.hlo.pb', 'x.txt']) {
    const content = readFileSync(`${info.outputDir}/${name}`).toString('base64');
    await page.contents.uploadContent(content, 'base64', `${tmpPath}/${name}`);
    await page.filebrowser.refresh();
    if (name === 'x.txt') {
      await listed(page, name).click({ button: 'right' });
      await page.locator('.lm-Menu-itemLabel', { hasText: 'Open With' }).click();
      await page.getByRole('menuitem', { name: 'StableHLO or HLO', exact: true }).click();
    } else {
      await listed(page, name).dblclick();
    }
    const shown = view(page, 'loss');
    await expect(shown).toBeVisible({ timeout: 60_000 });
    await shown.getByRole('tab', { name: 'Text', exact: true }).click();
    const written = shown.getByRole('textbox', { name: /^Text of/ });
    await expect(written).toContainText(name.includes('mlir') ? 'stablehlo.' : 'HloModule');
    if (name === 'x.mlir') await screenshot(page.locator('.jp-jaxviz-file:visible'), 'file-mlir');
    await page.activity.closeAll();
  }
  await upload(page, `${tmpPath}/bad.mlir`, '<img src=x onerror=alert(1)>');
  await listed(page, 'bad.mlir').dblclick();
  await expect(reason(page)).toContainText("jaxviz cannot show this program. 'bad.mlir' is no", {
    timeout: 60_000,
  });
  const running = await page.evaluate(async () => {
    const { sessions } = window.jupyterapp.serviceManager;
    await sessions.refreshRunning();
    return [...sessions.running()].filter((one) => one.path.includes('jaxviz-')).length;
  });
  expect(running).toBe(0);
});

test('one sentence gives the reason why a file is not shown', async ({ page, tmpPath }) => {
  const files = {
    cut: [STEP.slice(0, 2000), 'Program.save did not write this file'],
    later: [JSON.stringify({ ...JSON.parse(STEP), version: 999 }), 'The file is of format 999.'],
    strange: ['{"version": 1, "stages": []}', 'Its data'],
    empty: ['', 'Program.save did not write this file'],
  } as const;
  for (const [name, [content, sentence]] of Object.entries(files)) {
    await upload(page, `${tmpPath}/${name}.jaxviz.json`, content);
    await listed(page, `${name}.jaxviz.json`).dblclick();
    await expect(reason(page)).toContainText(`jaxviz cannot show this program. ${sentence}`);
    await page.activity.closeAll();
  }
});

slow(test)(
  'a file that is saved again is redrawn, and a tab survives a reload of the page',
  async ({ page, tmpPath }) => {
    await upload(page, `${tmpPath}/step.jaxviz.json`, STEP.replace('"train_step"', '"before"'));
    await listed(page, 'step.jaxviz.json').dblclick();
    await expect(view(page, 'before')).toBeVisible();
    await upload(page, `${tmpPath}/step.jaxviz.json`, STEP);
    await page.evaluate(() => window.jupyterapp.commands.execute('docmanager:reload'));
    await expect(view(page, 'train_step')).toBeVisible();
    await Promise.all([page.waitForEvent('load'), page.evaluate(() => location.reload())]);
    await expect(view(page, 'train_step')).toBeVisible();
  },
);

test('Notebook 7 opens a saved program in a page of its own', async ({
  page,
  tmpPath,
  baseURL,
}) => {
  await upload(page, `${tmpPath}/step.jaxviz.json`, STEP);
  const tree = await page.context().newPage();
  await tree.goto(`${baseURL}/tree/${tmpPath}`);
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    tree.locator('.jp-DirListing-item', { hasText: 'step.jaxviz.json' }).dblclick(),
  ]);
  await expect(view(opened, 'train_step')).toBeVisible();
});

for (const [theme, name] of [
  ['light', 'JupyterLab Light'],
  ['dark', 'JupyterLab Dark'],
] as const) {
  slow(test)(`its tab at three widths, ${theme}`, async ({ page, tmpPath }) => {
    await page.theme.setTheme(name);
    await upload(page, `${tmpPath}/step.jaxviz.json`, STEP);
    await listed(page, 'step.jaxviz.json').dblclick();
    await expect(view(page, 'train_step')).toBeVisible();
    await page.sidebar.close('left');
    for (const width of [600, 900, 1400]) {
      await page.setViewportSize({ width, height: 800 });
      const tab = page.locator('.jp-jaxviz-file');
      const frame = tab.locator('.jxv-frame');
      await expect
        .poll(async () => {
          const [outer, inner] = [await tab.boundingBox(), await frame.boundingBox()];
          return outer && inner && Math.round(outer.height - inner.height);
        })
        .toBeLessThanOrEqual(1);
      await screenshot(tab, `file-${theme}-${width}`);
    }
    await page.theme.setLightTheme();
  });
}
