import { __, _n } from '../../language';
import { type Table, unless, when } from './params-table';

/** Of what holds bodies, or calls something outside the program. */
export const CALLS: Table = [
  [
    'scan',
    {
      length: (value) =>
        _n('It runs its body %1 time.', 'It runs its body %1 times.', Number(value)),
      reverse: when('True', () => __('From the last slice of the inputs to the first.')),
      unroll: unless('1', () =>
        __('So many steps stand one after another in one turn of the compiled loop.'),
      ),
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
    },
  ],
  [
    'custom_vjp_call custom_vjp_call_jaxpr',
    {
      fwd_jaxpr_thunk: () => __('The forward rule, run in its place where it is differentiated.'),
      bwd: () => __('The backward rule: from what the forward rule kept to the gradients.'),
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
