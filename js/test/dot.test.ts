/** A program as Graphviz reads it; tests/export/test_dot.py has `dot` draw it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dot } from '../src/picture/dot';
import { GOLDEN, golden } from './fixtures';

test.each(['cond_two', 'shared_jit'])('%s, as a person reads it', (name) => {
  const written = readFileSync(join(GOLDEN, `../pictures/${name}.dot`), 'utf8');
  expect(dot(golden(name), 'jaxpr')).toBe(written);
});
