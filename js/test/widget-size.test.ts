/** The size of the widget's script. */
// @vitest-environment node
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { bundled, PARTS } from '../widget-bundle.mjs';

test('a page reads little before the first picture, and is sent little', async () => {
  const { script, style, first } = await bundled(await build(PARTS));
  expect(first).toBeLessThan(377_000);
  expect(script.length + style.length).toBeLessThan(700_000);
});
