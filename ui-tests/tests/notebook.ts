/** A notebook of a test: made as a file, opened in a real JupyterLab, run by a real kernel. */
import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type IJupyterLabPageFixture } from '@jupyterlab/galata';
import type { APIRequestContext, Locator, Page } from '@playwright/test';

export { expect };

interface Cell {
  cell_type: string;
  metadata: Record<string, unknown>;
  source: string | string[];
  outputs?: { data?: Record<string, unknown> }[];
}

export interface Notebook {
  nbformat: number;
  nbformat_minor: number;
  metadata: Record<string, unknown>;
  cells: Cell[];
}

export const LOAD = '%load_ext jaxviz\nimport jax, jax.numpy as jnp\nfrom jax import lax';
export const LESSON = `def lesson(x):
    return jnp.sum(x**2 + jnp.sin(x))
%jaxviz lesson(jnp.arange(5.0))`;
export const MODEL = `def layer(w, x):
    return jax.nn.relu(x @ w)

def loss(w, x):
    return jnp.mean(layer(w, x) ** 2)`;
export const ROLLOUT = `def step(carry, x):
    carry = lax.cond(x.sum() > 0, jnp.tanh, jnp.sin, carry + x)
    return carry, carry @ jnp.ones((64, 2))
%jaxviz (lambda start, xs: lax.scan(step, start, xs))(jnp.ones((8, 64)), jnp.ones((10, 8, 64)))`;
/** A call that fails while JAX traces it. */
export const FAILING = `%jaxviz on
def loss(w, x):
    h = jnp.tanh(x @ w)
    if h.sum() > 0: return h.sum()
    return -h.sum()

jax.jit(loss)(jnp.ones((3, 2)), jnp.ones((4, 3)))`;

/** The page of galata. Each test asserts that it sent requests only to its own server. */
export const test = base.extend<{ ownServerOnly: undefined }>({
  ownServerOnly: [
    async ({ page, baseURL }, use) => {
      const outside: string[] = [];
      page.on('request', (request) => {
        if (!isOwnRequest(request.url(), baseURL ?? '')) outside.push(request.url());
      });
      await use(undefined);
      expect(outside).toEqual([]);
    },
    { auto: true },
  ],
});

function isOwnRequest(url: string, server: string): boolean {
  return url.startsWith(server) || /^(data|blob):/.test(url);
}

export function notebook(sources: string[]): Notebook {
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' } },
    cells: sources.map((source, index) => ({
      cell_type: 'code',
      id: `cell-${index}`,
      metadata: {},
      source,
      outputs: [],
      execution_count: null,
    })),
  };
}

export async function open(
  page: IJupyterLabPageFixture,
  path: string,
  content: Notebook,
): Promise<void> {
  await page.contents.uploadContent(JSON.stringify(content), 'text', path);
  await page.filebrowser.refresh();
  await page.notebook.openByPath(path);
}

/** A notebook that names no kernel, and to which none is given. */
export async function openWithoutKernel(
  page: IJupyterLabPageFixture,
  path: string,
  content: Notebook,
): Promise<void> {
  await open(page, path, content);
  const dialog = page.locator('.jp-Dialog', { hasText: 'Select Kernel' });
  await dialog.getByRole('button', { name: 'No Kernel' }).click();
}

/** A notebook with these cells, run to its end. */
export async function run(
  page: IJupyterLabPageFixture,
  path: string,
  sources: string[],
): Promise<void> {
  await open(page, path, notebook(sources));
  await runAll(page);
}

/** A notebook in the folder of a server, for pages that a test opens itself. */
export async function put(
  request: APIRequestContext,
  path: string,
  content: Notebook,
): Promise<void> {
  const data = { type: 'notebook', format: 'json', content };
  await request.put(`/api/contents/${path}`, { data });
}

/** Restarts the kernel of the notebook in front. */
export async function restart(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { sessionContext } = window.jupyterapp.shell.currentWidget as unknown as {
      sessionContext: { session: { kernel: { restart(): Promise<void> } } };
    };
    await sessionContext.session.kernel.restart();
  });
}

/** Runs every cell of the notebook in front, in Lab or Notebook 7, once its kernel is there. */
export async function runAll(page: Page): Promise<void> {
  await page.waitForFunction(() => window.jupyterapp?.shell.currentWidget);
  await page.evaluate(async () => {
    const { commands, shell } = window.jupyterapp;
    const panel = shell.currentWidget as unknown as {
      context: { ready: Promise<void> };
      sessionContext: { ready: Promise<void> };
    };
    await panel.context.ready;
    await panel.sessionContext.ready;
    await commands.execute('notebook:run-all-cells');
  });
}

/** The view of a program, by the program's name. */
export function view(page: Page | Locator, name: string | RegExp): Locator {
  const label = typeof name === 'string' ? `JAX program ${name}` : name;
  const inPlace = page.getByRole('region', { name: label });
  return inPlace.or(page.getByRole('dialog', { name: label })).first();
}

/** The cell with that number in the notebook, from 0. */
export function cellAt(page: Page, cell: number): Locator {
  return page.locator('.jp-Notebook .jp-Cell').nth(cell);
}

export function outputs(page: Page, cell: number): Locator {
  return cellAt(page, cell).locator('.jp-OutputArea-output');
}

export function outline(of: Locator): Locator {
  return of.getByRole('tree', { name: 'Program outline' });
}

/** The outline, made visible. A screen reader reads it also while it is hidden. */
export async function openOutline(of: Locator): Promise<Locator> {
  await choose(of, 'Outline');
  return outline(of);
}

/** Chooses an entry of the menu behind ⋯, which then closes. */
export async function choose(of: Locator, entry: string): Promise<void> {
  await of.getByRole('button', { name: 'More', exact: true }).click();
  await of.locator('[role^=menuitem]').filter({ hasText: entry }).first().click();
}

/** The side panel. */
export function panel(page: Page): Locator {
  return page.locator('#jaxviz-panel');
}

/** Drags the edge of the side bar until the side panel has that width, in px. */
export async function widen(page: Page, width: number): Promise<void> {
  const box = await panel(page).boundingBox();
  if (!box) throw new Error('The panel is not visible.');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x - 2, y);
  await page.mouse.down();
  await page.mouse.move(box.x - 2 + box.width - width, y, { steps: 3 });
  await page.mouse.up();
  await expect
    .poll(async () => Math.round((await panel(page).boundingBox())?.width ?? 0))
    .toBe(width);
}

/** Runs a command of JupyterLab once it is there, without waiting until it is done. */
export async function command(page: Page, id: string, args = {}): Promise<void> {
  await page.waitForFunction((id) => window.jupyterapp?.commands.hasCommand(id), id);
  await page.evaluate(([id, args]) => void window.jupyterapp.commands.execute(id, args), [
    id,
    args,
  ] as const);
}

/** Chooses a command in the palette. */
export async function chooseCommand(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+Shift+C');
  await page.getByPlaceholder('SEARCH', { exact: true }).fill(name);
  await page.locator('.lm-CommandPalette-item', { hasText: name }).click();
}

/** The side panel, which shows its inspector from now on. */
export async function openInspector(page: Page): Promise<Locator> {
  await command(page, 'jaxviz:open-panel');
  await panel(page).getByRole('tab', { name: 'Inspector' }).click();
  return panel(page);
}

export function tab(of: Locator, name: string): Locator {
  return of.getByRole('tab', { name, exact: true });
}

export function details(of: Locator): Locator {
  return of.getByRole('group', { name: 'Details' });
}

export function text(of: Locator): Locator {
  return of.getByRole('textbox', { name: 'Text of the jaxpr' });
}

/** Asserts that axe finds nothing to fix in our views, or in a part of them. */
export async function passesAxe(page: Page, within = '.jxv'): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include(within).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map((one) => one.html)])).toEqual([]);
}

/** A picture of what the test opened, for a person to look at, in a folder that git ignores. Only
 * `make screenshots` renews those that git keeps. */
export async function screenshot(of: Locator, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS ?? 'test-results/screenshots';
  await of.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled' });
}

/** Moves the pointer to the first item of the graph, in the next frame, whose title has that name. Returns how
 * far down it is, as a share of the graph's height. */
export async function pointAt(page: Page, graph: Locator, name: RegExp): Promise<number> {
  const found = await graph.evaluate(async (canvas: HTMLElement, name) => {
    await new Promise((shown) => requestAnimationFrame(() => setTimeout(shown)));
    const { left, top, right, bottom } = canvas.getBoundingClientRect();
    for (let y = top + 4; y < bottom; y += 8) {
      for (let x = left + 4; x < right; x += 16) {
        const at = { clientX: x, clientY: y };
        canvas.dispatchEvent(new PointerEvent('pointermove', at));
        if (name.test(canvas.title)) return { x, y, share: (y - top) / (bottom - top) };
      }
    }
    return null;
  }, name);
  if (!found) throw new Error(`Nothing in the graph is called ${name}.`);
  await page.mouse.move(found.x, found.y);
  return found.share;
}
