"""Ops of StableHLO and Shardy, and instructions of HLO, that have no primitive of the same name.

An op with the name of a primitive (`add`, `while`) has the row of the primitive. XLA splits some
instructions into two or three. The first, such as `all-reduce-start`, has the row of the whole,
since its work is counted there. The others have rows below.
"""

from __future__ import annotations

from functools import partial

from jaxviz.ops.row import NO_PRIMITIVE, Bodies, Family, Op


def _ops(
    names: str,
    family: Family = "other",
    cost: str = "",
    bodies: Bodies = "",
    *,
    idle: bool = False,
    alias: bool = False,
) -> tuple[Op, ...]:
    """A row for each name."""
    row = partial(Op, does="", family=family, cost=cost, bodies=bodies, since=NO_PRIMITIVE)
    return tuple(row(name, idle=idle, alias=alias) for name in names.split())


OPS = (
    *_ops(
        """
        ceiling compare count_leading_zeros divide is_neg_inf is_pos_inf maximum minimum multiply
        negate popcnt remainder round_nearest_afz round_nearest_even stochastic_convert subtract
        """,
        "elementwise",
        "elementwise",
    ),
    *_ops(
        "cosine exponential exponential_minus_one log_plus_one power sine",
        "elementwise",
        "transcendental",
    ),
    *_ops("is_inf next_after", "elementwise", "function"),
    *_ops("select", "elementwise", "selected"),
    *_ops("map", "elementwise", "applied", "applied"),
    *_ops("dot", "contraction", "dot"),
    *_ops("convolution", "contraction", "convolution"),
    *_ops("ragged_dot", "contraction", "ragged_dot"),
    *_ops("dynamic_conv", "contraction"),
    *_ops("topk", "reduction"),
    *_ops(
        """
        broadcast dynamic_broadcast_in_dim dynamic_iota dynamic_pad dynamic_reshape
        get_dimension_size reverse set_dimension_size
        """,
        "movement",
        "moves",
    ),
    *_ops("convert", "movement", "converted"),
    *_ops("dynamic_gather", "movement", "gather"),
    *_ops("real_dynamic_slice", "movement"),
    *_ops("bitcast_convert", "movement", "bits"),
    *_ops("bitcast get_tuple_element", "movement", "free", idle=True, alias=True),
    *_ops("tuple", "movement", "tuple", idle=True, alias=True),
    *_ops("constant", "movement", "free", idle=True),
    *_ops("copy_done", "movement", "free"),
    *_ops("case conditional if", "control", bodies="chosen"),
    *_ops("async manual_computation", "call", bodies="called"),
    *_ops("fusion", "call"),
    *_ops("async_done async_update", "call", "free"),
    *_ops("rng", "random", "drawn"),
    *_ops("rng_get_and_update_state", "random", "moves"),
    *_ops("all_reduce", "collective", "summed_over_devices", "applied"),
    *_ops("collective_broadcast collective_permute partition_id replica_id", "collective", "moves"),
    *_ops(
        "all_reduce_done collective_permute_done send_done recv_done propagation_barrier "
        "sharding_group",
        "collective",
        "free",
    ),
    *_ops("all_slice recv send sharded_to_unreduced", "collective"),
    *_ops("custom_call", cost="custom"),
    *_ops("domain mesh opt_barrier parameter return", cost="free"),
)
