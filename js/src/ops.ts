/** Written by scripts/ops.py from jaxviz/ops: edit there. */

/** The kind of work of an operation, which decides its colour. */
export type Family = 'contraction' | 'elementwise' | 'reduction' | 'movement' | 'control' | 'call' | 'random' | 'collective' | 'other';

/** The operations of each family, by their names as JAX writes its primitives. */
export const OPS_OF_FAMILY: Record<Family, string> = {
  contraction: "dot_general ragged_dot_general scaled_dot conv_general_dilated cholesky cholesky_update eig eigh eigh_jacobi hessenberg lu qr geqrf geqp3 householder_product ormqr schur svd symmetric_product triangular_solve tridiagonal tridiagonal_solve custom_linear_solve fft scaled_matmul scaled_matmul_wrapper dot_product_attention_fwd dot_product_attention_fwd_wrapper dot_product_attention_bwd dot_product_attention_bwd_wrapper dot_product_attention_fp8_fwd dot_product_attention_fp8_fwd_wrapper dot_product_attention_fp8_bwd dot_product_attention_fp8_bwd_wrapper cudnn_fusion conv dot convolution ragged_dot dynamic_conv",
  elementwise: "abs sign neg add add_any sub mul div rem max min pow integer_pow square one_minus_square polynomial reciprocal sqrt rsqrt cbrt exp exp2 expm1 log log2 log1p logistic sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf erfc erf_inv lgamma digamma polygamma zeta igamma igammac igamma_grad_a regularized_incomplete_beta bessel_i0e bessel_i1e floor ceil round clamp nextafter reduce_precision stochastic_round is_finite eq ne lt le gt ge eq_to lt_to le_to and or xor not shift_left shift_right_logical shift_right_arithmetic population_count clz conj complex real imag mulhi select_n name stop_gradient tie ceiling compare count_leading_zeros divide is_neg_inf is_pos_inf maximum minimum multiply negate popcnt remainder round_nearest_afz round_nearest_even stochastic_convert subtract cosine exponential exponential_minus_one log_plus_one power sine is_inf next_after select map",
  reduction: "reduce_sum reduce_prod reduce_max reduce_min reduce_and reduce_or reduce_xor reduce argmax argmin cumsum cumprod cummax cummin cumlogsumexp reduce_window reduce_window_sum reduce_window_max reduce_window_min select_and_scatter select_and_scatter_add select_and_gather_add sort top_k approx_top_k masked_cumsum masked_cummax masked_cummin masked_sort unique scan_count topk",
  movement: "broadcast_in_dim reshape squeeze transpose rev concatenate stack unstack split tile pad iota slice dynamic_slice dynamic_update_slice gather scatter scatter_add scatter_sub scatter_mul scatter_min scatter_max convert_element_type bitcast_convert_type copy device_put relayout empty empty2 zeros_like to_edtype from_edtype dim_as_value dimension_size lu_pivots_to_permutation get swap addupdate accum_grad_in_ref new_ref mutable_array empty_ref free_ref freeze broadcast_to masked_load masked_swap with_memory_space_constraint program_id num_programs roll repeat pack unpack broadcast dynamic_broadcast_in_dim dynamic_iota dynamic_pad dynamic_reshape get_dimension_size reverse set_dimension_size convert dynamic_gather real_dynamic_slice bitcast_convert bitcast get_tuple_element tuple constant copy_done",
  control: "scan while for cond platform_index run_state case conditional if",
  call: "jit pjit closed_call call eval_jaxpr jaxpr_call remat2 remat_opt custom_jvp_call custom_jvp_call_jaxpr custom_vjp_call custom_lin custom_vmap_call custom_transpose_call linear_call custom_partitioning composite shard_map xla_pmap xla_metadata_call program_order call_exported call_hi_primitive call_hi_primitive_linearized pallas_call run_scoped core_map mpmd_map async manual_computation fusion async_done async_update",
  random: "random_bits random_split random_fold_in random_seed random_wrap random_unwrap random_clone random_gamma rng_uniform rng_bit_generator threefry2x32 threefry4x32 philox2x32 philox4x32 iota_2x32_shape rng rng_get_and_update_state",
  collective: "psum psum_invariant pmax pmin unreduced_psum unreduced_pmax unreduced_pmin reduce_scatter unreduced_reduce_scatter all_gather all_gather_invariant all_gather_reduced all_to_all ragged_all_to_all ppermute pbroadcast pbroadcast_dynamic pgather psend precv axis_index psum_start psum_invariant_start unreduced_psum_start psum_done reduce_scatter_start unreduced_reduce_scatter_start reduce_scatter_done all_gather_start all_gather_reduced_start all_gather_done all_to_all_start all_to_all_done ppermute_start ppermute_done pbroadcast_start pbroadcast_done pvary preduced reduced_vary_cast reduced_vary_cast_p vary_unreduced_cast vary_unreduced_cast_p sharding_constraint reshard mesh_cast full_to_shard shard_to_full host_local_array_to_global_array global_array_to_host_local_array all_reduce collective_broadcast collective_permute partition_id replica_id all_reduce_done collective_permute_done send_done recv_done propagation_barrier sharding_group all_slice recv send sharded_to_unreduced",
  other: "pin unpin create_linear new_box box_get box_set new_log log_extend log_read multiple_of get_global semaphore_read semaphore_signal semaphore_wait delay pure_callback io_callback debug_callback debug_print buffer_callback ffi_call tpu_custom_call infeed outfeed after_all create_token dce_sink optimization_barrier check shape_assertion inspect_sharding layout_constraint add_dependency xla_metadata_value stage unreachable bias_fwd bias_bwd custom_call domain mesh opt_barrier parameter return",
};

/** Operations by the use of their bodies: they run each once, run them repeatedly, run
 * one of them, or apply one to their elements. */
export const OPS_OF_BODIES = {
  called: "custom_linear_solve run_state jit pjit closed_call call eval_jaxpr jaxpr_call remat2 remat_opt custom_jvp_call custom_vjp_call custom_vmap_call linear_call custom_partitioning composite shard_map xla_metadata_call program_order run_scoped async manual_computation",
  looped: "scan while",
  chosen: "cond case conditional if",
  applied: "reduce reduce_window select_and_scatter sort scatter reduce_scatter map all_reduce",
};

/** Nothing is done when they run: they name, or hold together, what is there. */
export const IDLE = "bitcast get_tuple_element tuple constant";

/** Calls, loops and choices that show only the name of a function. */
export const TITLED = "scan while cond jit pjit closed_call call custom_jvp_call custom_jvp_call_jaxpr custom_vjp_call custom_vmap_call linear_call composite";

/** Their results are their operands by another name, and live as long. */
export const ALIASES = "optimization_barrier bitcast get_tuple_element tuple";

/** Names of operands; the one before `…` is that of all further ones. */
export const OPERANDS: Record<string, string> = {
  clamp: "min operand max",
  select_n: "which case …",
  dot_general: "lhs rhs",
  conv_general_dilated: "lhs rhs",
  pad: "operand padding",
  dynamic_slice: "operand start …",
  dynamic_update_slice: "operand update start …",
  gather: "operand indices",
  scatter: "operand indices updates",
  scatter_add: "operand indices updates",
  scatter_sub: "operand indices updates",
  scatter_mul: "operand indices updates",
  scatter_min: "operand indices updates",
  scatter_max: "operand indices updates",
};

/** Targets of custom calls: a pattern for the beginning of their names. */
export const TARGETS: readonly (readonly [RegExp, Family])[] = [
  [/^(?:Sharding$|SPMDFullToShardShape$|SPMDShardToFullShape$)/, 'collective'],
  [/^(?:xla\.sdy\.(?:FuncResultSharding|GlobalToLocalShape|LocalToGlobalShape)$|tmp_global_to_local_shape$)/, 'collective'],
  [/^(?:(?:cu|hip)_threefry2x32(?:_ffi)?$)/, 'random'],
  [/^(?:(?:(?:__gpu\$|Approx)?TopK|(?:mhlo\.)?topk|PartialReduce)$)/, 'reduction'],
  [/^(?:(?:__cub\$DeviceRadixSort|xla\.gpu\.ext\.cub_sort))/, 'reduction'],
  [/^(?:(?:cu|hip)_lu_pivots_to_permutation)/, 'movement'],
  [/^(?:__cudnn\$conv)/, 'contraction'],
  [/^(?:__(?:cu|hip)blas\$triangularSolve)/, 'contraction'],
  [/^(?:(?:cu|hip)sparse_gtsv2)/, 'contraction'],
  [/^(?:__(?:cublas|onednn|triton)\$\w*\$?(?:gemm|matmul))/, 'contraction'],
  [/^(?:__(?:cublas|cudnn|onednn|hipblas|miopen)\$)/, 'contraction'],
  [/^(?:(?:lapack|blas|cusolver|hipsolver|cublas|hipblas)_)/, 'contraction'],
  [/^(?:(?:dynamic_)?ducc_fft|cufft|hipfft)/, 'contraction'],
  [/^(?:(?:AllocateBuffer|annotate_device_placement|LayoutConstraint|Pin|Unpin)$)/, 'other'],
];

/** Prefixes of ops in StableHLO. */
export const DIALECTS = /^(?:stablehlo|chlo|mhlo|func|sdy)\./;
/** The suffix in the name of an instruction that XLA split. */
export const PART = /-(?:start|update|done)$/;
