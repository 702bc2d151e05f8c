"""What an eqn does with what is flawed in its operands: whether others are born beside it, and
whether some of it is left out. Both are told for each kind of `marks.py`, NaN and not finite.

Of elementwise ops both are seen in the values. Of others the primitive tells; of those that are not
named here the answer is yes.
"""

from __future__ import annotations

from jaxviz.ops import row_of

PLACES = {
    *("reshape", "transpose", "broadcast_in_dim", "squeeze", "expand_dims", "rev", "concatenate"),
    *("stack", "tile", "copy", "copy_p", "optimization_barrier", "sharding_constraint"),
    *("all_gather", "stop_gradient", "device_put"),
}
"""They only place elements, all of them."""
PARTS = {"slice", "dynamic_slice", "split", "unstack", "pad", "dynamic_update_slice", "scatter"}
"""They only place elements, and may leave out some."""
SUMS = {
    *("reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_window_sum"),
    *("cumsum", "cumprod", "cummax", "cummin", "scatter-add"),
    *("dot_general", "conv_general_dilated", "psum", "psum2", "psum_invariant", "reduce_scatter"),
}
"""All that they sum up is flawed where an operand is; a NaN is born of infinities alone."""


def is_elementwise(name: str) -> bool:
    return name == "convert_element_type" or row_of(name).family == "elementwise"
