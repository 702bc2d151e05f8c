/** A reader opens the lessons, and does the first with only what is on the screen. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { expect, type Notebook, runAll, screenshot, test, view } from './notebook';

const FILE = '../jaxviz/lessons/en/1_what_jit_does.ipynb';
const LESSON = JSON.parse(readFileSync(FILE, 'utf-8')) as Omit<Notebook, 'cells'> & {
  cells: { id: string; metadata: { jaxviz?: { solution: string } } }[];
};
const ANSWERS = LESSON.cells.filter(({ metadata }) => metadata.jaxviz).map(({ id }) => id);

/** The cells of the notebook in front, where several are open. */
const cells = (page: Page): Locator =>
  page.locator('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook .jp-Cell');
const cell = (page: Page, id: string): Locator =>
  cells(page).nth(LESSON.cells.findIndex((one) => one.id === id));

async function answer(page: Page, id: string, source: string): Promise<void> {
  const lines = cell(page, id).locator('.cm-content');
  await lines.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(source);
  await expect(lines).toHaveText(source);
}

test('lesson 1 is opened, predicted wrongly, then rightly, to its last exercise', async ({
  page,
  tmpPath,
}) => {
  await page.locator('.jp-LauncherCard', { hasText: 'JAX Lessons' }).first().click();
  await expect(cells(page).first()).toContainText('See what JAX sees');
  await page.notebook.openByPath(`${tmpPath}/jaxviz-lessons/1_what_jit_does.ipynb`);
  await expect(cells(page).first()).toContainText('What jit does');
  await expect(cell(page, 'check-prints').locator('.jp-InputArea-editor')).toBeHidden();

  await answer(page, 'prints', 'prints = 4');
  await runAll(page);
  const last = cell(page, 'check-pays').locator('.jp-OutputArea-output');
  await expect(last).toContainText('…', { timeout: 60_000 });
  await expect(cell(page, 'check-prints')).toContainText('✗ That is how Python would do it');
  await expect(view(cells(page), 'total')).toBeVisible();

  for (const { id, metadata } of LESSON.cells) {
    if (metadata.jaxviz) await answer(page, id, metadata.jaxviz.solution);
  }
  await runAll(page);
  await expect(last).toContainText('✓', { timeout: 60_000 });
  const checks = LESSON.cells.filter(({ id }) => id.startsWith('check-'));
  expect(checks).toHaveLength(ANSWERS.length);
  for (const { id } of checks) await expect(cell(page, id)).toContainText('✓');
  for (const id of ['calls', 'check-prints', 'times', 'batches']) {
    await cell(page, id).scrollIntoViewIfNeeded();
    await screenshot(cell(page, id), `lesson-${id}`);
  }
});
