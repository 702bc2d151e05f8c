import type { ComponentChildren } from 'preact';

/** What stands for the first element in a text that is put together: of private use in Unicode. */
const FIRST = 0xe000;

/** A text with elements in it: `say` is handed what stands for each, so that a language may put
 * them in another order. */
export function phrase(
  say: (...places: string[]) => string,
  ...elements: ComponentChildren[]
): ComponentChildren[] {
  const places = elements.map((_, index) => String.fromCharCode(FIRST + index));
  return say(...places)
    .split(/([\uE000-\uE00F])/)
    .map((part) => (places.includes(part) ? elements[places.indexOf(part)] : part));
}
