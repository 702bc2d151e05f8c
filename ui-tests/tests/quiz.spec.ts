/** A reader answers questions in JupyterLab, by mouse and by keyboard, and in saved and other pages. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import AxeBuilder from '@axe-core/playwright';
import { test as plain } from '@playwright/test';
import {
  expect,
  type Notebook,
  notebook,
  open,
  openWithoutKernel,
  put,
  run,
  runAll,
  screenshot,
  test,
} from './notebook';
import { ofKernel, Server } from './servers';

const IMPORT = 'from jaxviz.lessons import quiz';
const ASK = [IMPORT, 'quiz("2-allowed")', 'quiz("ko/1-prints")', 'quiz("8-part", [8192, 4096])'];

test('questions are answered by mouse and by keys, and again without a kernel', async ({
  page,
  request,
  baseURL,
  tmpPath,
}) => {
  await run(page, `${tmpPath}/quiz.ipynb`, ASK);
  const asked = page.locator('.jxv-quiz');
  await expect(asked).toHaveCount(3);
  const [choice, number, checked] = [asked.nth(0), asked.nth(1), asked.nth(2)];
  await choice.getByRole('button', { name: 'np.asarray(x)' }).click();
  await expect(choice.getByRole('status')).toContainText('✗ NumPy computes at once');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(choice.getByRole('status')).toContainText('✓ The length is a part');
  await number.getByRole('textbox', { name: '몇 번 출력될까요?' }).click();
  await page.keyboard.type('dd 4');
  await page.keyboard.press('Enter');
  await expect(number.getByRole('status')).toContainText('✗ Python이라면 그렇습니다.');
  await expect(checked.getByRole('status')).toContainText('✗ That would be P(None, "data")');
  expect(await page.notebook.getCellCount()).toBe(ASK.length); // dd deletes no cell
  const { violations } = await new AxeBuilder({ page }).include('.jxv-quiz').analyze();
  expect(violations).toEqual([]);
  await screenshot(choice, 'quiz-choice');
  await screenshot(number, 'quiz-number-ko');

  await page.notebook.save();
  await page.notebook.close();
  const reply = await request.get(`${baseURL}/api/contents/${tmpPath}/quiz.ipynb`);
  const { content } = (await reply.json()) as { content: Notebook };
  content.metadata = { title: 'A file from somewhere else' };
  await openWithoutKernel(page, `${tmpPath}/strange.ipynb`, content);
  await asked.nth(0).getByRole('button', { name: 'len(x)' }).click();
  await expect(asked.nth(0).getByRole('status')).toContainText('✓');
});

plain('Notebook 7 asks the same', async ({ page, request }) => {
  await put(request, 'quiz7.ipynb', notebook(ASK));
  await page.goto('/notebooks/quiz7.ipynb');
  await runAll(page);
  const choice = page.locator('.jp-jaxviz .jxv-quiz').first();
  await choice.getByRole('button', { name: 'len(x)' }).click();
  await expect(choice.getByRole('status')).toContainText('✓');
});

plain('JupyterLab with anywidget alone asks', async ({ page }) => {
  const server = await Server.start('lab', 'anywidget');
  try {
    await server.put('quiz.ipynb', ofKernel('python3', ['%load_ext jaxviz', ...ASK.slice(0, 2)]));
    await server.open(page, 'quiz.ipynb');
    await runAll(page);
    const choice = page.locator('.jaxviz-live .jxv-quiz');
    await choice.getByRole('button', { name: 'len(x)' }).click();
    await expect(choice.getByRole('status')).toContainText('✓');
  } finally {
    await server.stop();
  }
});

/** Runs Python where the tests run it, and returns what it writes into a file. */
function made(info: { outputPath: (name: string) => string }, name: string, code: string): Buffer {
  const file = info.outputPath(name);
  execFileSync('python', ['-c', `${IMPORT}\nfile = ${JSON.stringify(file)}\n${code}`]);
  return readFileSync(file);
}

plain('a saved page asks, dark and narrow', async ({ browser }, info) => {
  const body = made(info, 'quiz.html', 'quiz("2-print").save(file)');
  const context = await browser.newContext({
    colorScheme: 'dark',
    viewport: { width: 600, height: 400 },
  });
  const page = await context.newPage();
  await page.route('**', (route) =>
    route.request().url() === 'http://saved.test/'
      ? route.fulfill({ contentType: 'text/html', body })
      : route.abort(),
  );
  await page.goto('http://saved.test/');
  await page.getByRole('button', { name: 'no', exact: true }).click();
  await expect(page.getByRole('status')).toContainText('✓ What is printed names');
  const { violations } = await new AxeBuilder({ page }).include('.jxv-quiz').analyze();
  expect(violations).toEqual([]);
  await screenshot(page.locator('.jxv-quiz'), 'quiz-saved-dark');
  await context.close();
});

plain('a page that hosts the anywidget alone asks', async ({ page }, info) => {
  const payload = made(
    info,
    'payload',
    `from jaxviz.display import wire
open(file, "wb").write(wire.deflated(quiz("1-prints")._record))`,
  );
  const files = new Map([
    ['/widget.js', { contentType: 'text/javascript', body: readFileSync(`${STATIC}/widget.js`) }],
    ['/widget.css', { contentType: 'text/css', body: readFileSync(`${STATIC}/widget.css`) }],
    ['/', { contentType: 'text/html', body: Buffer.from(PAGE) }],
    ['/payload', { body: payload }],
  ]);
  await page.route('http://widget.test/**', (route) => {
    const file = files.get(new URL(route.request().url()).pathname);
    return file ? route.fulfill(file) : route.abort();
  });
  await page.goto('http://widget.test/');
  await page.getByRole('textbox').fill('2 times');
  await page.getByRole('button', { name: 'Check' }).click();
  await expect(page.getByRole('status')).toContainText('✓ Once for five numbers');
});

const STATIC = '../jaxviz/static';
const PAGE = `<!doctype html><title>host</title><link rel="stylesheet" href="widget.css">
<main id="here"></main>
<script type="module">
  import widget from './widget.js';
  const payload = new DataView(await (await fetch('payload')).arrayBuffer());
  const traits = { what: 'quiz', payload };
  const model = { get: name => traits[name], on() {}, off() {} };
  await widget.render({ model, el: document.getElementById('here') });
</script>`;

test('nbconvert shows the question and its choices, and no answer', async ({
  page,
  request,
  baseURL,
  tmpPath,
}, info) => {
  await open(page, `${tmpPath}/still.ipynb`, notebook(ASK.slice(0, 2)));
  await runAll(page);
  await page.notebook.save();
  const reply = await request.get(`${baseURL}/api/contents/${tmpPath}/still.ipynb`);
  const file = info.outputPath('still.ipynb');
  writeFileSync(file, JSON.stringify((await reply.json()).content));
  const body = execFileSync('jupyter', ['nbconvert', '--to', 'html', '--stdout', file], {
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString();
  expect(body).toContain('<li><code>len(x)</code></li>');
  expect(body).not.toContain('The length is a part');
});
