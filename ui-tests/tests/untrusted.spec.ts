import { deflateSync } from 'node:zlib';
import { type Stage, VERSION } from '../../js/src/schema';
import { expect, openWithoutKernel, outline, test, view } from './notebook';
import { display, program, saved } from './saved';
import { slow } from './slow';

test('an untrusted notebook without a kernel shows its program', async ({ page, tmpPath }) => {
  await openSaved(page, `${tmpPath}/saved.ipynb`, [display(program('lesson'))]);
  await expect(outline(view(page, 'lesson')).getByRole('treeitem', { name: /cos/ })).toBeVisible();
  expect(await isTrusted(page)).toBe(false);
});

slow(test)(
  'the saved part of a large program lists what was left out',
  async ({ page, tmpPath }) => {
    const partial = 'Bodies were left out: run the cell again to see them.';
    await openSaved(page, `${tmpPath}/partial.ipynb`, [display(program('lesson'), partial)]);
    await expect(view(page, 'lesson').getByText(partial)).toBeVisible();
  },
);

test('an output that is damaged, hostile or of a newer jaxviz shows one sentence', async ({
  page,
  tmpPath,
}) => {
  const whole = display(program('lesson'));
  const misfit = { ...(program('lesson').stages[0] as Stage), avals: [] };
  const cases: [unknown, RegExp][] = [
    [
      { ...whole, version: VERSION + 1 },
      /reads formats up to \d+: run pip install --upgrade --no-deps jupyterlab-jaxviz/,
    ],
    [{ ...whole, version: '<b>1</b>' }, /was not made by jaxviz/],
    ['nonsense', /was not made by jaxviz/],
    [{ version: VERSION, program: 7, partial: null }, /is damaged/],
    [{ ...whole, program: 'no base64!' }, /cannot show this program/],
    [{ ...whole, program: whole.program.slice(0, 40) }, /cannot show this program/],
    [display({ ...program('lesson'), version: 9 }), /cannot show this program/],
    [{ ...whole, program: deflateSync('{"version":1}').toString('base64') }, /cannot show this/],
    [display({ ...program('lesson'), stages: [misfit] }), /contradict one another/],
  ];
  await openSaved(
    page,
    `${tmpPath}/damaged.ipynb`,
    cases.map(([data]) => data),
  );
  for (const [index, [, sentence]] of cases.entries()) {
    await expect(page.locator('.jp-OutputArea-output').nth(index)).toHaveText(sentence);
  }
});

type Page = Parameters<typeof openWithoutKernel>[0];

function openSaved(page: Page, path: string, displays: unknown[]): Promise<void> {
  return openWithoutKernel(page, path, saved(displays));
}

function isTrusted(page: Page): Promise<boolean | undefined> {
  return page.evaluate(() => {
    const widget = window.jupyterapp.shell.currentWidget as unknown as {
      model: { cells: Iterable<{ trusted: boolean }> };
    };
    return [...widget.model.cells].some((cell) => cell.trusted);
  });
}
