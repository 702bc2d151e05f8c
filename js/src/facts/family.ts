import { __ } from '../language';
import type { Eqn, Graph, Stage } from '../schema';

/** Op families: what kind of work a primitive does, and so its colour. */
export type Family =
  | 'elementwise'
  | 'contraction'
  | 'reduction'
  | 'movement'
  | 'control'
  | 'random'
  | 'collective'
  | 'call'
  | 'other';

/** All families, in the order of the legend. */
export const FAMILIES: readonly { family: Family; label: () => string; about: () => string }[] = [
  {
    family: 'contraction',
    label: () => __('contraction'),
    about: () => __('Matrix products, convolutions, factorizations'),
  },
  {
    family: 'elementwise',
    label: () => __('elementwise'),
    about: () => __('Each element by itself'),
  },
  {
    family: 'reduction',
    label: () => __('reduction'),
    about: () => __('Sums, maxima, sorts: many elements to few'),
  },
  {
    family: 'movement',
    label: () => __('movement'),
    about: () => __('Reshapes, slices, gathers, casts: no arithmetic'),
  },
  { family: 'control', label: () => __('control'), about: () => __('Loops and branches') },
  {
    family: 'call',
    label: () => __('call'),
    about: () => __('Functions called: jit, remat, custom derivatives'),
  },
  { family: 'random', label: () => __('random'), about: () => __('Random bits and keys') },
  { family: 'collective', label: () => __('collective'), about: () => __('Between devices') },
  {
    family: 'other',
    label: () => __('other'),
    about: () => __('Callbacks, effects, and what jaxviz does not know'),
  },
];

/** By primitives of JAX, operations of StableHLO and instructions of HLO, as `plainName` has them. */
const NAMES: Record<Family, string> = {
  elementwise:
    'abs acos acosh add add_any and asin asinh atan atan2 atanh bessel_i0e bessel_i1e cbrt ceil ceiling clamp clz compare complex conj cos cosh cosine count_leading_zeros digamma div divide eq eq_to erf erf_inv erfc exp exp2 expm1 exponential exponential_minus_one floor ge gt igamma igamma_grad_a igammac imag integer_pow is_finite is_inf is_neg_inf is_pos_inf le le_to lgamma log log1p log2 log_plus_one logistic lt lt_to map max maximum min minimum mul mulhi multiply name ne neg negate next_after nextafter not one_minus_square or polygamma polynomial popcnt population_count pow power real reciprocal reduce_precision regularized_incomplete_beta rem remainder round round_nearest_afz round_nearest_even rsqrt select select_n shift_left shift_right_arithmetic shift_right_logical sign sin sine sinh sqrt square stochastic_convert stochastic_round stop_gradient sub subtract tan tanh tie xor zeta',
  contraction:
    'dot_general dot conv_general_dilated convolution dynamic_conv ragged_dot ragged_dot_general scaled_dot cholesky eig eigh lu qr svd triangular_solve householder_product schur tridiagonal tridiagonal_solve custom_linear_solve fft scaled_matmul geqp3 geqrf hessenberg ormqr cholesky_update symmetric_product conv dot_product_attention_fwd dot_product_attention_bwd dot_product_attention_fwd_wrapper dot_product_attention_bwd_wrapper scaled_matmul_wrapper',
  reduction:
    'argmax argmin reduce reduce_and reduce_max reduce_min reduce_or reduce_prod reduce_sum reduce_xor reduce_window reduce_window_max reduce_window_min reduce_window_sum select_and_gather_add select_and_scatter select_and_scatter_add cumsum cumprod cummax cummin cumlogsumexp sort top_k topk approx_top_k unique scan_count masked_cumsum masked_cummax masked_cummin masked_sort',
  movement:
    'bitcast bitcast_convert bitcast_convert_type broadcast broadcast_in_dim concatenate constant convert convert_element_type copy copy_p device_put dynamic_broadcast_in_dim dynamic_gather dynamic_iota dynamic_pad dynamic_reshape dynamic_slice dynamic_update_slice empty expand_dims gather get_dimension_size get_tuple_element iota pad real_dynamic_slice reshape reshard rev reverse scatter scatter_add scatter_mul scatter_max scatter_min scatter_sub set_dimension_size slice split squeeze stack transpose tile tuple get swap masked_load masked_swap addupdate broadcast_to dim_as_value dimension_size empty2 empty_ref free_ref freeze from_edtype full new_ref mutable_array num_programs program_id lu_pivots_to_permutation accum_grad_in_ref pack relayout repeat roll to_edtype unpack unstack with_memory_space_constraint zeros_like',
  control: 'case cond conditional for if run_state scan switch while platform_index',
  random:
    'random_bits random_clone random_fold_in random_gamma random_seed random_split random_unwrap random_wrap rng rng_bit_generator rng_get_and_update_state rng_uniform threefry2x32 iota_2x32_shape philox2x32 philox4x32 threefry4x32',
  collective:
    'all_gather all_gather_invariant all_reduce all_slice all_to_all axis_index collective_broadcast collective_permute partition_id pbroadcast pcast pgather pmax pmin ppermute propagation_barrier psum psum2 psum_invariant psum_scatter pvary ragged_all_to_all recv reduce_scatter replica_id send sharded_to_unreduced sharding_constraint sharding_group all_gather_reduced mesh_cast pbroadcast_dynamic preduced psend precv reduced_vary_cast reduced_vary_cast_p unreduced_pmax unreduced_pmin unreduced_psum unreduced_reduce_scatter vary_unreduced_cast vary_unreduced_cast_p xla_pvary',
  call: 'jit pjit async call composite core_call closed_call core_closed_call remat remat2 checkpoint custom_jvp_call custom_vjp_call custom_vjp_call_jaxpr custom_vmap_call custom_lin custom_transpose_call fusion linear_call manual_computation shard_map pallas_call xla_call named_call core_map mpmd_map call_exported call_hi_primitive custom_jvp_call_jaxpr custom_partitioning eval_jaxpr jaxpr_call program_order remat_opt run_scoped xla_metadata_call xla_pmap',
  other:
    'add_dependency after_all debug_callback debug_print domain pure_callback io_callback ffi_call custom_call optimization_barrier create_token infeed outfeed buffer_callback check dce_sink inspect_sharding layout_constraint shape_assertion tpu_custom_call',
};

const FAMILY = new Map<string, Family>(
  Object.entries(NAMES).flatMap(([family, names]) =>
    names.split(' ').map((name): [string, Family] => [name, family as Family]),
  ),
);

/** What custom calls work, by their target. */
const TARGETS: readonly [RegExp, Family][] = [
  [/shard|spmd/i, 'collective'],
  [/threefry|rng|random/i, 'random'],
  [/topk|sort/i, 'reduction'],
  [/gemm|matmul|dot|conv|cublas|cudnn|dnn|lapack|blas|solver|fft/i, 'contraction'],
];

/** A name as JAX writes its primitives, of any stage: `dot_general` of `stablehlo.dot_general`,
 * `all_reduce` of `all-reduce` and of `all-reduce-start`, whose end is `all-reduce-done`. */
export const plainName = (op: string): string =>
  op
    .replace(/^(?:stablehlo|chlo|mhlo|func|sdy)\./, '')
    .replace(/-(?:start|update|done)$/, '')
    .replaceAll('-', '_');

/** The family of a primitive; what is not listed is a call if it has bodies, else any other. */
export function familyOf(op: string, bodies: number, name = ''): Family {
  const plain = plainName(op);
  const target = plain === 'custom_call' ? TARGETS.find(([names]) => names.test(name)) : undefined;
  return target?.[1] ?? FAMILY.get(plain) ?? (bodies > 0 ? 'call' : 'other');
}

/** What a fusion is, of all that it holds: the first of these. */
const HEAVIEST: readonly Family[] = [
  'contraction',
  'collective',
  'reduction',
  'control',
  'random',
  'other',
  'elementwise',
  'movement',
];

const fused = new WeakMap<Graph, Family>();

/** The family of an eqn; a fusion has that of the heaviest of what it was fused from. */
export function familyIn(stage: Stage, { op, name, bodies }: Eqn): Family {
  const body = op === 'fusion' ? stage.graphs[bodies[0]?.graph ?? -1] : undefined;
  if (!body) return familyOf(op, bodies.length, name);
  const known = fused.get(body);
  if (known) return known;
  const held = new Set(body.eqns.map((one) => familyOf(one.op, one.bodies.length, one.name)));
  const family = HEAVIEST.find((one) => held.has(one)) ?? 'call';
  fused.set(body, family);
  return family;
}
