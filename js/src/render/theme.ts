import type { Family } from '../model/family';

export interface Paint {
  fill: string;
  line: string;
}

/** The colours of a picture, from the host's custom properties (`--jxv-…`, see style/graph.css). */
export interface Theme {
  font: string;
  ground: string;
  ink: string;
  /** Text that matters less: types, notes, counts. */
  faint: string;
  edge: string;
  /** Inputs and outputs. */
  pill: Paint;
  /** Groups, which have no family. */
  group: Paint;
  selected: Paint;
  hovered: string;
  match: string;
  family: Record<Family, Paint>;
}

const FAMILIES: Record<Family, Paint> = {
  elementwise: { fill: '#ebf6ec', line: '#4c9753' },
  contraction: { fill: '#e0ebfc', line: '#3d74c6' },
  reduction: { fill: '#fdebe3', line: '#cf6a3f' },
  movement: { fill: '#f3f4f6', line: '#8a929b' },
  control: { fill: '#f0e9fb', line: '#8457c5' },
  random: { fill: '#fcf4d6', line: '#b28a14' },
  collective: { fill: '#def4f4', line: '#2a8f8f' },
  call: { fill: '#fbecf4', line: '#b65b92' },
  other: { fill: '#f5f5f5', line: '#7d7d7d' },
};

/** The theme of an element. What its style sheet does not set is as in a light one. */
export function themeOf(element: Element): Theme {
  const style = getComputedStyle(element);
  const colour = (name: string, otherwise: string): string =>
    style.getPropertyValue(`--jxv-${name}`).trim() || otherwise;
  const paint = (name: string, { fill, line }: Paint): Paint => ({
    fill: colour(`${name}-fill`, fill),
    line: colour(`${name}-line`, line),
  });
  const families = Object.entries(FAMILIES) as [Family, Paint][];
  return {
    font: colour('code-font', 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace'),
    ground: colour('ground', '#ffffff'),
    ink: colour('ink', '#1c2024'),
    faint: colour('faint', '#5b6570'),
    edge: colour('edge', '#8f98a3'),
    pill: paint('pill', { fill: '#ffffff', line: '#7f8994' }),
    group: paint('group', { fill: '#eef1f5', line: '#9aa5b1' }),
    selected: paint('selected', { fill: '#fff3cf', line: '#b97f00' }),
    hovered: colour('hovered', '#3d4650'),
    match: colour('match', '#c2187a'),
    family: Object.fromEntries(
      families.map(([family, otherwise]) => [family, paint(family, otherwise)]),
    ) as Record<Family, Paint>,
  };
}

/** Calls back when the host turns light or dark, until the signal aborts. */
export function onThemeChange(changed: () => void, signal: AbortSignal): void {
  const watch = new MutationObserver(changed);
  const attributes = ['data-jp-theme-light', 'data-jp-theme-name', 'class', 'style', 'data-theme'];
  for (const element of [document.documentElement, document.body]) {
    watch.observe(element, { attributes: true, attributeFilter: attributes });
  }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed, { signal });
  signal.addEventListener('abort', () => watch.disconnect(), { once: true });
}
