import { test as plain } from '@playwright/test';
import { expect, LESSON, LOAD, notebook, outline, put, runAll, screenshot, view } from './notebook';

plain('Notebook 7 shows the same view', async ({ page, request }) => {
  await put(request, 'seven.ipynb', notebook([LOAD, LESSON]));
  await page.goto('/notebooks/seven.ipynb');
  await runAll(page);
  const lesson = view(page.locator('.jp-jaxviz'), 'lesson'); // drawn by the extension, not the widget
  await expect(outline(lesson).getByRole('treeitem', { name: /^sin/ })).toBeVisible();
  await screenshot(lesson, 'notebook-7');
});
