"""Which ops do what: names of primitives, of StableHLO ops and of HLO opcodes, `-` written `_`."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CALLS = words("""
    jit pjit closed_call core_call remat remat2 checkpoint custom_jvp_call custom_vjp_call
    custom_vjp_call_jaxpr custom_vmap_call custom_lin custom_linear_solve linear_call run_state
    run_scoped shard_map scan while cond case if call composite manual_computation
    conditional async_start custom_jvp_call_jaxpr fused_call fori_loop
    """)
"""They run their bodies, and do nothing else."""

CHOICES = words("cond case if conditional")
"""Of these they run one of their bodies."""

ELEMENTWISE = words("""
    abs acos acosh add add_any and asin asinh atan atan2 atanh bessel_i0e bessel_i1e cbrt ceil
    ceiling clamp clz compare conj cos cosh cosine count_leading_zeros digamma div divide eq eq_to
    erf erf_inv erfc exp exp2 exponential exponential_minus_one expm1 floor ge gt igamma
    igamma_grad_a igammac is_finite is_inf is_neg_inf is_pos_inf le le_to lgamma log log1p
    log_plus_one logistic lt lt_to max maximum min minimum mul multiply ne neg negate nextafter
    next_after not or polygamma population_count popcnt pow power reduce_precision
    regularized_incomplete_beta rem remainder round round_nearest_afz round_nearest_even rsqrt
    shift_left
    shift_right_arithmetic shift_right_logical sign sin sine sinh sqrt square sub subtract tan
    tanh xor zeta bessel_i1e stochastic_convert
    """)
"""One operation an element."""

MOVES = words("""
    all_gather all_to_all all_gather_invariant bitcast bitcast_convert bitcast_convert_type
    broadcast broadcast_in_dim collective_broadcast collective_permute complex concatenate convert
    convert_element_type copy copy_p copy_start device_put dynamic_broadcast_in_dim dynamic_gather
    dynamic_iota dynamic_pad dynamic_reshape dynamic_slice dynamic_update_slice empty empty2
    expand_dims full gather get imag iota pad pbroadcast ppermute real reshape rev reverse
    rng_bit_generator select select_n slice sort split squeeze swap top_k approx_top_k
    transpose unop_choose argmax argmin random_bits random_clone random_fold_in random_seed
    random_split random_unwrap random_wrap threefry2x32 iota_32x2_shape partition_id replica_id
    axis_index lu_pivots_to_permutation get_dimension_size set_dimension_size tile
    ragged_all_to_all rng_get_and_update_state
    """)
"""No arithmetic on floating-point numbers: values are moved, chosen, converted; integers made."""

FREE = words("""
    add_dependency after_all bitcast checkpoint_name constant copy_done create_token
    debug_callback debug_print domain get_tuple_element layout_constraint mesh_cast name
    opt_barrier optimization_barrier parameter pcast pvary reduced_vary_cast reshard
    sharding_constraint stop_gradient token tuple all_gather_done all_reduce_done async_done
    async_update collective_permute_done send_done recv_done return mesh sharding_group
    propagation_barrier assert_op expect get_global xla_pvary
    """)
"""Nothing at run time, or counted elsewhere: names, hints, the end of what has begun."""

RESHAPES = words("reshape squeeze expand_dims bitcast_convert bitcast_convert_type")
"""The same bytes under another type; an instruction of optimized HLO that is left does copy."""

SCATTERS = words(
    "scatter scatter_add scatter_sub scatter_mul scatter_min scatter_max scatter_apply"
)
