import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  binderId,
  bodyId,
  enclosingEqns,
  eqnId,
  gatheredId,
  graphPath,
  groupId,
  parse,
} from '../src/facts/ids';

describe('ids', () => {
  test('name what is seen by its path from the root', () => {
    const body = bodyId('', 3, 0);
    expect([
      eqnId('', 3),
      body,
      eqnId(body, 5),
      bodyId(body, 5, 1),
      groupId(body, 2),
      binderId(body, 'in', 4),
      gatheredId('', 'in', "params['w']"),
    ]).toEqual(['3', '3.0', '3.0/5', '3.0/5.1', '3.0/g2', '3.0/in4', "in:params%5B'w'%5D"]);
  });

  test('tell which eqns are around them, outermost first', () => {
    expect(enclosingEqns('3.0/5.1/2')).toEqual(['3', '3.0/5']);
    expect(enclosingEqns('3.0/5.1')).toEqual(['3', '3.0/5']);
    expect(enclosingEqns('g2')).toEqual([]);
  });

  test('lie in the graph of their path; a body is its own graph', () => {
    expect(graphPath('3.0/5')).toBe('3.0');
    expect(graphPath('3.0')).toBe('3.0');
    expect(graphPath('in4')).toBe('');
  });

  test('any prefix of a pytree, with slashes and surrogates, comes back from its id', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', '3.0', '3.0/5.1'),
        (key, path) => {
          const { path: found, step } = parse(gatheredId(path, 'in', key));
          expect({ found, step }).toEqual({
            found: path,
            step: {
              kind: 'gathered',
              binder: 'in',
              prefix: key.replace(/\p{Surrogate}/gu, '\ufffd'),
            },
          });
        },
      ),
    );
  });

  test('anything else is refused', () => {
    expect(() => parse('x1')).toThrow('not an id: x1');
  });
});
