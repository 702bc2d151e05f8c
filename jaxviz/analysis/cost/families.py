"""Which ops do what: names of primitives, of StableHLO ops and of HLO opcodes, `-` written `_`."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CALLS = words(
    """
    async call case checkpoint closed_call composite cond conditional core_call
    custom_jvp_call custom_linear_solve custom_partitioning custom_vjp_call
    custom_vjp_call_jaxpr custom_vmap_call eval_jaxpr if jaxpr_call jit linear_call
    manual_computation pjit program_order remat remat2 remat_opt run_scoped run_state scan
    shard_map while xla_metadata_call
    """
)
"""They run their bodies, and do nothing else."""

LOOPS = words("scan while")
"""They run them over and over."""

CHOICES = words("case cond conditional if")
"""Of these they run one of their bodies."""

ELEMENTWISE = words(
    """
    abs acos acosh add add_any and asin asinh atan atan2 atanh bessel_i0e bessel_i1e cbrt ceil
    ceiling clamp clz compare conj cos cosh cosine count_leading_zeros digamma div divide eq
    eq_to erf erf_inv erfc exp exp2 expm1 exponential exponential_minus_one floor ge gt igamma
    igamma_grad_a igammac is_finite is_inf is_neg_inf is_pos_inf le le_to lgamma log log1p log2
    log_plus_one logistic lt lt_to max maximum min minimum mul multiply ne neg negate next_after
    nextafter not or polygamma popcnt population_count pow power reciprocal reduce_precision
    regularized_incomplete_beta rem remainder round round_nearest_afz round_nearest_even rsqrt
    shift_left shift_right_arithmetic shift_right_logical sign sin sine sinh sqrt square
    stochastic_convert sub subtract tan tanh xor zeta
    """
)
"""One operation an element."""

MOVES = words(
    """
    all_gather all_gather_invariant all_gather_reduced all_to_all approx_top_k argmax argmin
    axis_index bitcast bitcast_convert bitcast_convert_type broadcast broadcast_in_dim
    broadcast_to collective_broadcast collective_permute complex concatenate convert
    convert_element_type copy copy_p device_put dim_as_value dimension_size
    dynamic_broadcast_in_dim dynamic_gather dynamic_iota dynamic_pad dynamic_reshape
    dynamic_slice dynamic_update_slice empty empty2 empty_ref expand_dims free_ref freeze
    from_edtype full gather get get_dimension_size imag iota iota_2x32_shape
    lu_pivots_to_permutation masked_load masked_swap mulhi mutable_array new_ref
    num_programs pad partition_id pbroadcast pbroadcast_dynamic philox2x32 philox4x32
    platform_index ppermute program_id ragged_all_to_all relayout random_bits random_clone
    random_fold_in random_seed random_split random_unwrap random_wrap real replica_id
    reshape rev reverse rng_bit_generator rng_get_and_update_state select select_n
    set_dimension_size slice sort split squeeze stack swap threefry2x32 threefry4x32 tile
    to_edtype top_k transpose unstack with_memory_space_constraint zeros_like
    """
)
"""No arithmetic on floating-point numbers: values are moved, chosen, converted; integers made."""

FREE = words(
    """
    add_dependency after_all all_gather_done all_reduce_done assert_op async_done
    async_update bitcast check checkpoint_name collective_permute_done constant copy_done
    create_token dce_sink debug_callback debug_print domain expect get_global
    get_tuple_element inspect_sharding layout_constraint mesh mesh_cast multiple_of name
    opt_barrier optimization_barrier parameter pcast pin preduced propagation_barrier pvary
    recv_done reduced_vary_cast reduced_vary_cast_p reshard return send_done shape_assertion
    sharding_constraint sharding_group stop_gradient tie token tuple unpin
    vary_unreduced_cast vary_unreduced_cast_p xla_pvary
    """
)
"""Nothing at run time, or counted elsewhere: names, hints, the end of what has begun."""

RESHAPES = words("reshape squeeze expand_dims bitcast_convert bitcast_convert_type")
"""The same bytes under another type; an instruction of optimized HLO that is left does copy."""

SCATTERS = words(
    "scatter scatter_add scatter_sub scatter_mul scatter_min scatter_max scatter_apply"
)
