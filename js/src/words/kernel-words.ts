/**
 * Translates the kernel's English sentences into the page's language. `tests/kernel_words.json` has its
 * sentences as the kernel makes them.
 */
import { __ } from '../language';
import { MENDS } from './mend-words';
import { NOTES, REFUSALS } from './stage-words';

type Translate = (...found: string[]) => string;

/** The kernel's sentences, with `%1` and `%2` for their variable parts, and the function that
 * translates each. */
const SENTENCES: readonly [string, Translate][] = [
  // jaxviz/analysis/retraces/hints.py
  [
    'if this is a smaller last batch, pad it to the size of the others, or drop it',
    () => __('if this is a smaller last batch, pad it to the size of the others, or drop it'),
  ],
  ['pad %1 to one of a few sizes', (where) => __('pad %1 to one of a few sizes', where)],
  [
    'convert %1 to one dtype before the call',
    (where) => __('convert %1 to one dtype before the call', where),
  ],
  [
    'pass a jnp scalar for %1 every time, not a Python number',
    (where) => __('pass a jnp scalar for %1 every time, not a Python number', where),
  ],
  [
    'pass %1 for %2 every time, not a Python number',
    (made, where) => __('pass %1 for %2 every time, not a Python number', made, where),
  ],
  [
    'give %1 a dtype of its own: %2',
    (where, how) => __('give %1 a dtype of its own: %2', where, how),
  ],
  [
    'give %1 __eq__ and __hash__, or pass the same object every time',
    (where) => __('give %1 __eq__ and __hash__, or pass the same object every time', where),
  ],
  [
    'each value of %1 is a program of its own; pass it as an array, unless a shape or a loop needs it',
    (where) =>
      __(
        'each value of %1 is a program of its own; pass it as an array, unless a shape or a loop needs it',
        where,
      ),
  ],
  [
    'each value of %1 is a program of its own',
    (where) => __('each value of %1 is a program of its own', where),
  ],
  ['pass %1 the same way every time', (where) => __('pass %1 the same way every time', where)],
  [
    'keep the structure of %1 the same from call to call',
    (where) => __('keep the structure of %1 the same from call to call', where),
  ],
  [
    'pass an array every time, or make %1 static',
    (where) => __('pass an array every time, or make %1 static', where),
  ],
  [
    'set %1 once, before the first call',
    (where) => __('set %1 once, before the first call', where),
  ],
  [
    'put %1 on its device once, with jax.device_put, before the first call',
    (where) => __('put %1 on its device once, with jax.device_put, before the first call', where),
  ],
  ['keep %1 on one device', (where) => __('keep %1 on one device', where)],
  [
    'give %1 one sharding, with jax.device_put, before the first call',
    (where) => __('give %1 one sharding, with jax.device_put, before the first call', where),
  ],
  ['call it under one mesh', () => __('call it under one mesh')],
  [
    'define %1 once, and pass the same function every time',
    (where) => __('define %1 once, and pass the same function every time', where),
  ],
  [
    'define the function once, and pass the same one every time',
    () => __('define the function once, and pass the same one every time'),
  ],
  [
    'make the jitted function once, and keep it',
    () => __('make the jitted function once, and keep it'),
  ],
  [
    'hoist the jit out of the loop, and keep the function it made',
    () => __('hoist the jit out of the loop, and keep the function it made'),
  ],
  [
    'make the jit once: another one with other options is another program',
    () => __('make the jit once: another one with other options is another program'),
  ],
  ["do not clear JAX's caches between calls", () => __("do not clear JAX's caches between calls")],
  // jaxviz/analysis/retraces/reasons.py
  ['by position', () => __('by position')],
  ['by keyword', () => __('by keyword')],
  ['left out', () => __('left out')],
  ['no mesh', () => __('no mesh')],
  ['uncommitted', () => __('uncommitted')],
  ['committed to %1', (devices) => __('committed to %1', devices)],
  // jaxviz/capture/lowering.py, compiling.py, jaxviz/display/known.py
  ['waiting', () => __('waiting')],
  ['lowering', () => __('lowering')],
  ['reading the module', () => __('reading the module')],
  ['compiling', () => __('compiling')],
  ['compiling in another process', () => __('compiling in another process')],
  ['reading the executable', () => __('reading the executable')],
  ['reading the program', () => __('reading the program')],
  ['comparing', () => __('comparing')],
  // jaxviz/capture/structure.py
  [
    'This version of JAX does not say as others do which operands its loops carry: they are drawn without their carry.',
    () =>
      __(
        'This version of JAX does not say as others do which operands its loops carry: they are drawn without their carry.',
      ),
  ],
  // jaxviz/analysis/cost/costed.py
  [
    'Flops and bytes are those of all devices together. Optimized HLO has those of one device.',
    () =>
      __(
        'Flops and bytes are those of all devices together. Optimized HLO has those of one device.',
      ),
  ],
  // jaxviz/capture/hlo/__init__.py
  [
    'This was compiled again, with each op named after its eqn: it has the same instructions, but is not the very executable that a call runs.',
    () =>
      __(
        'This was compiled again, with each op named after its eqn: it has the same instructions, but is not the very executable that a call runs.',
      ),
  ],
  [
    'Each of %1 devices runs this: shapes and costs are those of its own part.',
    (devices) =>
      __('Each of %1 devices runs this: shapes and costs are those of its own part.', devices),
  ],
  // jaxviz/session/log.py, jaxviz/session/session.py
  [
    'With this version of NumPy programs are shown only as long as JAX holds them.',
    () => __('With this version of NumPy programs are shown only as long as JAX holds them.'),
  ],
  [
    "Calls that JAX's caches knew cannot be counted on this version of JAX.",
    () => __("Calls that JAX's caches knew cannot be counted on this version of JAX."),
  ],
  [
    "Not all calls that JAX's caches knew were counted: jax_debug_nans or jax_debug_infs was changed meanwhile, or JAX's own tests were imported, which take the same places in JAX.",
    () =>
      __(
        "Not all calls that JAX's caches knew were counted: jax_debug_nans or jax_debug_infs was changed meanwhile, or JAX's own tests were imported, which take the same places in JAX.",
      ),
  ],
  [
    'Calls of functions with effects, such as printing, are not counted: this version of JAX does not tell of them.',
    () =>
      __(
        'Calls of functions with effects, such as printing, are not counted: this version of JAX does not tell of them.',
      ),
  ],
  [
    'This version of JAX is newer than jaxviz knows: some reasons are missing, and some traces within others.',
    () =>
      __(
        'This version of JAX is newer than jaxviz knows: some reasons are missing, and some traces within others.',
      ),
  ],
  [
    "JAX's cache holds so many traces that those within others are not told apart: jax.clear_caches() empties it.",
    () =>
      __(
        "JAX's cache holds so many traces that those within others are not told apart: jax.clear_caches() empties it.",
      ),
  ],
  // jaxviz/display/fit.py
  [
    "To keep the notebook small, the program's other stages are not saved: run the cell again to see all.",
    () =>
      __(
        "To keep the notebook small, the program's other stages are not saved: run the cell again to see all.",
      ),
  ],
  [
    "To keep the notebook small, the program's text and params are not saved: run the cell again to see all.",
    () =>
      __(
        "To keep the notebook small, the program's text and params are not saved: run the cell again to see all.",
      ),
  ],
  [
    "To keep the notebook small, the program's other stages, text and params are not saved: run the cell again to see all.",
    () =>
      __(
        "To keep the notebook small, the program's other stages, text and params are not saved: run the cell again to see all.",
      ),
  ],
  [
    "To keep the notebook small, the program's text, params and nested bodies are not saved: run the cell again to see all.",
    () =>
      __(
        "To keep the notebook small, the program's text, params and nested bodies are not saved: run the cell again to see all.",
      ),
  ],
  [
    "To keep the notebook small, the program's other stages, text, params and nested bodies are not saved: run the cell again to see all.",
    () =>
      __(
        "To keep the notebook small, the program's other stages, text, params and nested bodies are not saved: run the cell again to see all.",
      ),
  ],
  [
    'To keep the notebook small, only an overview of its %1 eqns is saved: run the cell again to see all.',
    (eqns) =>
      __(
        'To keep the notebook small, only an overview of its %1 eqns is saved: run the cell again to see all.',
        eqns,
      ),
  ],
  // jaxviz/display/page_requests.py
  [
    'The kernel no longer holds what this is made from: run the cell again, and then open it.',
    () =>
      __(
        'The kernel no longer holds what this is made from: run the cell again, and then open it.',
      ),
  ],
  // jaxviz/capture/constants.py
  [
    'An array of %1 MiB (%2) that the function closed over is gone, as jaxviz keeps only %3 MiB of them: capture the call again with jaxviz.inspect(f, keep=True), or keep f and open this stage before f goes.',
    (size, type, kept) =>
      __(
        'An array of %1 MiB (%2) that the function closed over is gone, as jaxviz keeps only %3 MiB of them: capture the call again with jaxviz.inspect(f, keep=True), or keep f and open this stage before f goes.',
        size,
        type,
        kept,
      ),
  ],
  ['Stopped.', () => __('Stopped.')],
  // jaxviz/analysis/links/inserted.py
  [
    'a cast, as XLA computes in %1 here what the program has in %2',
    (wide, narrow) =>
      __('a cast, as XLA computes in %1 here what the program has in %2', wide, narrow),
  ],
  [
    'a cast, as XLA computes %1 of %2 in %3 here',
    (op, narrow, wide) => __('a cast, as XLA computes %1 of %2 in %3 here', op, narrow, wide),
  ],
  [
    'a copy into the layout that is needed next',
    () => __('a copy into the layout that is needed next'),
  ],
  [
    'a copy, so that nothing is overwritten that is still needed',
    () => __('a copy, so that nothing is overwritten that is still needed'),
  ],
  [
    "a move of values between devices, as XLA's partitioner has chosen",
    () => __("a move of values between devices, as XLA's partitioner has chosen"),
  ],
];

type Known = readonly [RegExp, Translate][];
const known = (sentences: readonly [string, Translate][]): Known =>
  sentences.map(([english, say]) => [patternOf(english), say]);
const FINAL = known(REFUSALS);
const KNOWN: Known = [...known(SENTENCES), ...known(NOTES), ...known(MENDS), ...FINAL];

/** Whether a stage that the kernel refused with this sentence is refused whenever it is asked for. */
export const isFinal = (sentence: string): boolean =>
  FINAL.some(([pattern]) => pattern.test(sentence));

function patternOf(english: string): RegExp {
  const escaped = english.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/%\d/g, '(.+?)')}$`, 's');
}

/** A sentence of the kernel in the page's language; an unknown sentence stays as it is. */
export function fromKernel(sentence: string): string {
  for (const [pattern, say] of KNOWN) {
    const found = pattern.exec(sentence);
    if (found) return say(...found.slice(1));
  }
  return sentence;
}
