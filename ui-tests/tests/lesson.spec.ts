/** A reader opens the lessons, and does the first with only what is on the screen. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { expect, type Notebook, runAll, screenshot, test, view } from './notebook';

const FILE = '../jaxviz/lessons/en/1_what_jit_does.ipynb';
const LESSON = JSON.parse(readFileSync(FILE, 'utf-8')) as Omit<Notebook, 'cells'> & {
  cells: { id: string }[];
};
/** Each question with an answer, wrong or right, and the beginning of the verdict. */
const ANSWERS = [
  ['prints', '4', '✗ That is how Python would do it'],
  ['prints', '2', '✓ Once for five numbers'],
  ['loop-answer', '2', '✗ There is no eqn for the loop'],
  ['loop-answer', 'ten', '… Write one number'],
  ['loop-answer', '10 eqns', '✓ Python ran the loop'],
  ['longest', 'run', '✗ A thousand numbers'],
  ['longest', 'compile', '✓ The compiler works hardest'],
  ['objects-answer', '3', '✓ Each iteration makes a new function'],
  ['batches-answer', '2', '✓ One for 8 rows'],
  ['pays-answer', 'nothing to speak of', '✓ One operation'],
] as const;

/** The cells of the notebook in front, where several are open. */
const cells = (page: Page): Locator =>
  page.locator('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook .jp-Cell');
const cell = (page: Page, id: string): Locator =>
  cells(page).nth(LESSON.cells.findIndex((one) => one.id === id));

test('lesson 1 is opened, and its questions are answered wrongly, then rightly', async ({
  page,
  tmpPath,
}) => {
  await page.locator('.jp-LauncherCard', { hasText: 'JAX Lessons' }).first().click();
  await expect(cells(page).first()).toContainText('See what JAX sees');
  await page.notebook.openByPath(`${tmpPath}/jaxviz-lessons/1_what_jit_does.ipynb`);
  await expect(cells(page).first()).toContainText('What jit does');
  await runAll(page);
  await expect(view(cells(page), 'total')).toBeVisible();
  for (const [id, answer, verdict] of ANSWERS) {
    const asked = cell(page, id).locator('.jxv-quiz');
    await asked.scrollIntoViewIfNeeded();
    const field = asked.getByRole('textbox');
    if ((await field.count()) > 0) {
      await field.fill(answer);
      await field.press('Enter');
    } else await asked.getByRole('button', { name: answer, exact: true }).click();
    await expect(asked.getByRole('status')).toContainText(verdict);
  }
  for (const id of ['prints', 'calls', 'longest', 'times', 'batches']) {
    await cell(page, id).scrollIntoViewIfNeeded();
    await screenshot(cell(page, id), `lesson-${id}`);
  }
});
