/** The timeline of what a cell traced, and the parts of it. */
import type { Locator, Page } from '@playwright/test';
import { cellAt, expect } from './notebook';

/** The log of the cell with that number, from 0. */
export function log(page: Page, cell: number): Locator {
  return cellAt(page, cell).getByRole('group', { name: 'What JAX traced' });
}

/** All functions over one axis of time; its keys go from event to event. */
export function grid(of: Locator): Locator {
  return of.getByRole('grid', { name: 'Traces and compilations of each function over time' });
}

/** Why functions were retraced, a row each. */
export function causes(of: Locator): Locator {
  const fold = of.page().getByRole('button', { name: /^Events of/ });
  return of.getByRole('listitem').filter({ has: fold });
}

/** The details of the selected event. */
export function details(of: Locator): Locator {
  const nothing = of.page().getByRole('button', { name: 'Select nothing' });
  return of.locator('section').filter({ has: nothing });
}

/** Clicks the event at this distance after the first one. Its tooltip must have the text. */
export async function clickEvent(of: Locator, after: number, text: RegExp): Promise<void> {
  const keys = grid(of);
  await keys.press('Home');
  for (let times = 0; times < after; times++) await keys.press('ArrowRight');
  await expect(of.getByRole('gridcell', { selected: true })).toContainText(text);
  for (let times = 0; times < 6; times++) await keys.press('+'); // so that it is wide enough
  await keys.press('Escape');
  await expect(details(of)).toHaveCount(0);

  const plot = await of.getByRole('gridcell').getByRole('img').boundingBox();
  const { x, y, width, height } = plot ?? { x: 0, y: 0, width: 0, height: 0 };
  const tip = of.locator('.jxv-log-tip').filter({ hasText: text });
  for (let at = x; at < x + width; at += 2) {
    await of.page().mouse.move(at, y + height / 2);
    if ((await tip.count()) === 0) continue;
    await of.page().mouse.click(at, y + height / 2);
    await keys.press('0');
    return;
  }
  throw new Error(`nothing in the timeline is ${text}`);
}
