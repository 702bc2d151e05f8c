/** Puts elements into a translated text. */
import type { ComponentChildren } from 'preact';

/** The character that stands for the first element while the text is put together. It is for
 * private use in Unicode, so that no translation has it. */
const FIRST_PLACE = 0xe000;

/** A text with elements in it. `say` gets a character for each element, so that each language may
 * put them in its own order. */
export function phrase(
  say: (...places: string[]) => string,
  ...elements: ComponentChildren[]
): ComponentChildren[] {
  const places = elements.map((_, index) => String.fromCharCode(FIRST_PLACE + index));
  return say(...places)
    .split(/([\uE000-\uE00F])/)
    .map((part) => (places.includes(part) ? elements[places.indexOf(part)] : part));
}
