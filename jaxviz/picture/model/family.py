"""What kind of work a primitive does, and so its colour. As `js/src/model/family.ts`."""

from __future__ import annotations

_NAMES = {
    "contraction": """
        dot_general conv_general_dilated ragged_dot ragged_dot_general cholesky eig eigh lu qr svd
        triangular_solve householder_product schur tridiagonal tridiagonal_solve
        custom_linear_solve fft scaled_matmul""",
    "reduction": """
        argmax argmin reduce reduce_and reduce_max reduce_min reduce_or reduce_precision
        reduce_prod reduce_sum reduce_xor reduce_window reduce_window_max reduce_window_min
        reduce_window_sum select_and_gather_add select_and_scatter select_and_scatter_add cumsum
        cumprod cummax cummin cumlogsumexp sort top_k approx_top_k""",
    "movement": """
        broadcast broadcast_in_dim concatenate copy copy_p device_put dynamic_slice
        dynamic_update_slice empty expand_dims gather iota pad reshape reshard rev scatter
        scatter-add scatter_add scatter-mul scatter_mul scatter_max scatter_min scatter_sub slice
        split squeeze stack transpose tile get swap masked_load masked_swap addupdate
        bitcast_convert_type convert_element_type""",
    "control": "cond scan while for run_state switch",
    "random": """
        random_bits random_clone random_fold_in random_gamma random_seed random_split
        random_unwrap random_wrap threefry2x32 rng_bit_generator rng_uniform""",
    "collective": """
        all_gather all_gather_invariant all_to_all axis_index pbroadcast pcast pgather pmax pmin
        ppermute psum psum2 psum_invariant psum_scatter pvary reduce_scatter ragged_all_to_all""",
    "call": """
        jit pjit core_call closed_call core_closed_call remat remat2 checkpoint custom_jvp_call
        custom_vjp_call custom_vjp_call_jaxpr custom_vmap_call custom_lin custom_transpose_call
        linear_call shard_map pallas_call xla_call named_call core_map mpmd_map""",
    "other": """
        debug_callback debug_print pure_callback io_callback ffi_call custom_call
        optimization_barrier create_token infeed outfeed""",
}

_FAMILY = {name: family for family, names in _NAMES.items() for name in names.split()}


def family_of(op: str, bodies: int) -> str:
    """What is not listed works elementwise, or is a call if it has bodies."""
    return _FAMILY.get(op, "call" if bodies else "elementwise")
