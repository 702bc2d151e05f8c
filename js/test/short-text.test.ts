import { EditorView } from '@codemirror/view';
import { expect, test } from 'vitest';
import { shorteningsOf } from '../src/facts/short-text';
import { textPane } from '../src/render/text/text-editor';
import type { Stage } from '../src/schema';
import { chain, golden, goldens, stage, stageOf } from './fixtures';
import { untilHolds } from './until';

/** All of a stage's short forms, in the order of its text. */
const listed = (stage: Stage) =>
  [...shorteningsOf(stage)].flat().sort((one, other) => one.from - other.from);

/** A stage's text as it is shown. */
function shown(stage: Stage): string {
  let at = 0;
  const parts = listed(stage).map(({ from, to, text }) => {
    const part = stage.text.slice(at, from) + text;
    at = to;
    return part;
  });
  return [...parts, stage.text.slice(at)].join('');
}

test('a small program is read with its own names and without what is as always', () => {
  expect(shown(stageOf('lesson'))).toBe(`{ lambda ; x:f32[4]. let
    b:f32[4] = integer_pow[y=2] x
    c:f32[4] = sin x
    d:f32[4] = add b c
    e:f32[] = reduce_sum[axes=(0,)] d
  in (e,) }`);
});

test('a loop keeps its letters where its text uses them, and marks weak types', () => {
  expect(shown(stageOf('scan_sum'))).toBe(`{ lambda ; xs:f32[5]. let
    b:f32[] c:~f32[5] = scan[
      jaxpr={ lambda ; total=d:~f32[] x:f32[]. let
          f:f32[] = convert_element_type[new_dtype=float32] d
          g:f32[] = add f x
        in (g, d) }
      length=5
      num_carry=1
      num_consts=0
    ] 0.0:f32[] xs
  in (b, c) }`);
});

test('a name that is one of JAX’s letters stands beside the letter, never for it', () => {
  const text = shown(stageOf('fori'));
  expect(text).toContain('{ lambda ; x:f32[3] n=b:~i32[]. let');
  expect(text).toMatch(/\] x 0:i32\[\] b x\n/);
});

test('letters stay where the text uses them in another form', () => {
  const text = shown(stageOf('pallas_double'));
  expect(text).toContain('x_ref=c:Ref');
  expect(text).toContain('<- c[...]');
});

test('the inputs and results of a training step are folded to its pytrees', () => {
  const text = shown(golden('steps/gpt').stages[0] as Stage);
  expect(text).toMatch(/^\{ lambda ; (\w+\(\d+\) )+tokens:i32\[6\]\. let\n/m);
  expect(text).toMatch(/ {2}in \(.*\w+(\[\d+\])?\(\d+\).*\) \}$/);
  expect(text).not.toMatch(/=None\b(?!\))/);
});

test('the arguments of a later stage are folded where they are many', () => {
  const hlo = golden('stages/attention_step').stages.find(({ kind }) => kind === 'hlo') as Stage;
  const entry = /^ENTRY.*$/m.exec(shown(hlo))?.[0] ?? '';
  expect(entry).toMatch(/^ENTRY %[\w.]+ \(.*\) -> .* \{$/);
  expect(entry.length).toBeLessThan(200);
});

test.each(goldens)('of %s only what says nothing is left out', (name) => {
  const stage = stageOf(name);
  const found = listed(stage);
  let end = 0;
  for (const { from, to, text, folded } of found) {
    expect(from).toBeGreaterThanOrEqual(end);
    expect(to).toBeLessThanOrEqual(stage.text.length);
    end = to;
    if (text.trim() !== '' || folded) continue;
    for (const [, param, value] of stage.text.slice(from, to).matchAll(/(\w+)=(\S+)/g)) {
      const written = `${param}=${value?.replace(/\]$/, '')}`;
      expect(written).toMatch(/=(None|False|True|0|1)$|^preferred_element_type=\w+$/);
    }
  }
});

test('each value has a name of its own', () => {
  for (const name of goldens) {
    const stage = stageOf(name);
    for (const { from, to, text, folded } of listed(stage)) {
      const letter = stage.text.slice(from, to);
      if (folded || !/^\w+$/.test(letter) || text === letter) continue;
      const isTaken = stage.graphs.some(({ vars }) => vars.some((one) => one.name === text));
      expect([name, text, isTaken]).toEqual([name, text, false]);
    }
  }
});

test('a folded list opens when it is clicked; the document is JAX’s text all the while', () => {
  const stage = golden('steps/gpt').stages[0] as Stage;
  const parent = document.body.appendChild(document.createElement('div'));
  const still = { hover: () => {}, choose: () => {}, step: () => false };
  const pane = textPane(parent, stage, still);
  const view = EditorView.findFromDOM(parent.querySelector('.cm-editor') as HTMLElement);
  const lists = () => parent.querySelectorAll<HTMLElement>('.jxv-short-list');
  const before = lists().length;
  lists()[0]?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  expect(lists()).toHaveLength(before - 1);
  expect(view?.state.doc.toString()).toBe(stage.text);
  pane.destroy();
  const exact = textPane(parent, stage, still, {
    wrap: true,
    tints: null,
    heat: null,
    exact: true,
  });
  expect(parent.querySelector('.jxv-short-list, .jxv-short-name')).toBeNull();
  exact.destroy();
});

test('a long text is shortened to its end, a part at a time', async () => {
  const long = cumulated(9_000);
  expect([...shorteningsOf(long)].length).toBe(3);
  expect(shown(long).split('\n').at(-2)).toBe('    v9000:f32[5] = cumsum[axis=0] v8999');
  const parent = document.body.appendChild(document.createElement('div'));
  const pane = textPane(parent, long, { hover: () => {}, choose: () => {}, step: () => false });
  const view = EditorView.findFromDOM(parent.querySelector('.cm-editor') as HTMLElement);
  const left = () => leftOut(view as EditorView);
  expect(left()).toBeLessThan(9_000);
  await untilHolds(() => expect(left()).toBe(9_000));
  pane.destroy();
});

/** The number of ranges that an editor leaves out. */
const leftOut = ({ state }: EditorView): number =>
  state
    .facet(EditorView.decorations)
    .reduce((sum, set) => sum + (typeof set === 'function' ? 0 : set.size), 0);

/** A program of `eqns` eqns, each with one param that says nothing. */
function cumulated(eqns: number): Stage {
  const graph = chain(new Array(eqns).fill('cumsum'));
  let text = '{ lambda ; v0:f32[5]. let\n';
  for (const [at, eqn] of graph.eqns.entries()) {
    const printed = `v${at + 1}:f32[5] = cumsum[axis=0 reverse=False] v${at}`;
    text += `    ${printed}\n`;
    eqn.span = [text.length - printed.length - 1, text.length - 1];
    eqn.params = [
      { name: 'axis', value: '0', size: 1 },
      { name: 'reverse', value: 'False', size: 5 },
    ];
  }
  return stage([{ ...graph, args: [''] }], `${text}  in (v${eqns},) }`);
}
