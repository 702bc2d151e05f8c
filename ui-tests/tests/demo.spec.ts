import { readFileSync } from 'node:fs';
import {
  expect,
  type Notebook,
  open,
  outline,
  runAll,
  screenshot,
  test,
  text,
  view,
} from './notebook';
import { causes, log } from './timeline';

const DEMO = JSON.parse(
  readFileSync('../jaxviz/lessons/en/0_see_what_jax_sees.ipynb', 'utf-8'),
) as Notebook;
const retraces = DEMO.cells.findIndex(({ source }) => String(source).startsWith('%%jaxviz'));

test('the demo runs, and each program is below its cell', async ({ page, tmpPath }) => {
  await open(page, `${tmpPath}/demo.ipynb`, DEMO);
  await runAll(page);

  for (const name of ['lesson', 'rollout', 'softmax', 'train_step']) {
    const shown = view(page, name);
    await shown.scrollIntoViewIfNeeded();
    await expect(outline(shown)).toBeVisible();
    await screenshot(shown, `demo-${name}`);
  }

  const traced = log(page, retraces);
  await traced.scrollIntoViewIfNeeded();
  await expect(traced).toContainText('3 traces (2 retraces)');
  await expect(causes(traced)).toHaveCount(2);
  await expect(causes(traced).filter({ hasText: 'batch: f32[8→2, 4]' })).toHaveCount(1);
  await expect(causes(traced).filter({ hasText: 'rate: ~f32[]' })).toHaveCount(1);
  await screenshot(traced, 'demo-retraces');

  const compared = view(page, 'normalize');
  await compared.scrollIntoViewIfNeeded();
  await expect(compared.getByLabel('Comparison', { exact: true })).toContainText(
    '1 result differs',
  );
  await expect(text(compared)).toContainText('bf16→f32');
  await screenshot(compared, 'demo-compare');
  await expect(page.locator('.jp-OutputArea-output[data-mime-type$="stderr"]')).toHaveCount(0);
});
