import { describe, expect, test } from 'vitest';
import { MOST_SCOPES } from '../src/facts/colours/colour-schemes';
import { DTYPES } from '../src/facts/colours/colouring';
import { HEATS } from '../src/facts/colours/heat';
import { DIFFERENCE_KINDS } from '../src/facts/differences';
import { FAMILIES } from '../src/facts/kinds';
import { DARK, LIGHT } from '../src/picture/colours';
import { contrast, linear, mix, type Rgb, rgbOf } from '../src/picture/rgb';

type Matrix = readonly [Rgb, Rgb, Rgb];

/** The linear RGB that a person without one kind of cone sees. Machado, Oliveira and Fernandes, 2009. */
const EYES: readonly (readonly [string, Matrix])[] = [
  [
    'all cones',
    [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ],
  ],
  [
    'protanopia',
    [
      [0.152286, 1.052583, -0.204868],
      [0.114503, 0.786281, 0.099216],
      [-0.003882, -0.048116, 1.051998],
    ],
  ],
  [
    'deuteranopia',
    [
      [0.367322, 0.860646, -0.227968],
      [0.280085, 0.672501, 0.047413],
      [-0.01182, 0.04294, 0.968881],
    ],
  ],
  [
    'tritanopia',
    [
      [1.255528, -0.076749, -0.178779],
      [-0.078411, 0.930809, 0.147602],
      [0.004733, 0.691367, 0.3039],
    ],
  ],
];

/** Oklab from linear RGB: equal distances look about equally far. Björn Ottosson, 2020. */
const TO_CONES: Matrix = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const TO_LAB: Matrix = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];

const times = (matrix: Matrix, [a, b, c]: Rgb): Rgb =>
  matrix.map(([x, y, z]) => x * a + y * b + z * c) as unknown as Rgb;

function seen(eye: Matrix, colour: string): Rgb {
  const light = (rgbOf(colour) as Rgb).map(linear) as unknown as Rgb;
  const inside = times(eye, light).map((part) => Math.max(0, Math.min(1, part)));
  return times(TO_LAB, times(TO_CONES, inside as unknown as Rgb).map(Math.cbrt) as unknown as Rgb);
}

/** The two colours that are hardest to tell apart. */
function nearest(eye: Matrix, colours: ReadonlyMap<string, string>): [number, string] {
  let found: [number, string] = [Infinity, ''];
  const all = [...colours].map(([name, colour]) => [name, seen(eye, colour)] as const);
  all.forEach(([one, a], index) => {
    for (const [other, b] of all.slice(index + 1)) {
      const apart = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
      if (apart < found[0]) found = [apart, `${one} and ${other}`];
    }
  });
  return found;
}

const THEMES = [
  ['light', LIGHT],
  ['dark', DARK],
] as const;

const scopes = Array.from({ length: MOST_SCOPES }, (_, index) => `scope${index + 1}`);

const SWITCHES = [
  ['op families', FAMILIES.map(({ family }): string => family)],
  ['dtypes', DTYPES.map(({ name }) => name)],
  ['scopes', scopes],
  ['changes', DIFFERENCE_KINDS.map(({ kind }): string => kind)],
  ['heats', HEATS.filter((name) => /^heat[1-9]$/.test(name))],
] as const;

/** The names of boxes by their colour classes. */
const PAINTS = [
  ...SWITCHES.flatMap(([, names]) => names),
  ...HEATS,
  'pill',
  'group',
  'same',
  'selected',
];

describe.each(THEMES)('in the %s theme', (_, theme) => {
  const { ground, paints } = theme;

  test.each(PAINTS)('text is read on %s', (name) => {
    for (const text of ['ink', 'faint'] as const) {
      expect(contrast(paints[name]!.fill, theme[text]), text).toBeGreaterThanOrEqual(4.5);
    }
  });

  test.each(['ink', 'faint', 'match'] as const)('%s is read on the ground', (name) => {
    expect(contrast(theme[name], ground)).toBeGreaterThanOrEqual(4.5);
  });

  describe.each(SWITCHES)('%s', (_, names) => {
    const lines = new Map(names.map((name) => [name, paints[name]!.line]));

    test('stand out from the ground', () => {
      for (const [name, line] of lines) {
        expect(contrast(line, ground), name).toBeGreaterThanOrEqual(3);
      }
    });

    test.each(EYES)('are distinct with %s', (_, eye) => {
      const [apart, which] = nearest(eye, lines);
      expect(apart, which).toBeGreaterThanOrEqual(0.065);
    });
  });
});

describe('colours', () => {
  test('are read as style sheets and browsers write them', () => {
    expect(rgbOf('#0fa')).toEqual([0, 255, 170]);
    expect(rgbOf('#1c2024')).toEqual([28, 32, 36]);
    expect(rgbOf('rgb(1, 2, 3)')).toEqual([1, 2, 3]);
    expect(rgbOf('rgba(1, 2, 3, 0.5)')).toEqual([1, 2, 3]);
    expect(rgbOf('CanvasText')).toBeNull();
  });

  test('are mixed, and where one is not a number the nearer one is taken', () => {
    expect(mix('#000000', '#ffffff', 0.5)).toBe('#808080');
    expect(mix('Canvas', '#ffffff', 0.2)).toBe('Canvas');
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  });
});
