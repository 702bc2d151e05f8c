/** Reads the colours of the page for a canvas, and reports when they change. */
import { LIGHT, type Paint as Plain } from '../picture/colours';
import { contrast, mix, rgbOf } from '../picture/rgb';

/** The colours of one class of boxes. */
export interface Paint extends Plain {
  /** From the colour of the fill, on which text can be read, to that of the line, which is distinct at any size. */
  shades: readonly string[];
  /** From the colour of the ground to that of the fill. */
  tints: readonly string[];
}

/** The number of shades from a fill to a line. */
export const SHADES = 6;

/** The share of its colour that a pale box keeps, so that others stand out. */
const PALE_SHARE = 0.22;

/** The least contrast of a line and the ground, where the reader chose the colours. */
const LEAST_CONTRAST = 3;

/** The colours of a picture, from the host's custom properties (`--jxv-…`, see style/colours.css). */
export interface Theme {
  font: string;
  ground: string;
  ink: string;
  /** Text that matters less: types, notes, counts. */
  faint: string;
  edge: string;
  selected: Paint;
  hovered: string;
  match: string;
  /** The border of a layer that differs from its siblings. */
  odd: string;
  /** By the name of a colour class: families, dtypes, scopes, `pill` and `group`. */
  paints: ReadonlyMap<string, Paint>;
  /** The same theme in pale colours, for boxes that others are to stand out from. */
  pale: Theme | null;
}

/** The paint of a class that the theme does not have. */
const UNKNOWN_PAINT: Paint = { ...LIGHT.paints.group!, shades: [], tints: [] };

/** The theme of an element. What its style sheet does not set is as in the light theme. */
export function themeOf(element: HTMLElement): Theme {
  const style = getComputedStyle(element);
  const colour = (name: string, otherwise: string): string =>
    computed(element, style.getPropertyValue(`--jxv-${name}`).trim() || otherwise);
  const ground = colour('ground', LIGHT.ground);
  const ink = colour('ink', LIGHT.ink);
  const forced = matchMedia('(forced-colors: active)').matches;
  const paint = (name: string, { fill, line }: Plain): Paint => {
    const own = colour(`${name}-line`, line);
    if (!forced) return shaded(ground, colour(`${name}-fill`, fill), own);
    return shaded(ground, ground, contrast(own, ground) < LEAST_CONTRAST ? ink : own);
  };
  const theme: Theme = {
    font:
      style.getPropertyValue('--jxv-code-font').trim() ||
      'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace',
    ground,
    ink,
    faint: colour('faint', LIGHT.faint),
    edge: colour('edge', LIGHT.edge),
    selected: paint('selected', LIGHT.paints.selected!),
    hovered: colour('hovered', LIGHT.hovered),
    match: colour('match', LIGHT.match),
    odd: colour('odd', LIGHT.odd),
    paints: new Map(Object.entries(LIGHT.paints).map(([name, own]) => [name, paint(name, own)])),
    pale: null,
  };
  return { ...theme, pale: paled(theme) };
}

/** The theme in pale colours. */
function paled(theme: Theme): Theme {
  const pale = (colour: string) => mix(theme.ground, colour, PALE_SHARE);
  const paint = ({ fill, line }: Paint) => shaded(theme.ground, pale(fill), pale(line));
  return {
    ...theme,
    ink: mix(theme.ground, theme.ink, 0.35),
    faint: pale(theme.faint),
    edge: pale(theme.edge),
    odd: pale(theme.odd),
    paints: new Map([...theme.paints].map(([name, one]) => [name, paint(one)])),
  };
}

/** The paint with these colours, and the steps between them. */
function shaded(ground: string, fill: string, line: string): Paint {
  const steps = (from: string, to: string) =>
    Array.from({ length: SHADES }, (_, step) => mix(from, to, step / (SHADES - 1)));
  return { fill, line, shades: steps(fill, line), tints: steps(ground, fill) };
}

/** The paint of a colour class. */
export const paintNamed = ({ paints }: Theme, name: string): Paint =>
  paints.get(name) ?? UNKNOWN_PAINT;

/** A colour as numbers. Only an element knows the numbers of names such as `CanvasText`, which the reader chose. */
function computed(element: HTMLElement, colour: string): string {
  if (rgbOf(colour)) return colour;
  const before = element.style.color;
  element.style.color = colour;
  const found = getComputedStyle(element).color;
  element.style.color = before;
  return rgbOf(found) ? found : colour;
}

/** Calls `changed` until the signal aborts: when the host turns light or dark, the reader chooses other colours, the
 * size of a screen pixel changes, or the element comes into the page. The page's style applies only there. */
export function onThemeChange(element: Element, changed: () => void, signal: AbortSignal): void {
  if (!element.isConnected) onceShown(element, changed, signal);
  const watch = new MutationObserver(changed);
  const attributes = ['data-jp-theme-light', 'data-jp-theme-name', 'class', 'style', 'data-theme'];
  for (const element of [document.documentElement, document.body]) {
    watch.observe(element, { attributes: true, attributeFilter: attributes });
  }
  for (const query of CHOSEN_BY_READER) {
    matchMedia(query).addEventListener('change', changed, { signal });
  }
  onPixelsChange(changed, signal);
  signal.addEventListener('abort', () => watch.disconnect(), { once: true });
}

/** Calls `shown` when an element comes into the page. JupyterLab fills the outputs of a notebook
 * that it opens before they are in the page. */
function onceShown(element: Element, shown: () => void, signal: AbortSignal): void {
  const sized = new ResizeObserver(() => {
    if (!element.isConnected) return;
    sized.disconnect();
    shown();
  });
  sized.observe(element);
  signal.addEventListener('abort', () => sized.disconnect(), { once: true });
}

/** The reader's choices in the system. */
const CHOSEN_BY_READER = [
  '(prefers-color-scheme: dark)',
  '(prefers-contrast: more)',
  '(forced-colors: active)',
];

/** Calls `changed` each time the size of a screen pixel changes. A query reports one change only, so a new one
 * follows it. */
function onPixelsChange(changed: () => void, signal: AbortSignal): void {
  const report = () => {
    changed();
    onPixelsChange(changed, signal);
  };
  const query = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
  query.addEventListener('change', report, { signal, once: true });
}

/** True if the page around an element is dark, by an attribute of its host or else by its background. */
export function isDark(element: Element): boolean {
  const { body } = element.ownerDocument;
  const isLight = body.dataset.jpThemeLight;
  if (isLight !== undefined) return isLight === 'false';
  for (let at = element.parentElement; at; at = at.parentElement) {
    const [red, green, blue, alpha] = channels(getComputedStyle(at).backgroundColor);
    if (alpha > 0.5) return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
  }
  return getComputedStyle(body).colorScheme.includes('dark');
}

/** Reads `rgb(…)` or `rgba(…)`, as browsers compute them. */
function channels(colour: string): [number, number, number, number] {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue, colour.startsWith('rgb') ? alpha : 0];
}
