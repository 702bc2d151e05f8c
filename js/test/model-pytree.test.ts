import fc from 'fast-check';
import { expect, test } from 'vitest';
import { branches, keys, within } from '../src/facts/text/pytree';

test('a path is cut into the argument and its keys, which may hold dots and brackets', () => {
  expect(keys("params['a.b'][0].kernel")).toEqual(['params', "['a.b']", '[0]', '.kernel']);
  expect(keys(`p["]['"]`)).toEqual(['p', `["]['"]`]);
  expect(keys("p['it\\'s'].x")).toEqual(['p', "['it\\'s']", '.x']);
});

test('the keys of any text are the text', () => {
  fc.assert(fc.property(fc.string(), (path) => keys(path).join('') === path));
});

test('what only starts alike is not within', () => {
  expect(within('params2', 'params')).toBe(false);
  expect(within('params[0]', 'params')).toBe(true);
  expect(within("params['a']", "params['a']")).toBe(true);
});

test('leaves are gathered by the next key, single wrappers are skipped', () => {
  const paths = ["p['a']['w']", "p['a']['b']", "p['c']", 'x'];
  expect(branches(paths, '')).toEqual([
    { prefix: 'p', leaves: [0, 1, 2] },
    { prefix: 'x', leaves: [3] },
  ]);
  expect(branches(paths, 'p')).toEqual([
    { prefix: "p['a']", leaves: [0, 1] },
    { prefix: "p['c']", leaves: [2] },
  ]);
  expect(branches(["q['only']['a']", "q['only']['b']"], 'q')).toEqual([
    { prefix: "q['only']['a']", leaves: [0] },
    { prefix: "q['only']['b']", leaves: [1] },
  ]);
});

test('keys of a dict that differ in numbers are in the order of these, and others stay', () => {
  const names = ['bias', 'w0', 'w115', 'w12', 'w2', 'x1', 'w', 'x0'];
  const found = branches(
    names.map((name) => `p['${name}']`),
    'p',
  );
  const expected = ['bias', 'w0', 'w2', 'w12', 'w115', 'x0', 'w', 'x1'];
  expect(found.map(({ prefix }) => prefix)).toEqual(expected.map((name) => `p['${name}']`));
  expect(found.map(({ leaves }) => leaves[0])).toEqual([0, 1, 4, 3, 2, 7, 6, 5]);
});
