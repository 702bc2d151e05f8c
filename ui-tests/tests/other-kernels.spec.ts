/** A page with our extension, whose kernel lacks jaxviz or has another version. */
import { expect, type Page, test } from '@playwright/test';
import { cellAt, LESSON, LOAD, panel, runAll, screenshot, view } from './notebook';
import { ofKernel, Server, save } from './servers';
import { slow } from './slow';

/** Makes the kernel report the format of a later jaxviz. */
const LATER = 'import jaxviz.display.channel as channel\nchannel.VERSION = 99';
const ABSENT = /jaxviz is not installed in this kernel’s environment \(Python 3\.\d+, Bare\)\./;

let server: Server;
test.beforeAll(async () => {
  server = await Server.start('lab', 'ours');
});
test.afterAll(() => server.stop());

test('a kernel without jaxviz is reported, and how to install it', async ({ page }) => {
  test.setTimeout(120_000);
  await server.put('one.ipynb', ofKernel('python3', [LOAD, LESSON]));
  await server.open(page, 'one.ipynb');
  await runAll(page);
  await expect(view(page, 'lesson')).toBeVisible();
  await save(page);
  const { cells } = await server.saved('one.ipynb');
  await server.put('bare.ipynb', { ...ofKernel('bare', []), cells });
  await server.open(page, 'bare.ipynb');
  await command(page, 'jaxviz:open-panel');
  await expect(panel(page).getByText(ABSENT)).toBeVisible();
  await expect(panel(page).getByText('%pip install jupyterlab-jaxviz')).toBeVisible();
  await screenshot(panel(page), 'panel-absent');
  const lesson = view(cellAt(page, 1), 'lesson');
  await lesson.getByRole('tab', { name: 'HLO', exact: true }).click();
  await expect(lesson.getByText(ABSENT)).toBeVisible();
  await screenshot(lesson, 'stage-absent');
  await command(page, 'jaxviz:watch-on');
  await expect(page.getByRole('alert').getByText(ABSENT)).toBeVisible();
});

slow(test)('with a kernel of a later format the page shows what to update', async ({ page }) => {
  test.setTimeout(120_000);
  await server.put('later.ipynb', ofKernel('python3', [LOAD, LATER, LESSON]));
  await server.open(page, 'later.ipynb');
  await runAll(page);
  const lesson = view(cellAt(page, 2), 'lesson');
  await lesson.getByRole('tab', { name: 'HLO', exact: true }).click();
  await expect(
    lesson.getByText(/The kernel has jaxviz \S+, which writes format 99\. This page has/),
  ).toBeVisible();
});

function command(page: Page, name: string): Promise<unknown> {
  return page.evaluate((name) => window.jupyterapp.commands.execute(name), name);
}
