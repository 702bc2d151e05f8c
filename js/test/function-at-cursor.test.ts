import { expect, test } from 'vitest';
import { functionAt, type NamedFunction } from '../src/state/panel/function-at-cursor';

/** The function at the `|`. */
function at(marked: string): NamedFunction | null {
  const offset = marked.indexOf('|');
  return functionAt(marked.slice(0, offset) + marked.slice(offset + 1), offset);
}

const meant = (marked: string) => {
  const sought = at(marked);
  return sought && [...sought.names, sought.call];
};

test('the call that the cursor stands in', () => {
  for (const marked of [
    'lo|ss(params, x)',
    '|loss(params, x)',
    'loss|(params, x)',
    'loss(params, x)|',
  ]) {
    expect(meant(marked)).toEqual(['loss', 'loss(params, x)']);
  }
  expect(meant('loss(par|ams, x)')).toEqual(['params', 'loss', 'loss(params, x)']);
  expect(meant('y| = loss(params, x)')).toEqual(['loss', 'loss(params, x)']);
  expect(meant('loss(params, x)\n\n|')).toEqual(['loss', 'loss(params, x)']);
});

test('of nested calls the inner one', () => {
  expect(meant('step(layer(w,| x), 3)')).toEqual(['layer', 'layer(w, x)']);
  expect(meant('step(layer(w, x), |3)')).toEqual(['step', 'step(layer(w, x), 3)']);
});

test('what stands around a function or its call is not meant', () => {
  expect(meant('pri|nt(loss(x))')).toEqual(['print', 'loss', 'loss(x)']);
  expect(meant('float(loss(x).su|m())')).toEqual(['sum', 'loss', 'loss(x)']);
  expect(meant('fast = jax.j|it(loss)')).toEqual(['jit', 'loss', null]);
  expect(meant('jax.jit(loss)(|x)')).toEqual(['x', 'loss', 'jax.jit(loss)(x)']);
});

test('a transformed function has the name that JAX gives it', () => {
  expect(meant('jax.grad(lo|ss)(params, x)')).toEqual(['loss', 'grad(loss)', null]);
  expect(meant('jax.grad(loss)(|params, x)')).toEqual([
    'params',
    'grad(loss)',
    'loss',
    'jax.grad(loss)(params, x)',
  ]);
  expect(meant('jax.vmap(jax.grad(loss))(w, x)|')).toEqual([
    'vmap(grad(loss))',
    'grad(loss)',
    'loss',
    'jax.vmap(jax.grad(loss))(w, x)',
  ]);
});

test('the def around the cursor, also at its decorators', () => {
  const step = '@jax.jit|\ndef step(x):\n    y = x + 1\n    return y\n';
  expect(meant(step)).toEqual(['step', null]);
  expect(meant('@partial(jax.jit, static_argnames="n"|)\ndef step(x, n): ...')).toEqual([
    'step',
    null,
  ]);
  expect(meant('def st|ep(x): return x')).toEqual(['step', null]);
  expect(meant('async def step(x):\n    y = x + |1\n    return y')).toEqual(['step', null]);
  expect(meant('def step(x):\n    return x\n\n|')).toEqual(['step', null]);
});

test('in a def a call can not stand alone', () => {
  expect(meant('def loss(w, x):\n    return lay|er(w, x)')).toEqual(['layer', null]);
  expect(meant('def loss(w, x):\n    return jnp.si|n(w)')).toEqual(['sin', 'loss', null]);
  expect(meant('each = lambda x: lay|er(x)')).toEqual(['layer', null]);
});

test('nor in what gives its names a value', () => {
  expect(meant('ys = [lo|ss(x) for x in xs]')).toEqual(['loss', null]);
  expect(meant('y|s = {k: loss(x) for k, x in xs}')).toEqual(['loss', null]);
  expect(meant('loss(lambda x: x|, 3)')).toEqual(['x', 'loss', 'loss(lambda x: x, 3)']);
});

test('methods and classes', () => {
  const model = 'class Model:\n    w: int\n\n    def apply(self, x):\n        return self.w * x\n';
  expect(meant(model.replace('* x', '* |x'))).toEqual(['apply', null]);
  expect(meant(model.replace('w: int', 'w: |int'))).toEqual(['Model', null]);
  expect(meant('model.app|ly(params, x)')).toEqual(['apply', 'model.apply(params, x)']);
  expect(meant('Model(3)(|x)')).toEqual(['x', 'Model', 'Model(3)(x)']);
});

test('magics', () => {
  expect(meant('%jaxviz loss(params,| x)')).toEqual(['loss', 'loss(params, x)']);
  expect(meant('|%jaxviz loss(params, x)')).toEqual(['loss', 'loss(params, x)']);
  expect(meant('x = 3\n%jaxviz --stage hlo loss(params,| x) -o')).toEqual([
    'loss',
    'loss(params, x)',
  ]);
  expect(meant('p = %jaxviz -o loss(|x)')).toEqual(['x', 'loss', 'loss(x)']);
  expect(meant('%%jaxviz --hits\nst|ep(x)')).toEqual(['step', 'step(x)']);
  expect(meant('%timeit st|ep(x)\n!ls f(x)')).toEqual(['step', 'step(x)']);
  expect(meant('!ls f(|x)')).toBeNull();
  expect(meant('%load_ext jax|viz')).toBeNull();
});

test('a call over several lines becomes one, where it can', () => {
  expect(meant('loss(\n    params,|\n    x,\n)')).toEqual(['loss', 'loss(params, x,)']);
  expect(meant('loss(\n    params,  # of the model|\n    x)')).toEqual(['loss', null]);
  expect(meant('loss("two \\\n  words", |3)')).toEqual(['loss', null]);
});

test('code that is no Python, or holds no function', () => {
  expect(meant('loss(params, |x')).toEqual(['x', 'loss', null]);
  expect(meant('def loss(x:\n    return la|yer(x')).toEqual(['layer', null]);
  expect(meant('')).toBeNull();
  expect(meant('x = 3 +| 4')).toBeNull();
  expect(meant('# loss(x)|')).toBeNull();
  expect(meant('fs[0](x)|')).toBeNull();
});
