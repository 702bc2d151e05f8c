import { expect, test } from 'vitest';
import { children } from '../src/facts/outline';
import { captionOf, LANE_COLUMNS } from '../src/layout/caption';
import { golden } from './fixtures';

test('a note in little room is cut where what it opens is closed', () => {
  const stage = structuredClone(golden('relu').stages[0]!);
  const graph = stage.graphs[0]!;
  const noteOf = (detail: string) => {
    const [input] = children(stage, '').filter(({ kind }) => kind === 'input');
    return captionOf(stage, graph, { ...input!, detail }, LANE_COLUMNS).note;
  };
  expect(noteOf("P(None, 'model')")).toBe('');
  expect(noteOf("donated · P('data')")).toBe('donated');
  expect(noteOf("P('a')")).toBe("P('a')");
});
