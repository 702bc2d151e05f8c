import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { picture } from '../src/picture/picture';
import type { Opening, Program } from '../src/schema';
import { programs } from './arbitrary';
import { chain, golden, goldens, stage } from './fixtures';
import { parsed, textsOf } from './svg';

const PICTURES = join(import.meta.dirname, '../../tests/pictures');

/** The program of each picture: `mlp.hlo`, `compared_scan`, `lesson`. */
const drawn = readdirSync(PICTURES).flatMap((file) => /^(.+)\.svg$/.exec(file)?.[1] ?? []);

function recordOf(name: string): Program {
  const [record = '', kind] = name.split('.');
  if (kind) return golden(`stages/${record}`);
  return golden(record.replace(/^compared_/, 'compared/'));
}

type Stage = NonNullable<Opening['stage']>;
const kindOf = (name: string): Stage => (name.split('.')[1] ?? 'jaxpr') as Stage;

/** A program of stages made here. */
const of = (...stages: Program['stages']): Program => ({ ...golden('lesson'), stages });

describe('the static picture', () => {
  test.each(drawn)('of %s, as a person sees it', async (name) => {
    const svg = picture(recordOf(name), { stage: kindOf(name) });
    await expect(svg).toMatchFileSnapshot(join(PICTURES, `${name}.svg`));
  });

  test.each(goldens)('of %s is small, and has its name first', (name) => {
    const program = golden(name);
    const svg = picture(program);
    expect(new TextEncoder().encode(svg).length).toBeLessThanOrEqual(40_000);
    expect(Number(/width="([\d.]+)"/.exec(svg)?.[1])).toBeLessThanOrEqual(1000);
    expect(svg).toBe(picture(program));
  });

  test('of a stage that is not there is that of the first', () => {
    expect(picture(golden('lesson'), { stage: 'hlo' })).toBe(picture(golden('lesson')));
  });

  test('of a depth has all open down to it, or says that it has not', () => {
    const texts = (depth: number) => textsOf(picture(golden('scan_with_cond'), { depth }));
    expect(texts(0).join()).not.toContain('one of');
    expect(texts(1).join()).toContain('condruns one of 2');
    const calls = Array.from({ length: 30 }, () => 'jit');
    const wide = stage([
      chain(
        calls,
        calls.map(() => [1]),
      ),
      chain(['sin', 'cos', 'exp', 'log']),
    ]);
    const textAt = (depth: number) => textsOf(picture(of(wide), { depth })).join();
    expect(textAt(1)).toContain('34 eqns · not all to depth 1');
    expect(textAt(0)).not.toContain('not all');
  });

  test('of a program without eqns says what it returns', () => {
    const graph = { ...chain([]), args: ['x'], outvars: [1, 0] };
    const vars = ['a', '2.0:f32[]'].map((name, at) => ({ name, aval: 0, literal: at === 1 }));
    const texts = textsOf(
      picture(of(stage([{ ...graph, vars, results: ['result[0]', 'result[1]'] }]))),
    );
    expect(texts).toContain('0 eqns · returns 2.0, x');
    expect(texts).toContain('result[0]2.0');
    const nothing = stage([{ ...graph, vars, outvars: [], results: [] }]);
    expect(textsOf(picture(of(nothing)))).toContain('0 eqns · returns nothing');
  });

  test('opens a body however many results there are, and gathers what has no place in a row', () => {
    const body = chain(['sin', 'cos']);
    const graph = chain(['scan', 'tanh'], [[1]]);
    const results = Array.from({ length: 12 }, (_, at) => `result['the metric of number ${at}']`);
    const wide = { ...graph, outvars: results.map(() => 2), results };
    const texts = textsOf(picture(of(stage([wide, body]))));
    expect(texts).toContain('sin');
    expect(texts).not.toContain(results[0]);
    expect(texts).toContain('12');
  });

  test('of no graph is refused', () => {
    expect(() => picture(of())).toThrow('no graph to draw');
  });

  test('of a thousand eqns in one place counts what it leaves out', () => {
    const long = stage([chain(Array.from({ length: 1_234 }, () => 'sin'))]);
    const texts = textsOf(picture(of(long)));
    expect(texts).toContain('1,234 eqns');
    expect(texts).toContain('…');
    expect(texts).toContain('1,195');
  });

  test('of a closed box shows what it holds, each family as long as it has eqns', () => {
    const page = parsed(picture(golden('steps/mlp_adam'), { depth: 0 }));
    const loss = [...page.querySelectorAll('text')].find((one) => one.textContent === 'forward');
    const strips: string[] = [];
    for (
      let at = loss?.previousElementSibling;
      at?.tagName === 'path';
      at = at.previousElementSibling
    )
      if (at.classList.contains('x')) strips.unshift(at.getAttribute('class') ?? '');
    const families = ['contraction', 'elementwise', 'reduction', 'movement', 'call'];
    expect(strips).toEqual(families.map((family) => `${family} x`));
  });

  test('of any program is well-formed, and small', () => {
    fc.assert(
      fc.property(programs, (any) => {
        const svg = picture(of(any), { stage: any.kind as Stage });
        parsed(svg);
        expect(new TextEncoder().encode(svg).length).toBeLessThanOrEqual(40_000);
      }),
      { numRuns: 100 },
    );
  });

  test('has no markup from a program', () => {
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
        const graph = { ...chain([op, 'sin']), args: [path], results: [op] };
        parsed(picture({ ...of(stage([graph])), name }));
      }),
      { numRuns: 200 },
    );
  });
});
