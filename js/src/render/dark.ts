/** Whether the page around an element is dark: by its host's word, else by what is behind it. */
export function isDark(element: Element): boolean {
  const { body } = element.ownerDocument;
  const said = body.dataset.jpThemeLight;
  if (said !== undefined) return said === 'false';
  for (let at = element.parentElement; at; at = at.parentElement) {
    const [red, green, blue, alpha] = channels(getComputedStyle(at).backgroundColor);
    if (alpha > 0.5) return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
  }
  return getComputedStyle(body).colorScheme.includes('dark');
}

/** Of `rgb(…)` or `rgba(…)`, as browsers compute them. */
function channels(colour: string): [number, number, number, number] {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue, colour.startsWith('rgb') ? alpha : 0];
}
