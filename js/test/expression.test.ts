import { describe, expect, test } from 'vitest';
import { expressionOf } from '../src/facts/expression';
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

  test('is not told where the code is another, or is not there', () => {
    const known = frame(2, 'jnp.sin(', 2, 'sin(값)');
    expect(expressionOf({ ...known, code: 'x = 1' }, [listing])).toBeNull();
    expect(expressionOf({ ...known, cell: 'other' }, [listing])).toBeNull();
    expect(expressionOf({ ...known, end_line: 0, end_column: 0 }, [listing])).toBeNull();
    expect(expressionOf({ ...known, end_line: 99 }, [listing])).toBeNull();
  });
});
