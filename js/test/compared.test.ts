import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Colouring, colour } from '../src/facts/colours/colouring';
import { type Differences, differencesOf } from '../src/facts/differences';
import { hiding } from '../src/facts/enclosing';
import { users } from '../src/facts/flow';
import { ROOT } from '../src/facts/ids';
import { check } from '../src/facts/wire/check-program';
import { sceneOf } from '../src/layout/scene';
import { NO_MARKS } from '../src/picture/appearance';
import { headingOf } from '../src/picture/heading';
import { whole } from '../src/render/shown-picture';
import { themeOf } from '../src/render/theme';
import type { Change, Mark, Program, Stage } from '../src/schema';
import { firstView } from '../src/state/first-view';
import { everything } from '../src/state/open-items';
import { changes } from '../src/state/tour';
import { type Action, start, update, type ViewState } from '../src/state/view-state';
import { summaryOf } from '../src/words/difference-words';
import { detailsOf } from '../src/words/item-details';
import { announcement } from '../src/words/outline-rows';
import { chain, golden, readable, stage } from './fixtures';
import { stages } from './programs';
import { textsOf } from './svg';

/** A program of these graphs, made from two. */
function ofTwo(of: Stage, marks: [number, string][], inputs: Change[] = []): Program {
  const compared = {
    before: 'trace 12',
    after: 'trace 17',
    inputs,
    marks: marks.map(([eqn, kind]): Mark => ({ eqn, kind, before: '', after: '' })),
    unknown: [],
  };
  return { ...golden('lesson'), stages: [of], compared };
}

const compared = (name: string): Program => golden(`compared/${name}`);
const stageIn = ({ stages: [first] }: Program): Stage => first as Stage;
const differing = (program: Program): Differences => differencesOf(program) as Differences;

const texts = (program: Program): string[] =>
  summaryOf(differing(program), stageIn(program)).map(({ text }) => text);

function begin(program: Program, ...actions: Action[]): ViewState {
  return actions.reduce(update, start(stageIn(program), differing(program)));
}

const coloured = (program: Program, open: ReadonlySet<string> = new Set()) => {
  const { boxes } = sceneOf(stageIn(program), open);
  const colours = colour(stageIn(program), boxes, 'change', differing(program));
  return { boxes, colours };
};

/** `sin added`, `layer changed (+1 −2)`: each box and its class, and what a closed one holds. */
function painted(program: Program, open: ReadonlySet<string> = new Set()): string[] {
  const { boxes, colours } = coloured(program, open);
  return boxes.map(({ item }, box) => {
    const { label, paint } = colours.classes[colours.of[box] ?? 0] ?? {};
    return `${item.label} ${paint === 'pill' ? '' : label}${heldIn(colours, box)}`.trim();
  });
}

function heldIn({ classes, within }: Colouring, box: number): string {
  const held = classes.flatMap(({ sign, loud }, one) =>
    loud && within[box]?.[one] ? [`${sign}${within[box]?.[one]}`] : [],
  );
  return held.length > 0 ? ` (${held.join(' ')})` : '';
}

const nested = () =>
  stage([chain(['scan', 'sin', 'add', 'mul', 'exp'], [[1]]), chain(['tanh', 'cos', 'neg'])]);

describe('in one line', () => {
  test('how programs differ is counted by kind', () => {
    expect(texts(compared('upcast'))).toEqual(['5 added', '3 changed', '8 types changed']);
    expect(texts(compared('shape')).slice(-1)).toEqual(['2 inputs differ']);
    expect(texts(ofTwo(nested(), [[1, 'retyped']]))).toEqual(['1 type changed']);
  });

  test('those that are the same say so', () => {
    expect(texts(compared('same'))[0]).toMatch(/^Both programs are the same: \d+ eqns$/);
  });

  test('a program alone has no differences', () => {
    expect(differencesOf(golden('lesson'))).toBeNull();
  });
});

describe('by change', () => {
  test('each box has the kind of its eqn', () => {
    expect(painted(compared('replaced'))).toMatchInlineSnapshot(`
      [
        "x",
        "cos removed",
        "tan added",
        "sin same",
        "mul same",
        "result",
      ]
    `);
  });

  test('a closed box says what it holds, and is changed where the rest is the same', () => {
    const marks: [number, string][] = [
      [2, 'added'],
      [5, 'removed'],
      [6, 'added'],
      [7, 'retyped'],
    ];
    expect(painted(ofTwo(nested(), marks))).toEqual([
      'x',
      'scan changed (+1 −1)',
      'sin same',
      'add added',
      'mul same',
      'exp same',
      'result',
    ]);
  });

  test('what was added as a whole is added, open and closed', () => {
    const program = ofTwo(
      nested(),
      [0, 5, 6, 7].map((eqn) => [eqn, 'added']),
    );
    expect(painted(program)[1]).toBe('scan added (+4)');
    expect(painted(program, everything(stageIn(program)))[1]).toBe('scan added');
  });

  test('that types differ alone is quiet', () => {
    const program = ofTwo(nested(), [[5, 'retyped']]);
    expect(painted(program)[1]).toBe('scan types changed');
    expect(painted(program, new Set(['0']))[1]).toBe('scan same');
  });

  test('inputs that differ, or that one program has alone, are counted apart', () => {
    const inputs = [{ kind: 'shape', where: 'x', before: 'f32[8]', after: 'f32[5]' }];
    expect(painted(ofTwo(nested(), [], inputs))[0]).toBe('x inputs, results changed');
    const added = [{ kind: 'pytree', where: 'result', before: 'absent', after: 'f32[]' }];
    expect(painted(ofTwo(nested(), [], added)).at(-1)).toBe('result inputs, results added');
  });

  test('is how a comparison is coloured at first, unless nothing differs', () => {
    expect(begin(compared('replaced')).colours).toBe('change');
    expect(begin(compared('same')).colours).toBe('family');
  });

  test('counts each eqn once, whatever is open', () => {
    fc.assert(
      fc.property(stages, fc.infiniteStream(fc.nat(6)), (of, kinds) => {
        const eqns = of.graphs.reduce((sum, graph) => sum + graph.eqns.length, 0);
        const names = ['added', 'removed', 'changed', 'moved', 'retyped'];
        const marks = Array.from({ length: eqns }, (_, eqn): [number, string] => {
          return [eqn, names[kinds.next().value] ?? ''];
        });
        const program = ofTwo(
          of,
          marks.filter(([, kind]) => kind !== ''),
        );
        const sums = (open: ReadonlySet<string>) =>
          [...coloured(program, open).colours.counts].slice(0, 6);
        expect(sums(firstView(of, differing(program)).open)).toEqual(sums(new Set()));
      }),
      { numRuns: 60 },
    );
  });

  test('goes into an exported picture, with its signs', () => {
    const program = compared('replaced');
    const { colours } = coloured(program);
    const marks = { ...NO_MARKS, colours };
    const scene = sceneOf(stageIn(program), new Set());
    const view = { width: 400, height: 300 };
    const camera = { x: 0, y: 0, zoom: 1 };
    const heading = headingOf(program, stageIn(program), differing(program));
    const shown = { scene, camera, view, theme: themeOf(document.body), marks };
    const { svg } = whole(shown, heading);
    const texts = textsOf(svg);
    for (const sign of ['+', '−']) expect(texts.filter((text) => text === sign)).toHaveLength(2);
    expect(texts).toContain('1 added');
    expect(svg).toContain('stroke-dasharray="5 3"');
  });
});

describe('a removed eqn', () => {
  test.each(['removed', 'replaced', 'mode', 'weak'])('of %s is above what used it', (name) => {
    const stage = stageIn(compared(name));
    const { boxes, edges, index } = sceneOf(stage, new Set());
    const users = stage.graphs[0]!.eqns.flatMap(({ was = [] }, at) =>
      was.length > 0 ? [index.get(`${at}`)] : [],
    );
    const dashed = edges.filter((edge) => edge.dashed);
    expect(dashed.map(({ target }) => target)).toEqual(
      expect.arrayContaining(users.filter(Number)),
    );
    for (const { source, target } of dashed) {
      const [removed, user] = [boxes[source]!, boxes[target]!];
      expect(removed.y + removed.h).toBeLessThan(user.y);
    }
    expect(dashed.length).toBeGreaterThan(0);
  });

  test('is said to be used by what used it', () => {
    const stage = stageIn(compared('removed'));
    expect(users(stage, ROOT, stage.graphs[0]!.eqns[0]!.outvars[0]!)).toEqual([
      { text: 'sin', id: '1' },
    ]);
  });
});

describe('along the changes', () => {
  const marks: [number, string][] = [
    [1, 'added'],
    [2, 'added'],
    [4, 'changed'],
    [6, 'removed'],
    [7, 'retyped'],
  ];
  const next = { type: 'tour', along: 'changes', by: 1 } as const;
  const back = { ...next, by: -1 } as const;

  test('each place is met once, in the order of the program', () => {
    const program = ofTwo(nested(), marks);
    expect(changes(stageIn(program), differing(program))).toEqual(['0.0/1', '1', '4']);
  });

  test('types alone are met where nothing else differs', () => {
    const program = ofTwo(nested(), [[7, 'retyped']]);
    expect(changes(stageIn(program), differing(program))).toEqual(['0.0/2']);
  });

  test('an added eqn stands for all it holds', () => {
    const program = ofTwo(
      nested(),
      [0, 5, 6, 7].map((eqn) => [eqn, 'added']),
    );
    expect(changes(stageIn(program), differing(program))).toEqual(['0']);
  });

  test('the next one is selected, and what hides it opened', () => {
    const program = ofTwo(nested(), marks);
    const collapsed = begin(program, { type: 'collapse' });
    const state = update(collapsed, next);
    expect(state.selected).toBe('0.0/1');
    expect(hiding(state.stage, '0.0/1').every((id) => state.open.has(id))).toBe(true);
    expect([next, next, next].reduce(update, state).selected).toBe('0.0/1');
    expect(update(state, back).selected).toBe('4');
  });

  test('it is the next one from where the reader is', () => {
    const program = ofTwo(nested(), marks);
    const from = (id: string, action: Action) =>
      begin(program, { type: 'select', id }, action).selected;
    expect(from('3', next)).toBe('4');
    expect(from('3', back)).toBe('1');
    expect(from('0', next)).toBe('0.0/1');
    expect(from('out0', next)).toBe('0.0/1');
  });

  test('nowhere, where nothing differs', () => {
    expect(begin(compared('same'), next).selected).toBeNull();
  });
});

describe('at first', () => {
  test('what contains changes opens first, then the rest that fits', () => {
    const body = () => chain(['tanh', 'cos', 'neg']);
    const of = stage([chain(['scan', 'scan', 'mul'], [[1], [2]]), body(), body()]);
    const differences = differing(ofTwo(of, [[7, 'added']]));
    const openIn = (height: number) =>
      [...firstView(of, differences, { width: 300, height }).open].sort().join();
    const found = new Set([200, 300, 400, 500, 600, 700, 800].map(openIn));
    expect([...found]).toEqual(['', '1', '0,1']);
  });

  test.each(['upcast', 'shape', 'different', 'unrolled'])('of %s no more than fits', (name) => {
    const program = compared(name);
    expect(sceneOf(stageIn(program), begin(program).open).boxes.length).toBeLessThan(60);
  });
});

describe('of an item', () => {
  const facts = (program: Program, id: string) =>
    detailsOf(stageIn(program), id, differing(program))?.facts.map(readable) ?? [];

  test('what it was and what it is come first', () => {
    expect(facts(compared('param'), '1')[0]).toBe('changed: axes (0,) → (1,)');
    expect(facts(compared('shape'), '0')[0]).toBe('types changed: f32[8,4] → f32[5,4]');
    expect(facts(compared('replaced'), '0')[0]).toBe('removed: only in the earlier program');
    expect(facts(compared('shape'), 'in2')[0]).toBe('shape: f32[8,4] → f32[5,4]');
  });

  test('it is said what is inside', () => {
    const program = ofTwo(nested(), [
      [5, 'added'],
      [6, 'removed'],
    ]);
    expect(facts(program, '0')[0]).toBe('differs: 1 added · 1 removed inside');
  });

  test('a screen reader says it', () => {
    const detailText = (program: Program, id: string) =>
      announcement(begin(program, { type: 'select', id }));
    expect(detailText(compared('param'), '1')).toContain('changed from axes=(0,) to axes=(1,)');
    expect(detailText(compared('replaced'), '0')).toMatch(/^Selected \S+ = \w+ x, removed, /);
  });
});

describe('a comparison that does not fit together is refused', () => {
  const refused: [string, (program: Program) => void][] = [
    ['a mark beyond the eqns', ({ compared }) => compared?.marks.push(mark(8, 'added'))],
    ['a mark of no kind', ({ compared }) => compared?.marks.push(mark(7, 'toString'))],
    ['marks out of order', ({ compared }) => compared?.marks.push(mark(0, 'added'))],
    ['two marks of an eqn', ({ compared }) => compared?.marks.push(mark(1, 'added'))],
    ['no stage', ({ stages }) => stages.pop()],
    ['two stages', ({ stages }) => stages.push(nested())],
  ];
  const mark = (eqn: number, kind: string): Mark => ({ eqn, kind, before: '', after: '' });

  test.each(refused)('%s', (_, change) => {
    const program = ofTwo(nested(), [[1, 'added']]);
    check(program);
    change(program);
    expect(() => check(program)).toThrow('Its parts contradict one another.');
  });
});
