import { expect, test } from 'vitest';
import table from '../../tests/amounts.json';
import { bytesText, flopsText, timeText } from '../src/facts/text/describe';

/** The kernel writes the same: `tests/schema/test_amounts.py`. */
const WRITERS = { bytes: bytesText, flops: flopsText, seconds: timeText };

test.each(Object.keys(WRITERS) as (keyof typeof WRITERS)[])(
  '%s are written as people write them',
  (kind) => {
    const written = table[kind].map(([amount]) => [amount, WRITERS[kind](amount as number)]);
    expect(written).toEqual(table[kind]);
  },
);
