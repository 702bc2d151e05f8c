/** Outputs on every kind of server, from the first run of a notebook to an untrusted copy. Jupyter's server has an
 * environment of its own, as most have, and the kernel another. No case may show an error in place of a picture. */
import { expect, type Page, test } from '@playwright/test';
import { cellAt, LESSON, LOAD, type Notebook, restart, runAll, screenshot, view } from './notebook';
import { type Extension, ofKernel, Server, save } from './servers';
import { slow } from './slow';

/** A view that our extension or script draws, or a still picture with a hint how to make it live. */
type Shown = 'live' | 'still';

interface Column {
  app: 'lab' | 'notebook';
  extension: Extension | null;
  /** The outputs while the kernel that made them runs, and after that. */
  alive: Shown;
  after: Shown;
}

const COLUMNS: Record<string, Column> = {
  'JupyterLab alone': { app: 'lab', extension: null, alive: 'still', after: 'still' },
  'JupyterLab with ipywidgets': {
    app: 'lab',
    extension: 'ipywidgets',
    alive: 'still',
    after: 'still',
  },
  'JupyterLab with anywidget': {
    app: 'lab',
    extension: 'anywidget',
    alive: 'live',
    after: 'still',
  },
  'JupyterLab with our folder alone': {
    app: 'lab',
    extension: 'ours',
    alive: 'live',
    after: 'live',
  },
  'Notebook 7 with anywidget': {
    app: 'notebook',
    extension: 'anywidget',
    alive: 'live',
    after: 'still',
  },
};
const COMMON = 'JupyterLab with anywidget';

const GROWING = `%%jaxviz
import os, time
double = jax.jit(lambda x: x * 2)
double(jnp.ones(3)), double(jnp.ones(4))
while not os.path.exists('go'): time.sleep(0.05)
double(jnp.ones(5))`;

/** Errors of Notebook 7 at its start, and of JupyterLab when a kernel restarts. */
const OTHERS = /reading 'schema'|Canceled future for /;
const WRONG = /Error displaying widget|Click to show javascript error|model not found|Traceback/;

for (const [name, column] of Object.entries(COLUMNS)) {
  const one = name === COMMON ? test : slow(test);
  one(`${name}: outputs are shown wherever a notebook is opened`, async ({ page }) => {
    test.setTimeout(180_000);
    const server = await Server.start(column.app, column.extension);
    const broken: string[] = [];
    page.on('pageerror', ({ message }) => broken.push(message));
    try {
      await openEverywhere(page, server, column, name.toLowerCase().replaceAll(' ', '-'));
    } finally {
      await server.stop();
    }
    expect(broken.filter((message) => !OTHERS.test(message))).toEqual([]);
  });
}

async function openEverywhere(
  page: Page,
  server: Server,
  { alive, after }: Column,
  shot: string,
): Promise<void> {
  await server.put('one.ipynb', ofKernel('python3', [LOAD, LESSON, GROWING]));
  await server.open(page, 'one.ipynb');
  const ran = runAll(page);
  await test.step('while it runs', async () => {
    await expectShown(page, alive, '2 traces');
    await screenshot(page.locator('.jp-Notebook'), `opened-${shot}-running`);
    if (alive === 'live') await expectStage(page, 'StableHLO', /stablehlo/);
    await server.write('go', '');
    await ran;
  });
  await test.step('after a run', async () => {
    await expectShown(page, alive, '3 traces');
    await screenshot(page.locator('.jp-Notebook'), `opened-${shot}-run`);
  });
  await test.step('saved and loaded again', async () => {
    await save(page);
    await server.open(page, 'one.ipynb');
    await expectShown(page, alive, '3 traces');
    if (alive === 'live') await expectStage(page, 'StableHLO', /stablehlo/);
  });
  await test.step('restarted', async () => {
    await restart(page);
    await expectShown(page, alive, '3 traces');
    if (alive === 'live') await expectStage(page, 'HLO', /run the cell again/);
    await screenshot(page.locator('.jp-Notebook'), `opened-${shot}-restarted`);
  });
  const saved = await server.saved('one.ipynb');
  expect(mimes(saved).filter((mime) => mime.includes('widget'))).toEqual([]);
  await server.endKernels();
  await test.step('opened again with a new kernel', async () => {
    await server.open(page, 'one.ipynb');
    expect(await isTrusted(page)).toBe(true);
    await expectShown(page, after, '3 traces');
    await screenshot(page.locator('.jp-Notebook'), `opened-${shot}-again`);
  });
  await test.step('an untrusted copy', async () => {
    await server.write('copy.ipynb', JSON.stringify(copied(saved)));
    await server.open(page, 'copy.ipynb');
    expect(await isTrusted(page)).toBe(false);
    await expectShown(page, after, '3 traces');
  });
  await test.step('of another format', async () => {
    await server.put('later.ipynb', later(saved));
    await server.open(page, 'later.ipynb');
    await expectShown(
      page,
      'still',
      '3 traces',
      after === 'live' ? /format 99, written by jaxviz 9\.9/ : null,
    );
    await screenshot(page.locator('.jp-Notebook'), `opened-${shot}-later`);
  });
}

/** Asserts that both outputs are there, and no error. `note` is a sentence that replaces the hint under a still
 * picture. */
async function expectShown(
  page: Page,
  shown: Shown,
  log: string,
  note: RegExp | null = null,
): Promise<void> {
  const program = cellAt(page, 1);
  const picture = program.getByRole('img', { name: /^lesson\(x\)/ });
  const hint = program.getByText(/A still picture/);
  if (shown === 'live') {
    await expect(view(program, 'lesson')).toBeVisible();
    await expect(picture).not.toBeVisible();
    await expect(hint).not.toBeVisible();
  } else {
    await expect(picture).toBeVisible();
    expect(await picture.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBeGreaterThan(99);
    await expect(view(program, 'lesson')).toHaveCount(0);
    await expect(hint).toBeVisible({ visible: note === null });
    if (note) await expect(program.getByText(note)).toBeVisible();
  }
  await expect(cellAt(page, 2).getByText(log).filter({ visible: true }).first()).toBeVisible();
  await expect(page.getByText(WRONG)).toHaveCount(0);
}

async function expectStage(page: Page, stage: string, text: RegExp): Promise<void> {
  const program = view(cellAt(page, 1), 'lesson');
  await program.getByRole('tab', { name: stage, exact: true }).click();
  await expect(program.getByText(text).first()).toBeVisible();
}

function isTrusted(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const { model } = window.jupyterapp.shell.currentWidget as unknown as {
      model: { cells: Iterable<{ type: string; trusted: boolean }> };
    };
    return [...model.cells].every((cell) => cell.trusted);
  });
}

function mimes({ cells }: Notebook): string[] {
  const outputs = cells.flatMap((cell) => cell.outputs ?? []);
  return outputs.flatMap(({ data }) => Object.keys(data ?? {}));
}

/** The notebook as another person would send it, whose text the server has not signed. */
function copied({ cells, metadata, ...rest }: Notebook): Notebook {
  const plain = cells.map((cell) => ({ ...cell, metadata: {} }));
  return { ...rest, metadata: { ...metadata, title: 'A copy' }, cells: plain };
}

/** The notebook as a later jaxviz might save it. */
function later(notebook: Notebook): Notebook {
  const copy = structuredClone(notebook);
  for (const { data } of copy.cells.flatMap(({ outputs = [] }) => outputs)) {
    for (const mime of Object.keys(data ?? {}).filter((one) => one.includes('jaxviz'))) {
      Object.assign(data?.[mime] as object, { version: 99, jaxviz: '9.9' });
    }
  }
  return copy;
}
