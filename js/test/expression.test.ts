import { describe, expect, test } from 'vitest';
import { expressionOf, presentSpans } from '../src/facts/source';
import type { Frame, Listing } from '../src/schema';
import { FRAME } from './logs';

const TEXT = [
  'def 학습(값, 비율):',
  "    결과 = '🎈', jnp.sin(값) * 비율; 둘 = jnp.cos(",
  '        값)',
  '    return 둘',
].join('\n');
const listing: Listing = { file: 'cell 3', cell: 'c1', count: 3, start: 1, text: TEXT };

/** The frame from the beginning of one text to the end of another, both on given lines. */
function frame(line: number, from: string, last: number, to: string): Frame {
  const lines = TEXT.split('\n');
  const at = (number: number, text: string) => {
    const row = lines[number - 1] ?? '';
    return [...row.slice(0, row.indexOf(text))].length;
  };
  return {
    ...FRAME,
    cell: 'c1',
    line,
    column: at(line, from) + 1,
    end_line: last,
    end_column: at(last, to) + [...to].length + 1,
    code: (lines[line - 1] ?? '').trim(),
  };
}

describe('the expression of a frame', () => {
  test('is found by characters, behind Korean and emoji', () => {
    expect(expressionOf(frame(2, 'jnp.sin(', 2, 'sin(값)'), [listing])).toEqual({
      before: "결과 = '🎈', ",
      here: 'jnp.sin(값)',
      after: ' * 비율; 둘 = jnp.cos(',
      whole: 'jnp.sin(값)',
    });
  });

  test('over several lines is one line', () => {
    const found = expressionOf(frame(2, 'jnp.cos(', 3, '값)'), [listing]);
    expect(found?.whole).toBe('jnp.cos( 값)');
    expect(found?.here).toBe('jnp.cos(');
  });

  test('is not reported if the code is another, or is missing', () => {
    const known = frame(2, 'jnp.sin(', 2, 'sin(값)');
    expect(expressionOf({ ...known, code: 'x = 1' }, [listing])).toBeNull();
    expect(expressionOf({ ...known, cell: 'other' }, [listing])).toBeNull();
    expect(expressionOf({ ...known, end_line: 0, end_column: 0 }, [listing])).toBeNull();
    expect(expressionOf({ ...known, end_line: 99 }, [listing])).toBeNull();
  });
});

describe('where the expression is in a text that was edited', () => {
  const lines = TEXT.split('\n');
  const sin = frame(2, 'jnp.sin(', 2, 'sin(값)');
  const cos = frame(2, 'jnp.cos(', 3, '값)');
  const found = (one: Frame, present: string[]) =>
    presentSpans(one, [listing], present).map(({ line, from, to }) => [
      line,
      present[line - 1]?.slice(from, to),
    ]);

  test('is reported by line, in the units of an editor', () => {
    expect(found(sin, lines)).toEqual([[2, 'jnp.sin(값)']]);
    expect(found(cos, lines)).toEqual([
      [2, 'jnp.cos('],
      [3, '값)'],
    ]);
  });

  test('moves with its lines', () => {
    expect(found(cos, ['# 😀', ...lines])).toEqual([
      [3, 'jnp.cos('],
      [4, '값)'],
    ]);
  });

  test('is not reported if one of its lines was edited', () => {
    const edited = [...lines.slice(0, 2), '        값 + 1)', ...lines.slice(3)];
    expect(found(cos, edited)).toEqual([]);
    expect(found(sin, edited)).toEqual([[2, 'jnp.sin(값)']]);
    expect(found({ ...sin, column: 0, end_line: 0, end_column: 0 }, lines)).toEqual([]);
  });
});
