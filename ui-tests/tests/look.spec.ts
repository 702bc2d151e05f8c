import type { Locator } from '@playwright/test';
import {
  choose,
  command,
  details,
  expect,
  LESSON,
  LOAD,
  openOutline,
  outline,
  passesAxe,
  pointAt,
  ROLLOUT,
  run,
  screenshot,
  test,
  text,
  view,
} from './notebook';

test('graph, text, outline and details select the same eqn', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/lesson.ipynb`, [LOAD, LESSON]);
  const lesson = view(page, 'lesson');
  const selected = text(lesson).locator('.jxv-l-selected');
  await (await openOutline(lesson)).getByRole('treeitem', { name: /^sin/ }).click();
  await expect(selected).toHaveText('c:f32[5] = sin x');
  await expect(details(lesson)).toContainText('cell 2, line 2');
  await expect(details(lesson)).toContainText('return jnp.sum(x**2 + jnp.sin(x))');
  await screenshot(lesson, 'selected');

  await details(lesson).getByRole('button', { name: 'cell 2, line 2', exact: true }).click();
  await expect
    .poll(() => page.evaluate(() => window.getSelection()?.toString()))
    .toBe('    return jnp.sum(x**2 + jnp.sin(x))');

  await text(lesson).getByText('integer_pow').click();
  const row = outline(lesson).getByRole('treeitem', { name: /^integer_pow/ });
  await expect(row).toHaveAttribute('aria-selected', 'true');

  const graph = lesson.getByRole('img', { name: /^Graph of lesson/ });
  const widths = await widthsByFrame(graph);
  await choose(lesson, 'Outline');
  await pointAt(page, graph, /^add/);
  // The graph has more room, and no frame shows it stretched.
  const [first, ...frames] = await widths.jsonValue();
  expect(frames.at(-1)?.shown).not.toBe(first?.shown);
  for (const { drawn, shown } of frames) expect(drawn).toBe(shown);
  await page.mouse.down();
  await page.mouse.up();
  await expect(selected).toHaveText('d:f32[5] = add b c');

  // In JupyterLab's presentation mode all is larger, and the pointer still finds it.
  const width = async () => (await lesson.getByRole('tab', { name: 'Jaxpr' }).boundingBox())?.width;
  const before = (await width()) ?? 0;
  await command(page, 'application:toggle-presentation-mode');
  await expect.poll(width).toBeGreaterThan(1.2 * before);
  expect(await pointAt(page, graph, /^reduce_sum/)).toBeGreaterThan(0.6);
  await screenshot(lesson, 'presented');
});

test('a scan is unfolded in place, and found by shape', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/rollout.ipynb`, [LOAD, ROLLOUT]);
  const rollout = view(page, /^JAX program/);
  await choose(rollout, 'Collapse all');
  const tree = await openOutline(rollout);
  await expect(tree.getByRole('treeitem', { name: /dot_general/ })).toHaveCount(0);
  await tree.getByRole('treeitem', { name: /^scan/ }).click();
  await page.keyboard.press('ArrowRight');
  await expect(tree.getByRole('treeitem', { name: /dot_general/ })).toBeVisible();

  await rollout.getByRole('searchbox', { name: 'Find' }).fill('f32[8,2]');
  await page.keyboard.press('Enter');
  await expect(details(rollout)).toContainText('dot_general');
  await screenshot(rollout, 'found');
});

test('the dark theme of the host is the view’s', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/dark.ipynb`, [LOAD, LESSON]);
  const lesson = view(page, 'lesson');
  const ink = () =>
    lesson.evaluate((node) => {
      const channels = getComputedStyle(node).color.match(/\d+/g) ?? [];
      return Math.max(...channels.slice(0, 3).map(Number));
    });
  expect(await ink()).toBeLessThan(80);
  await page.theme.setDarkTheme();
  await expect.poll(ink).toBeGreaterThan(200);
  await screenshot(lesson, 'dark');
});

for (const dark of [false, true]) {
  test(`axe finds nothing to fix in the view, ${dark ? 'dark' : 'light'}`, async ({
    page,
    tmpPath,
  }) => {
    await run(page, `${tmpPath}/axe.ipynb`, [LOAD, LESSON]);
    if (dark) await page.theme.setDarkTheme();
    const lesson = view(page, 'lesson');
    await (await openOutline(lesson)).getByRole('treeitem', { name: /^sin/ }).click();
    await passesAxe(page);
  });
}

/** Widths of the graph as drawn and on the screen, in px: now, and after each frame that gives it another
 * size. */
const widthsByFrame = (graph: Locator) =>
  graph.evaluateHandle((canvas: HTMLCanvasElement) => {
    const frames: { drawn: number; shown: number }[] = [];
    let shown = 0;
    const sized = new ResizeObserver(([entry]) => {
      shown = (entry?.contentRect.width ?? 0) * devicePixelRatio;
      setTimeout(() => frames.push({ drawn: canvas.width, shown }));
    });
    sized.observe(canvas);
    return frames;
  });
