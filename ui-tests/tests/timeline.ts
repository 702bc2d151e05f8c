/** The timeline of what a cell traced, and the parts of it. */
import type { Locator, Page } from '@playwright/test';
import { cellAt } from './notebook';

/** What the cell with that number traced, from 0. */
export function log(page: Page, cell: number): Locator {
  return cellAt(page, cell).getByRole('region', { name: 'What JAX traced' });
}

/** All functions over one axis of time; its keys go from event to event. */
export function grid(of: Locator): Locator {
  return of.getByRole('grid', { name: 'What was made of each function' });
}

/** Why functions were traced again, a row each. */
export function causes(of: Locator): Locator {
  const fold = of.page().getByRole('button', { name: /^Events of/ });
  return of.getByRole('listitem').filter({ has: fold });
}

/** What is known of the event that is selected. */
export function details(of: Locator): Locator {
  const nothing = of.page().getByRole('button', { name: 'Select nothing' });
  return of.locator('section').filter({ has: nothing });
}

/** Clicks the first event of which that is told when the pointer is on it. */
export async function clickEvent(of: Locator, text: RegExp): Promise<void> {
  const { mouse } = of.page();
  const plot = of.getByRole('gridcell').getByRole('img');
  const { x, y, width, height } = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const tip = of.locator('.jxv-log-tip').filter({ hasText: text });
  for (let at = x; at < x + width; at += 3) {
    await mouse.move(at, y + height / 2);
    if ((await tip.count()) > 0) return mouse.click(at, y + height / 2);
  }
  throw new Error(`nothing in the timeline is ${text}`);
}
