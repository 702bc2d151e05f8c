/** The depth to which a program opens, as its author chose it, in the view and in the still picture. */
import { galata } from '@jupyterlab/galata';
import type { Locator, Page } from '@playwright/test';
import { cellAt, choose, expect, LOAD, type Notebook, outline, run, test, view } from './notebook';
import { slow } from './slow';

// The reader prefers at most 14 boxes: enough to open `first`, too few to open `second`.
test.use({
  mockSettings: { ...galata.DEFAULT_SETTINGS, 'jupyterlab-jaxviz:panel': { boxes: 14 } },
});

const MODEL = `@jax.jit
def innermost(x): return jnp.sin(x) * 2
@jax.jit
def first(x): return (jnp.cos(x - 1) * 2 + 3) / 4 - x * 5
@jax.jit
def second(x): return innermost(jnp.tanh(jnp.exp(jnp.sqrt(abs(jnp.floor(jnp.log(x + 3) / 4))))))
def model(x): return second(first(x))`;

/** Boxes that are visible and boxes that are not, with each option. */
const CASES: [option: string, visible: string[], hidden: string[]][] = [
  ['', ['cos'], ['tanh', 'sin']],
  ['--depth 0', [], ['cos', 'tanh', 'sin']],
  ['--depth 1', ['cos', 'tanh'], ['sin']],
];
const CALLS = CASES.map(([option]) => `%jaxviz model(jnp.ones(3)) ${option}`);

slow(test)(
  'a chosen depth overrides the preference of the reader, and is saved',
  async ({ page, tmpPath, baseURL }) => {
    const path = `${tmpPath}/depth.ipynb`;
    await run(page, path, [LOAD, MODEL, ...CALLS]);
    await expectBoxes(page);
    await page.notebook.save();
    await Promise.all([page.waitForEvent('load'), page.evaluate(() => location.reload())]);
    await expectBoxes(page);

    const { content } = await (await page.request.get(`${baseURL}/api/contents/${path}`)).json();
    for (const [index, [option, visible, hidden]] of CASES.entries()) {
      if (!option) continue;
      const texts = await stillTexts(page, content as Notebook, 2 + index);
      expect(texts).toEqual(expect.arrayContaining(['first', 'second', ...visible]));
      expect(texts.filter((text) => hidden.includes(text))).toEqual([]);
    }
  },
);

async function expectBoxes(page: Page): Promise<void> {
  for (const [index, [, visible, hidden]] of CASES.entries()) {
    const model = view(cellAt(page, 2 + index), 'model');
    await model.scrollIntoViewIfNeeded(); // a view is drawn once it comes near the screen
    await expect(items(model, 'second')).toBeAttached();
    for (const op of visible) await expect(items(model, op)).toBeAttached();
    for (const op of hidden) await expect(items(model, op)).toHaveCount(0);
  }
}

/** The items of the outline, which has one for each box of the graph. */
function items(of: Locator, name: string): Locator {
  return outline(of).getByRole('treeitem', { name: new RegExp(`\\b${name}\\b`) });
}

/** The texts of the picture that a page without our extension shows of that cell. */
async function stillTexts(page: Page, { cells }: Notebook, cell: number): Promise<string[]> {
  const html = [cells[cell]?.outputs?.[0]?.data?.['text/html']].flat().join('');
  return page.evaluate(async (source) => {
    const output = new DOMParser().parseFromString(source, 'text/html');
    const picture = await (await fetch(output.querySelector('img')?.src ?? '')).text();
    const svg = new DOMParser().parseFromString(picture, 'image/svg+xml');
    return [...svg.querySelectorAll('text')].map((text) => text.textContent ?? '');
  }, html);
}

const LONG = `@jax.jit
def long(x):
    for _ in range(300): x = jnp.sin(jnp.cos(x) + 1)
    return x
def model(x):
    for _ in range(6): x = long(x)
    return x
%jaxviz model(jnp.ones(3))`;

test('Expand all of more than 2,000 boxes opens level by level', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/long.ipynb`, [LOAD, LONG]);
  const model = view(page, 'model');
  const note = model.getByText(/^Open down to depth \d: [\d,]+ groups? stays? closed\./);
  await choose(model, 'Expand all');
  await expect(note).toContainText('Expand all once more opens the next level.');
  const first = await note.textContent();
  await choose(model, 'Expand all');
  await expect(note).not.toHaveText(first ?? '');
});
