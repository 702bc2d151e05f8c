import { readFileSync } from 'node:fs';
import { expect, type Notebook, open, outline, runAll, screenshot, test, view } from './notebook';

const DEMO = JSON.parse(readFileSync('../demos/jaxviz.ipynb', 'utf-8')) as Notebook;

test('the demo runs, and each program stands under its cell', async ({ page, tmpPath }) => {
  await open(page, `${tmpPath}/demo.ipynb`, DEMO);
  await runAll(page);

  for (const name of ['lesson', 'rollout', 'softmax', 'train_step']) {
    const shown = view(page, name);
    await shown.scrollIntoViewIfNeeded();
    await expect(outline(shown)).toBeVisible();
    await screenshot(shown, `demo-${name}`);
  }
  await expect(page.locator('.jp-OutputArea-output[data-mime-type$="stderr"]')).toHaveCount(0);
});
