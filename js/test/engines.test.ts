import { expect, test, vi } from 'vitest';
import { canJoin, engineOf, join } from '../src/hosts/lab/output';
import type { Display, Job, Program } from '../src/schema';
import { english, golden } from './fixtures';

const DISPLAY = { partial: null, report: null } as Display;

function part(name: string): HTMLElement {
  const element = document.createElement('div');
  element.className = `jp-OutputArea-${name}`;
  return element;
}

/** The outputs of a cell, one of each engine, the last engine first. `seen` has the content of each. */
function cell(...programs: Program[]) {
  const area = document.createElement('div');
  area.className = 'jp-OutputArea';
  const seen: (Job | null)[] = [];
  const children = programs.map((program, engine) => {
    const [label, text, node] = [part('part'), part('output'), part('child')];
    text.textContent = `[output:${engine}]\n`;
    label.append(text);
    area.prepend(label, node);
    seen.push(null);
    const display = { ...DISPLAY, program: `saved by ${engine}` };
    const show = (job: Job | null) => {
      seen[engine] = job;
    };
    return {
      label,
      node,
      output: { engine, display, program: Promise.resolve(program), node, show },
    };
  });
  return { seen, children };
}

test('programs of engines are one output, where those that are the same have one place', async () => {
  const [one, other] = [golden('relu'), golden('linear')];
  const slower = { ...one, stages: one.stages.map((stage) => ({ ...stage, took: 99 })) };
  const { seen, children } = cell(one, other, slower);
  const leave = children.map(({ output }) => join(output));
  await vi.waitFor(() =>
    expect(seen[0]?.held).toEqual([
      { processes: [0, 2], differs: '', program: null },
      { processes: [1], differs: '', program: 'saved by 1' },
    ]),
  );
  const isHidden = ({ classList }: HTMLElement) => classList.contains('jp-jaxviz-elsewhere');
  const hidden = () => children.map(({ node }) => isHidden(node));
  expect(hidden()).toEqual([false, true, true]);
  expect(children.map(({ label }) => isHidden(label))).toEqual([true, true, true]);

  leave[0]?.();
  await vi.waitFor(() =>
    expect(seen[1]?.held.map(({ processes }) => processes)).toEqual([[1], [2]]),
  );
  expect(hidden()).toEqual([false, false, true]);
  leave[1]?.();
  await vi.waitFor(() => expect(children.some(({ label }) => isHidden(label))).toBe(false));
});

test('an output of an engine says which; one that tells more than a program stands for itself', () => {
  const found = [{ engine: 3 }, { engine_id: 2 }, { engine: -1 }, { engine: '3' }, {}];
  expect(found.map(engineOf)).toEqual([3, 2, null, null, null]);
  expect(canJoin(DISPLAY)).toBe(true);
  expect(canJoin({ ...DISPLAY, partial: english('It is too large.') })).toBe(false);
});
