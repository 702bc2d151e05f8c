import { expect, test } from 'vitest';
import { colour } from '../src/facts/colours/colouring';
import { allEqns, carryOf, eqnAt } from '../src/facts/graph';
import { familyOf } from '../src/facts/kinds';
import { children, drawn } from '../src/facts/outline';
import { literalOf } from '../src/facts/text/literals';
import { typeLabel } from '../src/facts/text/types';
import { sceneOf } from '../src/layout/scene';
import { boxShowing } from '../src/layout/scene-walk';
import type { Aval, Eqn, Stage } from '../src/schema';
import { find } from '../src/state/find';
import { firstView } from '../src/state/first-view';
import { everything } from '../src/state/open-items';
import { chain, F32, golden, stage } from './fixtures';

const later = (name: string, kind: string): Stage =>
  golden(`stages/${name}`).stages.find((one) => one.kind === kind) as Stage;

const PROGRAMS = ['mlp', 'scan_products', 'attention_step', 'sharded'];
const KINDS = ['stablehlo', 'hlo'];

/** The boxes of a scene as they read. */
function boxes(of: Stage, open = firstView(of).open): string[] {
  return sceneOf(of, open).boxes.map(({ label, note }) => `${label} ${note}`.trim());
}

test('operations of all stages have the family of the primitive that they do', () => {
  const families = (names: string) => new Set(names.split(' ').map((name) => familyOf(name)));
  expect(families('stablehlo.dot_general dot convolution stablehlo.fft')).toEqual(
    new Set(['contraction']),
  );
  expect(families('stablehlo.reduce reduce-window sort chlo.top_k')).toEqual(
    new Set(['reduction']),
  );
  expect(families('stablehlo.convert bitcast copy-start get-tuple-element tuple')).toEqual(
    new Set(['movement']),
  );
  expect(families('stablehlo.while stablehlo.case conditional')).toEqual(new Set(['control']));
  expect(families('all-reduce all-gather-start sdy.sharding_constraint partition-id')).toEqual(
    new Set(['collective']),
  );
  expect(families('stablehlo.add multiply chlo.erf compare select tanh')).toEqual(
    new Set(['elementwise']),
  );
  expect(familyOf('call')).toBe('call');
  expect(familyOf('psum_start')).toBe('collective');
  expect(familyOf('unheard_of')).toBe('other');
  expect(familyOf('constructor')).toBe('other');
});

test('a custom call has the family of its target', () => {
  const family = (target: string) => familyOf('custom-call', target);
  expect(family('__cublas$gemm')).toBe('contraction');
  expect(family('lapack_spotrf_ffi')).toBe('contraction');
  expect(family('TopK')).toBe('reduction');
  expect(family('cu_threefry2x32_ffi')).toBe('random');
  expect(family('Sharding')).toBe('collective');
  expect(family('xla_ffi_python_cpu_callback')).toBe('other');
  expect(family('my_convolution')).toBe('other');
});

test('a fusion says what it was made from, and has the family of the heaviest of that', () => {
  const of = later('mlp', 'hlo');
  const fusions = of.graphs[0]?.eqns.flatMap(({ op }, index) =>
    op === 'fusion' ? [children(of, '').find(({ start }) => start === index)] : [],
  );
  expect(fusions?.length).toBeGreaterThan(0);
  expect(boxes(of, everything(of))).toContain('fusion add multiply tanh kLoop');
  const families = new Set(
    sceneOf(of, everything(of))
      .boxes.filter(({ item }) => item.label.startsWith('fusion'))
      .map(({ item }) => `${item.family} ${item.label}`),
  );
  expect(families).toContain('contraction fusion dot');
  expect(families).toContain('elementwise fusion add multiply tanh');
  expect(families).toContain('reduction fusion reduce multiply subtract');
});

test('a scalar constant is written on its users and has no box of its own', () => {
  const of = later('mlp', 'stablehlo');
  const all = everything(of);
  const whole = (id: string) => eqnAt(of, id)?.eqn.params[0]?.value.startsWith('dense<...>');
  const constants = find(of, 'stablehlo.constant').ids.filter((id) => !whole(id));
  const scene = sceneOf(of, all);
  expect(boxes(of, all)).toContain('* 0.1');
  expect(constants.length).toBeGreaterThan(20);
  for (const id of constants) {
    expect(scene.index.has(id)).toBe(false);
    expect(boxShowing(of, scene, id)).toBeGreaterThanOrEqual(0);
  }
  expect(drawn(of, '').length).toBeLessThan(children(of, '').length + 1);
});

test('no op is left out of the counts', () => {
  for (const name of PROGRAMS) {
    for (const kind of KINDS) {
      const of = later(name, kind);
      const whole = allEqns(of);
      for (const open of [new Set<string>(), everything(of)]) {
        const { counts } = colour(of, sceneOf(of, open).boxes, 'family');
        expect(`${name} ${kind} ${counts.reduce((sum, one) => sum + one, 0)}`).toBe(
          `${name} ${kind} ${whole}`,
        );
      }
    }
  }
});

test('the value of a constant, as short as it is exact', () => {
  const value = (text: string) =>
    literalOf({ params: [{ name: 'value', value: text, size: text.length }] } as unknown as Eqn);
  expect(value('3.000000e+00')).toBe('3.0');
  expect(value('-1.000000e-01')).toBe('-0.1');
  expect(value('4.471500e-02')).toBe('0.044715');
  expect(value('1.500000e-08')).toBe('1.5e-8');
  expect(value('1.000000e+09')).toBe('1e9');
  expect(value('1.234500e+02')).toBe('123.45');
  expect(value('0.000000e+00')).toBe('0.0');
  expect(value('0xFF800000')).toBe('-inf');
  expect(value('0x7FC0')).toBe('nan');
  expect(value('true')).toBe('true');
  expect(value('0.797884583')).toBe('0.797884583');
  expect(value('[[0, 1], [2, 3]]')).toBe('');
  expect(value('dense<...>')).toBe('');
});

test('a loop carries from its outputs to its inputs', () => {
  const stablehlo = later('scan_products', 'stablehlo');
  const loop = stablehlo.graphs[0]?.eqns.find(({ op }) => op === 'stablehlo.while') as Eqn;
  expect(carryOf(loop, 1)).toEqual([0, 1, 2].map((one) => ({ input: one, output: one })));
  expect(carryOf(loop, 0)).toEqual([]);
  const hlo = later('scan_products', 'hlo');
  const other = hlo.graphs[0]?.eqns.find(({ op }) => op === 'while') as Eqn;
  const body = other.bodies.findIndex(({ label }) => label === 'body');
  expect(carryOf(other, body)).toEqual([{ input: 0, output: 0 }]);
});

test('an element of the tuple that a loop reads is called by the argument that it is', () => {
  const of = later('scan_products', 'hlo');
  const elements = sceneOf(of, everything(of))
    .boxes.map(({ label }) => label)
    .filter((label) => label.startsWith('#'));
  // b is read in each turn; what the turns multiply changes, and so does their number.
  expect(elements.sort()).toEqual(['#0', '#0', '#1', '#1', '#2 b']);
});

test('an edge says how its value is split over devices', () => {
  const label = (kind: string, sharding: string, text = 'f32[8,64]') =>
    typeLabel({ ...stage([chain([])]), kind }, { ...F32, text, shape: [8, 64], sharding } as Aval);
  expect(label('stablehlo', '<@mesh, [{"data"}, {}]>')).toBe('f32[8@data,64]');
  expect(label('stablehlo', '<@mesh, [{"data", "model"}, {}]>')).toBe('f32[8@data.model,64]');
  expect(label('stablehlo', '{devices=[2,1]<=[2]}')).toBe('f32[8/2,64]');
  expect(label('hlo', '{devices=[2,1,4]<=[8] last_tile_dim_replicate}')).toBe('f32[8×2,64]');
  expect(label('hlo', '{replicated}')).toBe('f32[8,64]');
  expect(label('jaxpr', "P('data', None)", 'f32[8@data,64]')).toBe('f32[8@data,64]');
});

test('a tuple too long to read is counted', () => {
  const tuple = (text: string) =>
    typeLabel({ ...stage([chain([])]), kind: 'hlo' }, { ...F32, text, shape: null, kind: 'tuple' });
  expect(tuple('(s32[], f32[8])')).toBe('(s32[], f32[8])');
  expect(tuple('(s32[], f32[16,16], (f32[16,16], pred[]))')).toBe('(3 values)');
});

test('collectives say which devices speak, and how many bytes each sends', () => {
  const of = later('sharded', 'hlo');
  const shown = boxes(of, everything(of));
  expect(shown.filter((text) => text.startsWith('all-reduce'))).toEqual([
    'all-reduce add 4×2 devices 512 bytes',
    'all-reduce add 2×4 devices 36.0 KiB',
  ]);
});

test('a first view opens no reducer', () => {
  for (const name of PROGRAMS) {
    for (const kind of KINDS) {
      const of = later(name, kind);
      const scene = sceneOf(of, firstView(of).open);
      const reducers = scene.boxes.filter(({ item }) => /^(reduce|all-reduce)\b/.test(item.label));
      expect(reducers.filter(({ open }) => open)).toEqual([]);
    }
  }
});

test('Find knows names, types and lines of later stages', () => {
  const hlo = later('mlp', 'hlo');
  const name = hlo.graphs[0]?.vars.find((one) => one.name.startsWith('%dot'))?.name ?? '';
  expect(find(hlo, name).total).toBe(1);
  expect(find(hlo, 'dot').total).toBeGreaterThan(3);
  expect(find(hlo, 'f32[8,10]{1,0}').total).toBe(find(hlo, 'f32[8,10]').total);
  expect(find(hlo, 'f32[8,10]{0,1}').total).toBe(0);
  const stablehlo = later('mlp', 'stablehlo');
  expect(find(stablehlo, 'tensor<8x10xf32>').ids).toEqual(find(stablehlo, 'f32[8,10]').ids);
  expect(find(stablehlo, 'stablehlo.tanh').total).toBe(1);
  const tanh = stablehlo.graphs[0]?.eqns.find(({ op }) => op === 'stablehlo.tanh');
  const { line } = stablehlo.frames[tanh?.frame ?? -1] ?? {};
  expect(find(stablehlo, `:${line}`).total).toBeGreaterThan(0);
});
