/** The kernel's sentences on errors: what failed, and why. As in `kernel-words.ts`,
 * `%1` stands for what varies. From jaxviz/capture/failure. */
import { __ } from '../language';

type Sentences = readonly [string, (...found: string[]) => string][];

export const CARDS: Sentences = [
  [
    'An array of several truth values cannot decide',
    () => __('An array of several truth values cannot decide'),
  ],
  [
    'Python wants one yes or no there, and the array has one for each of its elements.',
    () => __('Python wants one yes or no there, and the array has one for each of its elements.'),
  ],
  [
    'The shape of a result depends on a value',
    () => __('The shape of a result depends on a value'),
  ],
  [
    'While JAX traces, shapes have to be known and values are not. A size that is computed from values is known only when the program runs.',
    () =>
      __(
        'While JAX traces, shapes have to be known and values are not. A size that is computed from values is known only when the program runs.',
      ),
  ],
  [
    'A traced value cannot become a Python number',
    () => __('A traced value cannot become a Python number'),
  ],
  [
    'While JAX traces, a value has a shape and a dtype but no number yet.',
    () => __('While JAX traces, a value has a shape and a dtype but no number yet.'),
  ],
  ['A traced value cannot decide for Python', () => __('A traced value cannot decide for Python')],
  [
    'While JAX traces, a value has a shape and a dtype but is neither true nor false yet. Python has to choose now; JAX has to keep both ways.',
    () =>
      __(
        'While JAX traces, a value has a shape and a dtype but is neither true nor false yet. Python has to choose now; JAX has to keep both ways.',
      ),
  ],
  [
    'A traced value cannot be a Python integer',
    () => __('A traced value cannot be a Python integer'),
  ],
  [
    'While JAX traces, a value has a shape and a dtype but no number yet. Python needs the integer now, to count or to look something up.',
    () =>
      __(
        'While JAX traces, a value has a shape and a dtype but no number yet. Python needs the integer now, to count or to look something up.',
      ),
  ],
  [
    'A mask would decide the shape of the result',
    () => __('A mask would decide the shape of the result'),
  ],
  [
    "How many elements a mask keeps depends on its values, so the result's shape would too. While JAX traces, shapes have to be known and values are not.",
    () =>
      __(
        "How many elements a mask keeps depends on its values, so the result's shape would too. While JAX traces, shapes have to be known and values are not.",
      ),
  ],
  [
    'NumPy cannot compute with a traced value',
    () => __('NumPy cannot compute with a traced value'),
  ],
  [
    'NumPy computes at once and needs the numbers. While JAX traces there are none: a function of jax.numpy is recorded in the program instead.',
    () =>
      __(
        'NumPy computes at once and needs the numbers. While JAX traces there are none: a function of jax.numpy is recorded in the program instead.',
      ),
  ],
  ['A JAX array cannot be changed in place', () => __('A JAX array cannot be changed in place')],
  [
    'x.at[…] gives a new array with the elements changed. Within jit, XLA reuses the memory where it can.',
    () =>
      __(
        'x.at[…] gives a new array with the elements changed. Within jit, XLA reuses the memory where it can.',
      ),
  ],
  ['These arrays have other dtypes', () => __('These arrays have other dtypes')],
  [
    'Functions of jax.lax take their operands as they are. Those of jax.numpy convert them to one dtype first.',
    () =>
      __(
        'Functions of jax.lax take their operands as they are. Those of jax.numpy convert them to one dtype first.',
      ),
  ],
  ['A loop must return what it gets', () => __('A loop must return what it gets')],
  [
    'The body of a loop is traced once for all its iterations: what it returns as carry must have the structure, shapes and dtypes of what it was given.',
    () =>
      __(
        'The body of a loop is traced once for all its iterations: what it returns as carry must have the structure, shapes and dtypes of what it was given.',
      ),
  ],
  ['A condition must be one truth value', () => __('A condition must be one truth value')],
  [
    'lax.cond runs one of its branches, so one truth value has to say which.',
    () => __('lax.cond runs one of its branches, so one truth value has to say which.'),
  ],
  ['All branches must return the same types', () => __('All branches must return the same types')],
  [
    'The program goes on with whichever branch was run, so results of all of them must have the same structure, shapes and dtypes.',
    () =>
      __(
        'The program goes on with whichever branch was run, so results of all of them must have the same structure, shapes and dtypes.',
      ),
  ],
  ['A static argument cannot be hashed', () => __('A static argument cannot be hashed')],
  [
    'JAX keeps one compiled program for each value of a static argument. To find it again, the value must have a hash that never changes.',
    () =>
      __(
        'JAX keeps one compiled program for each value of a static argument. To find it again, the value must have a hash that never changes.',
      ),
  ],
  [
    'A traced value was used after its trace had ended',
    () => __('A traced value was used after its trace had ended'),
  ],
  [
    'The value was stored outside of the function while JAX traced it. It never had a number, and the trace that it belongs to is over.',
    () =>
      __(
        'The value was stored outside of the function while JAX traced it. It never had a number, and the trace that it belongs to is over.',
      ),
  ],
  ['This has no gradient', () => __('This has no gradient')],
  [
    'jax.grad gives the derivative of one real number with respect to arrays of floats.',
    () => __('jax.grad gives the derivative of one real number with respect to arrays of floats.'),
  ],
  [
    'This loop cannot be gone through backwards',
    () => __('This loop cannot be gone through backwards'),
  ],
  [
    'The backward pass needs the values of each iteration, and memory for them is set aside before the loop runs. How often this loop runs is known only then.',
    () =>
      __(
        'The backward pass needs the values of each iteration, and memory for them is set aside before the loop runs. How often this loop runs is known only then.',
      ),
  ],
  [
    'vmap cannot go through these arrays together',
    () => __('vmap cannot go through these arrays together'),
  ],
  [
    'vmap takes one slice of each array that it maps, so all of them need the same size along the mapped axis.',
    () =>
      __(
        'vmap takes one slice of each array that it maps, so all of them need the same size along the mapped axis.',
      ),
  ],
  ['A random key is not as it has to be', () => __('A random key is not as it has to be')],
  [
    'A key gives the same numbers each time, so each use needs a key of its own.',
    () => __('A key gives the same numbers each time, so each use needs a key of its own.'),
  ],
  ['This array was given away', () => __('This array was given away')],
  [
    'An argument that is donated lends its memory to the results. The old array holds nothing any more.',
    () =>
      __(
        'An argument that is donated lends its memory to the results. The old array holds nothing any more.',
      ),
  ],
  ['There is not enough memory', () => __('There is not enough memory')],
  [
    'XLA could not get as much memory as this needs at once.',
    () => __('XLA could not get as much memory as this needs at once.'),
  ],
  [
    'These arrays are not laid out over the devices alike',
    () => __('These arrays are not laid out over the devices alike'),
  ],
  [
    'What is computed together must lie on the same devices, and a mesh divides an axis into parts of one size.',
    () =>
      __(
        'What is computed together must lie on the same devices, and a mesh divides an axis into parts of one size.',
      ),
  ],
  ['A NaN was computed', () => __('A NaN was computed')],
  [
    'jax_debug_nans ends the run at the first result that is not a number.',
    () => __('jax_debug_nans ends the run at the first result that is not a number.'),
  ],
  ['JAX takes arrays and numbers alone', () => __('JAX takes arrays and numbers alone')],
  [
    'What goes into a program and what comes out of it are arrays. Anything else is fixed when the function is traced: it has to be static, or stay outside.',
    () =>
      __(
        'What goes into a program and what comes out of it are arrays. Anything else is fixed when the function is traced: it has to be static, or stay outside.',
      ),
  ],
  ['These shapes do not fit together', () => __('These shapes do not fit together')],
  [
    'JAX knows all shapes while it traces, and compares them at once.',
    () => __('JAX knows all shapes while it traces, and compares them at once.'),
  ],
  ['The function failed while JAX traced it', () => __('The function failed while JAX traced it')],
  [
    'JAX runs the function once with traced values in place of arrays, to record what it does.',
    () =>
      __(
        'JAX runs the function once with traced values in place of arrays, to record what it does.',
      ),
  ],
];
