import { __, _n } from '../../language';
import { type Table, unless, when } from './table';

const consts = unless('0', () =>
  __('So many of the first operands are constants of the function.'),
);

/** Of what holds bodies, or calls something outside the program. */
export const CALLS: Table = [
  [
    'scan',
    {
      length: (value) =>
        _n('It runs its body %1 time.', 'It runs its body %1 times.', Number(value)),
      reverse: when('True', () => __('From the last slice of the inputs to the first.')),
      num_consts: (value) => first(value, CONSTANT),
      num_carry: (value, of) =>
        value === '0'
          ? __('Nothing is carried from step to step.')
          : `${after(value, of('num_consts'), CARRIED)} ${__(
              'Each step takes a slice of every other one. The last carry comes first among the results.',
            )}`,
      unroll: unless('1', () =>
        __('So many steps stand one after another in one turn of the compiled loop.'),
      ),
    },
  ],
  [
    'while',
    {
      cond_nconsts: (value) => first(value, OF_CONDITION),
      body_nconsts: (value, of) => after(value, of('cond_nconsts'), CONSTANT),
    },
  ],
  [
    'cond',
    {
      branches_platforms: () => __('Which platforms each branch is for; None is for all others.'),
    },
  ],
  ['platform_index', { platforms: () => __('The platforms of each branch that it chooses.') }],
  [
    'jit pjit closed_call core_call',
    {
      name: () => __('The function that was jitted.'),
      inline: when('True', () => __('It is inlined where it is called.')),
      keep_unused: when('True', () => __('Arguments that it does not use are kept.')),
      donated_invars: () =>
        __(
          'Operands whose memory it may use for its results. Only the outermost jit of a call does so.',
        ),
      in_shardings: () => __('How the operands have to lie on the devices.'),
      out_shardings: () => __('How the results have to lie on the devices.'),
    },
  ],
  [
    'remat2 checkpoint remat',
    {
      prevent_cse: when('True', () =>
        __('XLA is kept from merging what is computed again with what was computed first.'),
      ),
      differentiated: when('True', () => __('It belongs to a derivative.')),
      policy: () => __('Says which values are kept rather than computed again.'),
    },
  ],
  [
    'custom_jvp_call',
    {
      jvp_jaxpr_fun: () => __('The rule for its derivative, used where it is differentiated.'),
      num_consts: consts,
    },
  ],
  [
    'custom_vjp_call custom_vjp_call_jaxpr',
    {
      fwd_jaxpr_thunk: () => __('The forward rule, run in its place where it is differentiated.'),
      bwd: () => __('The backward rule: from what the forward rule kept to the gradients.'),
      num_consts: consts,
    },
  ],
  [
    'custom_linear_solve',
    {
      const_lengths: () => __('How many of the first operands each of its functions closes over.'),
    },
  ],
  [
    'debug_print',
    {
      fmt: () => __('What is printed when the program runs.'),
      ordered: when('True', () => __('It is printed in the order of the program.')),
    },
  ],
  [
    'pure_callback io_callback debug_callback',
    {
      callback: () => __('The Python function that is called when the program runs.'),
      result_avals: () => __('The types that it has to return.'),
      ordered: when('True', () => __('It is called in the order of the program.')),
    },
  ],
  [
    'pallas_call',
    {
      grid_mapping: () =>
        __('How often the kernel runs (grid), and which block of each operand it then sees.'),
      interpret: when('True', () => __('It runs as ordinary JAX, not as a kernel.')),
      input_output_aliases: unless('()', () => __('Operands whose memory is that of a result.')),
      out_avals: () => __('The types of the results.'),
    },
  ],
];

/** What some of the operands of a loop are, for its first ones and for those after them. */
interface Operands {
  first: (count: number) => string;
  next: (count: number) => string;
}

const CONSTANT: Operands = {
  first: (count) =>
    _n(
      'Its first operand is the same in every step.',
      'Its first %1 operands are the same in every step.',
      count,
    ),
  next: (count) =>
    _n(
      'Its next operand is the same in every step; the others are carried from step to step.',
      'Its next %1 operands are the same in every step; the others are carried from step to step.',
      count,
    ),
};
const CARRIED: Operands = {
  first: (count) =>
    _n(
      'Its first operand is carried from step to step.',
      'Its first %1 operands are carried from step to step.',
      count,
    ),
  next: (count) =>
    _n(
      'Its next operand is carried from step to step.',
      'Its next %1 operands are carried from step to step.',
      count,
    ),
};
const OF_CONDITION: Operands = {
  first: (count) =>
    _n(
      'Its first operand is for its condition alone.',
      'Its first %1 operands are for its condition alone.',
      count,
    ),
  next: () => '',
};

const first = (value: string, say: Operands): string =>
  value === '0' ? '' : say.first(Number(value));

const after = (value: string, before: string, say: Operands): string =>
  value === '0' ? '' : before === '0' ? say.first(Number(value)) : say.next(Number(value));
