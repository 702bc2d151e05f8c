/** What the params of JAX's primitives mean, after the documentation of `jax.lax`. */

/** A sentence, or what makes one of a param's value; empty where that says nothing. */
type About = string | ((value: string, of: (param: string) => string) => string);

const TABLE: [primitives: string, params: Record<string, About>][] = [
  [
    'dot_general',
    {
      dimension_numbers: dotDimensions,
      preferred_element_type: 'The dtype of the result; products are to be summed in it as well.',
      precision: 'How exact products are to be where the device has faster, less exact ones.',
      out_sharding: 'How the result lies on the devices.',
    },
  ],
  [
    'broadcast_in_dim',
    {
      broadcast_dimensions: broadcast,
      shape: 'The shape of the result.',
    },
  ],
  [
    'reshape',
    { new_sizes: 'The shape of the result: the same elements, in the same row-major order.' },
  ],
  ['transpose', { permutation }],
  ['squeeze', { dimensions: (value) => gone(value, 'of size 1') }],
  ['rev', { dimensions: (value) => along(value, 'Turns the order around along') }],
  ['concatenate', { dimension: (value) => along(value, 'Joins the operands along') }],
  [
    'split',
    {
      sizes: 'The sizes of the results along the axis.',
      axis: (value) => along(value, 'Cuts along'),
    },
  ],
  [
    'iota',
    {
      dimension: (value) => along(value, 'Counts 0, 1, 2 … along'),
      dtype: 'The dtype of the result.',
      shape: 'The shape of the result.',
    },
  ],
  [
    'pad',
    {
      padding_config:
        'For each dimension what is put before, behind and between its elements; negative numbers take away.',
    },
  ],
  [
    'slice',
    {
      start_indices: 'Where the slice begins in each dimension.',
      limit_indices: 'Where the slice ends in each dimension; that element is not part of it.',
      strides: 'In each dimension one element of so many is taken.',
    },
  ],
  [
    'dynamic_slice',
    {
      slice_sizes:
        'The shape of the slice. Where it begins is known when it runs; a slice that would end outside is moved inside.',
    },
  ],
  [
    'gather',
    {
      dimension_numbers:
        'An index chooses along start_index_map; of what is taken there, collapsed_slice_dims are left out and the others become offset_dims of the result.',
      slice_sizes: 'The shape of what is taken at each index.',
      mode: (value) => outOfBounds(value, 'gives the fill value'),
      indices_are_sorted: promise('the indices are sorted'),
      unique_indices: promise('no index comes twice'),
      fill_value: 'What an index out of bounds gives.',
    },
  ],
  [
    'scatter scatter-add scatter_add scatter_mul scatter_min scatter_max scatter_sub scatter-mul scatter-min scatter-max scatter-sub',
    {
      dimension_numbers:
        'An index chooses along scatter_dims_to_operand_dims; update_window_dims of the updates are laid over the other dimensions there.',
      mode: (value) => outOfBounds(value, 'is left out'),
      indices_are_sorted: promise('the indices are sorted'),
      unique_indices: promise('no index comes twice'),
    },
  ],
  [
    'reduce_sum reduce_prod reduce_max reduce_min reduce_and reduce_or reduce_xor',
    { axes: reduced },
  ],
  ['reduce', { dimensions: reduced, computation: 'What joins two elements.' }],
  [
    'argmax argmin',
    { axes: reduced, index_dtype: 'The dtype of the indices that are the result.' },
  ],
  [
    'cumsum cumprod cummax cummin cumlogsumexp',
    {
      axis: (value) => along(value, 'Each element of the result is of all elements up to it along'),
      reverse: when('True', 'From the last element to the first.'),
    },
  ],
  [
    'sort',
    {
      dimension: (value) => along(value, 'Sorts along'),
      num_keys: (value) =>
        `Sorts by ${value === '1' ? 'its first operand' : `its first ${value} operands`}; others are put in the same order.`,
      is_stable: when('True', 'Equal elements keep their order.'),
    },
  ],
  [
    'top_k',
    {
      k: 'How many of the largest elements are found.',
      axis: (value) => along(value, 'Looks along'),
    },
  ],
  [
    'convert_element_type',
    {
      new_dtype: 'The dtype of the result.',
      weak_type: when('True', 'The result is weakly typed: it adopts the dtype of what it meets.'),
    },
  ],
  ['bitcast_convert_type', { new_dtype: 'The dtype that the same bits are read as.' }],
  [
    'reduce_precision',
    {
      exponent_bits: 'Rounds as if floats had an exponent of so many bits.',
      mantissa_bits: 'Rounds as if floats had a mantissa of so many bits.',
    },
  ],
  ['integer_pow', { y: 'The exponent: a Python integer, known when it was traced.' }],
  [
    'conv_general_dilated',
    {
      dimension_numbers:
        'Which dimensions are batch, feature and space (lhs_spec, out_spec), and output feature, input feature and space (rhs_spec).',
      window_strides: 'How far the window moves from one result to the next, in each direction.',
      padding: 'What is put before and behind lhs, in each direction.',
      lhs_dilation: 'One more than the zeros between elements of lhs, in each direction.',
      rhs_dilation: 'One more than the zeros between elements of the window, in each direction.',
      feature_group_count: unless('1', 'Features are convolved in so many groups of their own.'),
      batch_group_count: unless('1', 'The batch is convolved in so many groups of its own.'),
      precision: 'How exact products are to be where the device has faster, less exact ones.',
      preferred_element_type: 'The dtype of the result; products are to be summed in it as well.',
    },
  ],
  [
    'scan',
    {
      length: (value) => `It runs its body ${counted(value, 'time')}.`,
      reverse: when('True', 'From the last slice of the inputs to the first.'),
      num_consts: (value) => (value === '0' ? '' : `${first(value)} the same in every step.`),
      num_carry: (value, of) =>
        value === '0'
          ? 'Nothing is carried from step to step.'
          : `${after(value, of('num_consts'))} carried from step to step; each step takes a slice of every other one. The last carry comes first among the results.`,
      unroll: unless(
        '1',
        'So many steps stand one after another in one turn of the compiled loop.',
      ),
    },
  ],
  [
    'while',
    {
      cond_nconsts: (value) => (value === '0' ? '' : `${first(value)} for its condition alone.`),
      body_nconsts: (value, of) =>
        value === '0'
          ? ''
          : `${after(value, of('cond_nconsts'))} the same in every step; the others are carried from step to step.`,
    },
  ],
  [
    'jit pjit',
    {
      name: 'The function that was jitted.',
      inline: when('True', 'It is inlined where it is called.'),
      keep_unused: when('True', 'Arguments that it does not use are kept.'),
      donated_invars: 'Operands whose memory it may use for its results.',
      in_shardings: 'How the operands have to lie on the devices.',
      out_shardings: 'How the results have to lie on the devices.',
    },
  ],
  [
    'remat2 checkpoint remat',
    {
      prevent_cse: when(
        'True',
        'XLA is kept from merging what is computed again with what was computed first.',
      ),
      differentiated: when('True', 'It belongs to a derivative.'),
      policy: 'Says which values are kept rather than computed again.',
    },
  ],
  [
    'custom_jvp_call',
    {
      jvp_jaxpr_fun: 'The rule for its derivative, used where it is differentiated.',
      num_consts: unless('0', 'So many of the first operands are constants of the function.'),
    },
  ],
  [
    'custom_vjp_call',
    {
      fwd_jaxpr_thunk: 'The forward rule, run in its place where it is differentiated.',
      bwd: 'The backward rule: from what the forward rule kept to the gradients.',
      num_consts: unless('0', 'So many of the first operands are constants of the function.'),
    },
  ],
  [
    'psum psum2 psum_invariant pmax pmin',
    { axes: 'The named axes, of the mesh or of a map, that it reduces over.' },
  ],
  [
    'all_gather all_to_all ppermute axis_index reduce_scatter',
    {
      axis_name: 'The named axis, of the mesh or of a map, along which devices exchange values.',
      perm: 'Pairs of devices: from which, to which.',
      axis_size: 'How many there are along the axis.',
    },
  ],
  [
    'shard_map',
    {
      mesh: 'The devices, by named axes.',
      in_specs: 'For each operand, the axis of the mesh that each dimension is split over.',
      out_specs: 'For each result, the axis of the mesh that each dimension is put together from.',
      check_vma: when('True', 'JAX checks which values differ between devices.'),
    },
  ],
  [
    'random_bits',
    { bit_width: 'Bits of each random number.', shape: 'For each key, numbers of this shape.' },
  ],
  ['random_split', { shape: 'From each key, new keys in this shape.' }],
  ['random_seed random_wrap', { impl: 'The random number generator.' }],
  [
    'debug_print',
    {
      fmt: 'What is printed each time the program runs.',
      ordered: when('True', 'It is printed in the order of the program.'),
    },
  ],
  [
    'pure_callback io_callback debug_callback',
    {
      callback: 'The Python function that is called each time the program runs.',
      result_avals: 'The types that it has to return.',
      ordered: when('True', 'It is called in the order of the program.'),
    },
  ],
  [
    'pallas_call',
    {
      grid_mapping:
        'How often the kernel runs (grid), and which block of each operand it then sees.',
      interpret: when('True', 'It runs as ordinary JAX, not as a kernel.'),
      input_output_aliases: unless('()', 'Operands whose memory is that of a result.'),
      out_avals: 'The types of the results.',
    },
  ],
];

function entriesOf([primitives, params]: (typeof TABLE)[number]): [string, About][] {
  return primitives
    .split(' ')
    .flatMap((op) =>
      Object.entries(params).map(([name, about]): [string, About] => [`${op}.${name}`, about]),
    );
}

/** By `primitive.param`. */
export const PARAMS: ReadonlyMap<string, About> = new Map(TABLE.flatMap(entriesOf));

/** `1`, `(0, 1)`, `[2]`: null where there is more to it. */
function numbersIn(value: string): number[] | null {
  if (!/^[([]?[\d, ]*[)\]]?$/.test(value)) return null;
  return (value.match(/\d+/g) ?? []).map(Number);
}

const are = (value: string): string => (value === '1' ? 'is' : 'are');

const first = (value: string): string =>
  value === '1' ? 'Its first operand is' : `Its first ${value} operands are`;

const after = (value: string, others: string): string =>
  others === '0' ? first(value) : `Its next ${counted(value, 'operand')} ${are(value)}`;

const counted = (value: string, one: string): string =>
  `${value} ${one}${value === '1' ? '' : 's'}`;

function listed(numbers: readonly number[]): string {
  const last = numbers.at(-1);
  return numbers.length < 2 ? `${last}` : `${numbers.slice(0, -1).join(', ')} and ${last}`;
}

const dimensions = (numbers: readonly number[]): string =>
  `dimension${numbers.length === 1 ? '' : 's'} ${listed(numbers)}`;

function along(value: string, does: string): string {
  const numbers = numbersIn(value);
  return numbers && numbers.length > 0 ? `${does} ${dimensions(numbers)}.` : '';
}

function gone(value: string, which: string): string {
  const numbers = numbersIn(value);
  if (!numbers || numbers.length === 0) return '';
  return `The result no longer has ${dimensions(numbers)} ${which}.`;
}

function reduced(value: string): string {
  const numbers = numbersIn(value);
  if (!numbers || numbers.length === 0) return '';
  return `Goes over ${dimensions(numbers)}, which the result no longer has.`;
}

function permutation(value: string): string {
  const numbers = numbersIn(value);
  if (!numbers || numbers.length === 0) return '';
  return `The result's dimensions are the operand's ${listed(numbers)}, in this order.`;
}

function broadcast(value: string): string {
  const numbers = numbersIn(value);
  if (!numbers) return '';
  if (numbers.length === 0) return 'A scalar is repeated in all dimensions.';
  const rest = 'it is repeated along the others, and where its size is 1.';
  return numbers.length === 1
    ? `The operand's dimension is ${dimensions(numbers)} of the result; ${rest}`
    : `The operand's dimensions, in order, are ${dimensions(numbers)} of the result; ${rest}`;
}

function dotDimensions(value: string): string {
  const match = /^\(\((.*?\)|.*?\]), (.*?[)\]])\), \((.*?[)\]]), (.*?[)\]])\)\)$/.exec(value);
  const [left, right, batch, other] = (match?.slice(1) ?? []).map(numbersIn);
  if (!left || !right || !batch || !other) return '';
  const sums =
    left.length === 0
      ? 'Nothing is summed over.'
      : `Sums products along ${dimensions(left)} of lhs and ${listed(right)} of rhs.`;
  if (batch.length === 0) return sums;
  return `${sums} Does so for each index of ${dimensions(batch)} of lhs and ${listed(other)} of rhs (batch).`;
}

function outOfBounds(value: string, drops: string): string {
  if (value === 'FILL_OR_DROP') return `An index out of bounds ${drops}.`;
  if (value === 'CLIP') return 'An index out of bounds is moved to the nearest within.';
  return value === 'PROMISE_IN_BOUNDS' ? 'It is promised that no index is out of bounds.' : '';
}

function promise(what: string): About {
  return when('True', `It is promised that ${what}.`);
}

function when(one: string, said: string): About {
  return (value) => (value === one ? said : '');
}

function unless(one: string, said: string): About {
  return (value) => (value === one ? '' : said);
}
