/** Where the parts of a view are at three widths, and what gives way where there is little room. */
import type { Locator, Page } from '@playwright/test';
import { details, expect, LOAD, run, screenshot, tab, test, text, view } from './notebook';

/** A layer with a line that is longer than any pane, of more than 20 eqns, in which JAX prints a function before the
 * program. */
const LAYERS = `def layer(w, x):
    return jnp.where(x > 0, jax.nn.softmax(x @ w.astype(jnp.float32), axis=-1), jnp.tanh(x)) * jnp.float32(0.5) + jnp.sin(x)

def classifier_of_small_images(params, images):
    for w in params:
        images = layer(w, images)
    return jnp.mean(images)
%jaxviz jax.grad(classifier_of_small_images)([jnp.ones((8, 8))] * 3, jnp.ones((4, 8)))`;

const WIDTHS = [600, 900, 1400];
/** A view narrower than this, px, has its text below the graph. */
const WIDE = 1000;

const box = async (of: Locator) => {
  const found = await of.boundingBox();
  if (!found) throw new Error('It is not visible.');
  return found;
};

/** Gives the page a width, and returns the width of the view then. */
async function resize(page: Page, of: Locator, width: number): Promise<number> {
  await page.setViewportSize({ width, height: 1100 });
  await expect.poll(async () => (await box(of)).width).toBeLessThan(width);
  return (await box(of)).width;
}

/** The number of classes of the legend that are visible beside a signature that is cut. */
const classesBesideCut = (of: Locator) =>
  of.locator('.jxv-bar').evaluate((bar) => {
    const signature = bar.querySelector('.jxv-signature') as HTMLElement;
    if (signature.scrollWidth <= signature.clientWidth) return 0;
    const { top, bottom } = signature.getBoundingClientRect();
    return [...bar.querySelectorAll('.jxv-legend li')].filter((one) => {
      const at = one.getBoundingClientRect();
      return at.top < bottom && at.bottom > top;
    }).length;
  });

/** The buttons of a bar that are not wholly in it, without the classes of the legend. */
const outsideOf = (bar: Locator) =>
  bar.evaluate((node) => {
    const { left, right, top, bottom } = node.getBoundingClientRect();
    const isIn = (at: DOMRect) =>
      at.left >= left && at.right <= right && at.top >= top && at.bottom <= bottom;
    return [...node.querySelectorAll('button:not(.jxv-legend ul *)')]
      .filter((one) => !isIn(one.getBoundingClientRect()))
      .map((one) => one.textContent);
  });

/** True if the text of an element is cut. */
const isCut = (of: Locator) => of.evaluate((one) => one.scrollWidth > one.clientWidth);

test('text and source have room at three widths', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/room.ipynb`, [LOAD, LAYERS]);
  await page.evaluate(() => window.jupyterapp.commands.execute('application:toggle-left-area'));
  const shown = view(page, /classifier/);
  const graph = shown.getByRole('img', { name: /^Graph of/ });
  const side = shown.locator('.jxv-side');
  const listing = shown.locator('.jxv-side .jxv-listings');
  for (const width of WIDTHS) {
    const own = await resize(page, shown, width);
    await expect(text(shown)).toBeVisible();

    // Beside the graph, or below it and as wide.
    await expect
      .poll(async () => {
        const [above, below] = [await box(graph), await box(side)];
        return own < WIDE
          ? below.y >= above.y + above.height && below.width > 0.95 * own
          : below.x >= above.x + above.width && below.y < above.y + above.height;
      })
      .toBe(true);

    // The text opens at the program's own first line, which is whole.
    const program = text(shown)
      .locator('.cm-line', { hasText: /^\{ lambda/ })
      .first();
    const scroller = shown.locator('.jxv-side .cm-scroller');
    await expect
      .poll(async () => Math.abs((await box(program)).y - (await box(scroller)).y))
      .toBeLessThan(2);

    // The name is whole; the signature is cut only once the legend is folded.
    expect(await isCut(shown.locator('.jxv-name'))).toBe(false);
    expect(await classesBesideCut(shown)).toBe(0);
    expect(await outsideOf(shown.locator('.jxv-bar'))).toEqual([]);

    // One line per line; percentages and numbers in columns that stay where they are.
    await tab(shown, 'Source').click();
    await expect(listing).toBeVisible();
    const columns = () =>
      listing.evaluate((node) => {
        const places = (of: string) => [
          ...new Set(
            [...node.querySelectorAll(of)].map((one) => {
              const { left, width } = one.getBoundingClientRect();
              return `${left.toFixed(1)} ${width.toFixed(1)}`;
            }),
          ),
        ];
        const rows = [...node.querySelectorAll('.jxv-source-line')];
        const heights = new Set(rows.map((one) => one.getBoundingClientRect().height));
        return { heights: heights.size, columns: ['.jxv-line-heat', '.jxv-number'].map(places) };
      });
    const before = await columns();
    expect(before.heights).toBe(1);
    expect(before.columns.map((one) => one.length)).toEqual([1, 1]);
    await listing.evaluate((node) => node.scrollTo({ left: 60 }));
    expect(await columns()).toEqual(before);
    await listing.evaluate((node) => node.scrollTo({ left: 0 }));
    await screenshot(shown, `room-source-${width}`);
    await tab(shown, 'Text').click();
  }
});

test('details have labels apart from values at three widths', async ({ page, tmpPath }) => {
  await run(page, `${tmpPath}/room-details.ipynb`, [LOAD, LAYERS]);
  await page.evaluate(() => window.jupyterapp.commands.execute('application:toggle-left-area'));
  const shown = view(page, /classifier/);
  await text(shown).getByText('dot_general').first().click();
  for (const width of WIDTHS) {
    const own = await resize(page, shown, width);
    const facts = details(shown).locator('.jxv-fact');
    await expect(facts.first()).toBeVisible();
    const overlapping = () =>
      facts.evaluateAll((all) =>
        all
          .map((one) => [...one.children].map((part) => part.getBoundingClientRect()))
          .filter(([label, value]) => (label?.right ?? 0) > (value?.left ?? 0)),
      );
    expect(await overlapping()).toEqual([]);
    expect(await outsideOf(shown.locator('.jxv-bar'))).toEqual([]);
    if (own >= 700 && own < WIDE) {
      const lines = await box(shown.locator('.jxv-side-sight'));
      const beside = await box(details(shown));
      expect(beside.x).toBeGreaterThanOrEqual(lines.x + lines.width);
      expect(Math.abs(beside.y - lines.y)).toBeLessThan(2);
    }
    await screenshot(shown, `room-details-${width}`);
  }
});
