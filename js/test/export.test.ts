import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { colour } from '../src/facts/colours/colouring';
import { sceneOf } from '../src/layout/scene';
import { densityFor, type Shown, seen, svgOf, whole } from '../src/render/export';
import { NO_MARKS } from '../src/render/paint';
import { themeOf } from '../src/render/theme';
import type { Stage } from '../src/schema';
import { everything } from '../src/state/budget';
import { fileName } from '../src/view/download';
import { chain, goldens, stage, stageOf } from './fixtures';

/** A program with all of it open, in the colours of the families. */
function shown(of: Stage, part: Partial<Shown> = {}): Shown {
  const scene = sceneOf(of, everything(of));
  return {
    scene,
    camera: { x: 0, y: 0, zoom: 1 },
    view: { width: 400, height: 200 },
    theme: themeOf(document.body),
    marks: { ...NO_MARKS, colours: colour(of, scene.boxes, 'family') },
    ...part,
  };
}

/** The same with all the marks that there are. */
function marked(of: Stage, part: Partial<Shown> = {}): Shown {
  const plain = shown(of, part);
  const marks = {
    ...plain.marks,
    selected: 1,
    hovered: 2,
    matches: new Set([0, 2]),
    match: 0,
    lit: new Set([0, 1]),
    near: new Set([0, 1, 2]),
  };
  return { ...plain, marks };
}

const TEXT = '(?:[^<>"&\\p{Cc}\\p{Cs}\\ufffe\\uffff]|&(?:amp|lt|gt|quot);)*';
const ATTRIBUTES = `(?: [a-zA-Z:-]+="${TEXT}")*`;
const LINE = new RegExp(
  `^(?:<svg${ATTRIBUTES}>|<title>${TEXT}</title><desc>${TEXT}</desc>|<g${ATTRIBUTES}>|` +
    `<(?:rect|path)${ATTRIBUTES}/>|<text${ATTRIBUTES}>${TEXT}</text>|</g>|</svg>)$`,
  'u',
);

/** The texts of an SVG, each of whose lines is one element and nothing but what we write. */
function texts(svg: string): string[] {
  const lines = svg.trimEnd().split('\n');
  for (const line of lines) expect(line).toMatch(LINE);
  return lines.flatMap((line) => /^<text[^>]*>(.*)<\/text>$/.exec(line)?.[1] ?? []);
}

describe('the picture as SVG', () => {
  test('all of it, as a person reads it', async () => {
    const svg = svgOf(whole(shown(stageOf('lesson'))), 'lesson', 'The jaxpr of lesson.');
    await expect(svg).toMatchFileSnapshot('pictures/all.svg');
  });

  test('what is seen of it', async () => {
    const part = marked(stageOf('scan_with_cond'), { camera: { x: -60, y: 40, zoom: 0.5 } });
    await expect(svgOf(seen(part), 'scan', 'seen')).toMatchFileSnapshot('pictures/seen.svg');
  });

  test.each(goldens)('%s shows every label as text, and is SVG at every zoom', (name) => {
    const of = stageOf(name);
    const all = whole(shown(of));
    const found = texts(svgOf(all, name, ''));
    const written = (text: string) => text.replaceAll('&', '&amp;').replace(/[<>"]/g, entity);
    for (const { label } of all.scene.boxes) expect(found).toContain(written(label));
    for (const zoom of [0.01, 0.3, 0.5, 4]) {
      texts(svgOf(marked(of, { camera: { x: 0, y: 0, zoom } }), name, ''));
    }
  });

  test('a text is there once, with its halo', () => {
    const found = texts(svgOf(whole(shown(stageOf('lesson'))), '', ''));
    expect(found.filter((text) => text === 'sin')).toHaveLength(1);
    expect(found.filter((text) => text === 'f32[4]')).toHaveLength(4);
  });

  test('no name is more than text', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(
        '</svg><script>alert(1)</script>',
        '"\'`&lt;',
        ']]>',
        '\u202e\0\x1b[31m',
        '<!--',
      ),
    );
    fc.assert(
      fc.property(hostile, hostile, hostile, (op, path, name) => {
        const graph = { ...chain([op, 'sin'], []), args: [path], results: [op] };
        const of = stage([graph]);
        texts(svgOf(whole(shown(of)), name, path));
      }),
      { numRuns: 300 },
    );
  });
});

function entity(char: string): string {
  return char === '<' ? '&lt;' : char === '>' ? '&gt;' : '&quot;';
}

describe('what is seen', () => {
  const lesson = stageOf('lesson');
  const { scene } = shown(lesson);

  test('ends where the picture ends', () => {
    const far = seen(shown(lesson, { camera: { x: -100, y: -50, zoom: 0.5 } }));
    expect(far.camera).toEqual({ x: 0, y: 0, zoom: 0.5 });
    expect(far.view).toEqual({
      width: Math.ceil(scene.width / 2),
      height: Math.ceil(scene.height / 2),
    });
  });

  test('is the view where the picture fills it', () => {
    const near = shown(lesson, { camera: { x: 10, y: 20, zoom: 4 } });
    expect(seen(near)).toEqual(near);
  });
});

test('a bitmap has two pixels for one, and no more than a browser makes', () => {
  expect(densityFor({ width: 800, height: 600 })).toBe(2);
  for (const [width, height] of [
    [40_000, 100],
    [100, 900_000],
    [20_000, 20_000],
  ] as const) {
    const density = densityFor({ width, height });
    expect(Math.max(width, height) * density).toBeLessThanOrEqual(16_384);
    expect(width * height * density ** 2).toBeLessThanOrEqual(64_000_001);
  }
});

test('a file has the name of its program, and no other place', () => {
  expect(fileName('grad(loss)')).toBe('grad(loss)');
  expect(fileName('손실')).toBe('손실');
  expect(fileName('../../etc/passwd\0.exe\u202egnp')).toBe('etc_passwd_.exe_gnp');
  expect(fileName('<lambda>')).toBe('lambda');
  expect(fileName('...')).toBe('program');
  expect(fileName('x'.repeat(500))).toHaveLength(60);
});
