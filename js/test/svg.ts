import { expect } from 'vitest';

const TAGS = new Set(['svg', 'title', 'desc', 'style', 'g', 'rect', 'path', 'text', 'tspan']);

/** An SVG, read as a browser would; fails where it is no XML, or holds more than shapes and text. */
export function parsed(svg: string): Document {
  expect(svg.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cs}\ufffe\uffff]/u);
  const page = new DOMParser().parseFromString(svg, 'image/svg+xml');
  expect(page.querySelector('parsererror')).toBeNull();
  for (const { tagName } of page.querySelectorAll('*')) expect(TAGS).toContain(tagName);
  return page;
}

export const textsOf = (svg: string): string[] =>
  [...parsed(svg).querySelectorAll('text')].map((one) => one.textContent ?? '');
