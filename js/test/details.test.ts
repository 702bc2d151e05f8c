import { describe, expect, test } from 'vitest';
import { sourceOf } from '../src/facts/source';
import { donatedText, fixedText, shortSignature, signature } from '../src/facts/text/types';
import type { Stage } from '../src/schema';
import { everything } from '../src/state/open-items';
import { detailsOf } from '../src/words/item-details';
import { rowsOf } from '../src/words/outline-rows';
import { golden, readable, stageOf } from './fixtures';

function said(stage: Stage, id: string): string[] {
  const details = detailsOf(stage, id);
  if (!details) return [];
  const { title, facts, source } = details;
  return [title, ...facts.map(readable), ...(source ? [`at ${source.frame.code}`] : [])];
}

describe('details', () => {
  test('of an eqn: operands with where they come from, results with their users, params, line', () => {
    expect(said(stageOf('grad_loss'), '0')).toMatchInlineSnapshot(`
      [
        "d = dot_general batch[0] params['layers'][0]",
        "lhs: f32[2,4] ← [batch[0]]",
        "rhs: f32[4,4] ← [params['layers'][0]]",
        "out d: f32[2,4] → [relu] [gt]",
        "dimension_numbers: (((1,), (0,)), ((), ()))",
        "preferred_element_type: float32",
        "scope: jvp()",
        "work: 64 flops (36.4 % of the program)",
        "moves: 128 bytes (13.7 % of the program)",
        "intensity: 0.50 flops per byte",
        "at x = jax.nn.relu(x @ w)",
      ]
    `);
  });

  test('of an instruction that XLA inserted say why', () => {
    const stage = stageOf('grad_loss');
    const [graph, ...graphs] = stage.graphs;
    const [eqn, ...eqns] = graph?.eqns ?? [];
    if (!graph || !eqn) throw new Error('grad_loss has no eqn');
    const own = 'a copy into the layout that the next instruction needs';
    const inserted = {
      ...stage,
      graphs: [{ ...graph, eqns: [{ ...eqn, own }, ...eqns] }, ...graphs],
    };
    expect(said(inserted, '0')).toContain(`XLA's own: ${own}`);
  });

  test('of an eqn in a body follow its operands out through the eqns around it', () => {
    expect(said(stageOf('scan_with_cond'), '1.0/3')).toMatchInlineSnapshot(`
      [
        "l = cond k x f carry",
        "index k: i32[] ← [convert_element_type]",
        "in: f32[3] ← [x] ← [xs]",
        "in f: f32[3] ← [bias] ← [bias]",
        "in: f32[3] ← [carry] ← [broadcast_in_dim]",
        "out l: f32[3] → [reduce_max] [next carry]",
        "holds: [if false] (1 eqn) [if true] (1 eqn)",
        "work: 15 flops (33.3 % of the program)",
        "moves: 180 bytes (42.3 % of the program)",
        "intensity: 0.08 flops per byte",
        "runs: × 5",
        "at carry = lax.cond(carry.sum() > 0, lambda c: c + x, lambda c: c * bias, carry)",
      ]
    `);
    expect(said(stageOf('scan_with_cond'), '1.0/3.0/0')).toMatchInlineSnapshot(`
      [
        "p = mul o n",
        "in o: f32[3] ← [carry] ← [carry] ← [broadcast_in_dim]",
        "in n: f32[3] ← [bias] ← [bias] ← [bias]",
        "out p: f32[3] → [result]",
        "work: 15 flops (33.3 % of the program)",
        "moves: 180 bytes (42.3 % of the program)",
        "intensity: 0.08 flops per byte",
        "runs: × 5",
        "at carry = lax.cond(carry.sum() > 0, lambda c: c + x, lambda c: c * bias, carry)",
      ]
    `);
  });

  test('of a body, an input, an output and a group', () => {
    expect(said(stageOf('scan_with_cond'), '1.0/3.1')).toMatchInlineSnapshot(`
      [
        "if true of cond",
        "holds: 1 eqn",
        "in q: f32[3] ← [x] ← [xs]",
        "in r: f32[3] ← [bias] ← [bias]",
        "in s: f32[3] ← [carry] ← [broadcast_in_dim]",
        "out t: f32[3] ← [add]",
        "work: 15 flops (33.3 % of the program)",
        "moves: 180 bytes (42.3 % of the program)",
        "intensity: 0.08 flops per byte",
        "runs: × 5",
        "at carry = lax.cond(carry.sum() > 0, lambda c: c + x, lambda c: c * bias, carry)",
      ]
    `);
    expect(said(stageOf('lesson'), 'in0')).toMatchInlineSnapshot(`
      [
        "x",
        "printed as: a",
        "type: f32[4]",
        "size: 16 bytes",
        "used by: → [integer_pow] [sin]",
      ]
    `);
    expect(said(stageOf('lesson'), 'out0')).toMatchInlineSnapshot(`
      [
        "result",
        "printed as: e",
        "type: f32[]",
        "size: 4 bytes",
        "made by: ← [reduce_sum]",
      ]
    `);
    expect(said(stageOf('scoped'), 'g0')).toMatchInlineSnapshot(`
      [
        "encoder",
        "holds: 12 eqns",
        "named after: a name scope",
        "1 value in: [x]",
        "1 value out: [reduce_sum]",
        "work: 38 flops + 10 transcendentals (92.3 % of the program)",
        "moves: 372 bytes (92.1 % of the program)",
        "intensity: 0.10 flops per byte",
      ]
    `);
  });

  test('of effects, refs, keys and weak types say so', () => {
    expect(said(stageOf('printing'), '1')).toMatchInlineSnapshot(`
      [
        "b = mul x 2.0:f32[]",
        "in: f32[2] ← [x]",
        "literal 2.0: f32[]",
        "out b: f32[2] → [result]",
        "work: 2 flops (100 % of the program)",
        "moves: 20 bytes (100 % of the program)",
        "intensity: 0.10 flops per byte",
        "at return x * 2",
      ]
    `);
    expect(said(stageOf('random_keys'), 'in0')).toMatchInlineSnapshot(`
      [
        "key",
        "printed as: o",
        "type: key<fry>[] key",
        "size: 8 bytes",
        "used by: → [random_split]",
      ]
    `);
  });

  test('of a group of a training step: its part, its counterparts, the line that leads to it', () => {
    expect(said(stageOf('train_step'), 'g2')).toMatchInlineSnapshot(`
      [
        "layers[1]",
        "holds: 6 eqns",
        "named after: the argument that it uses",
        "part of the step: forward",
        "belongs with: [layers[1] ⟵ (backward)]",
        "2 values in: [relu] [params['layers'][1]]",
        "2 values out: [sub] [select_n]",
        "work: 80 flops (16.9 % of the program)",
        "moves: 240 bytes (9.8 % of the program)",
        "intensity: 0.33 flops per byte",
        "at x = jax.nn.relu(x @ w)",
      ]
    `);
    expect(said(stageOf('train_step'), 'g7')).toMatchInlineSnapshot(`
      [
        "layers[0] ⟵",
        "holds: 4 eqns",
        "named after: the argument that it uses",
        "part of the step: backward",
        "belongs with: [layers[0] (forward)]",
        "3 values in: [gt] [dot_general] [batch[0]]",
        "1 value out: [mul]",
        "work: 72 flops (15.3 % of the program)",
        "moves: 396 bytes (16.1 % of the program)",
        "intensity: 0.18 flops per byte",
        "at x = jax.nn.relu(x @ w)",
      ]
    `);
  });

  test('of a call to a shared body: the other calls', () => {
    const shared = stageOf('shared_jit');
    const call = shared.graphs[0]?.eqns.findIndex(({ bodies }) => bodies.length > 0);
    const { facts = [] } = detailsOf(shared, `${call}`) ?? {};
    expect(facts.filter(({ name }) => name === 'also called').map(readable)).toMatchInlineSnapshot(`
      [
        "also called: [double]",
      ]
    `);
  });

  test('nothing for an id that names nothing', () => {
    expect(
      ['99', '99.0', '3.7/2', 'g9', 'in9'].map((id) => detailsOf(stageOf('lesson'), id)),
    ).toEqual([null, null, null, null, null]);
  });

  test('exist for every item of every program, and no link leads nowhere', () => {
    for (const name of [
      'scan_with_cond',
      'while_newton',
      'train_step',
      'gathered',
      'hostile',
      'refs',
      'pallas_double',
      'custom_vjp_slope',
      'shared_jit',
      'layers',
    ]) {
      const stage = stageOf(name);
      for (const { item } of rowsOf(stage, everything(stage))) {
        const details = detailsOf(stage, item.id);
        expect(details, `${name} ${item.id}`).not.toBeNull();
        const links = details?.facts.flatMap(({ value }) =>
          value.filter((part) => part.kind === 'link'),
        );
        for (const part of links ?? []) {
          expect(detailsOf(stage, part.id), `${name} ${item.id} → ${part.id}`).not.toBeNull();
        }
      }
    }
  });
});

test('a line that JAX does not know is that of the eqn around it, in this instance', () => {
  const stage = structuredClone(stageOf('shared_jit'));
  for (const eqn of stage.graphs[1]?.eqns ?? []) eqn.inherited = true;
  const [first, second] = stage.graphs[0]?.eqns ?? [];
  expect(first?.frame).not.toBeNull();
  expect(second).toBeDefined();
  expect(sourceOf(stage, '0.0/0')).toEqual({
    frame: stage.frames[first?.frame ?? -1],
    stack: sourceOf(stage, '0')?.stack,
    inherited: true,
  });
});

test('a heading says what is static and what was closed over', () => {
  const program = golden('lesson');
  expect(fixedText(program)).toBe('');
  const fixed = [
    { path: 'mode', text: "'train'", kind: 'static' },
    { path: 'lower', text: '0', kind: 'closed over' },
    { path: 'body_fun', text: '%1', kind: 'closed over' },
  ];
  expect(fixedText({ ...program, fixed })).toBe(
    "static: mode='train' · constant: lower=0, body_fun=%1",
  );
});

test('donated arguments are named, and counted if a tree is donated in part', () => {
  const program = golden('train_step');
  expect(donatedText(program)).toBe('');
  const [jaxpr, ...later] = program.stages;
  const donating = (...donated: number[]) => {
    const call = { fixed: [], consts: [], donated, shardings: [], results: [], mesh: [] };
    return donatedText({ ...program, stages: [{ ...jaxpr!, call }, ...later] });
  };
  expect(donating(0, 1)).toBe('donated: params');
  expect(donating(0, 2, 3)).toBe('donated: params (1 of 2 arrays), batch');
});

test('signatures name the arguments and count the leaves of what is long', () => {
  expect(signature(golden('lesson'))).toBe('(x: f32[4]) → f32[]');
  expect(signature(golden('train_step'))).toMatchInlineSnapshot(
    `"(params: {layers: (f32[4,4], f32[4,4])}, batch: (f32[2,4], f32[2,4])) → ({layers: (f32[4,4], f32[4,4])}, f32[])"`,
  );
  expect(shortSignature(golden('train_step'), 40)).toMatchInlineSnapshot(
    `"(params(2), batch(2)) → (2 arrays, f32[])"`,
  );
  expect(signature(golden('hostile'))).toMatchInlineSnapshot(
    `"(x: f32[3]) → {__proto__: f32[3], a"\\'\`\${}: f32[3]}"`,
  );
  expect(signature(golden('nothing'))).toBe('() → ()');
});
