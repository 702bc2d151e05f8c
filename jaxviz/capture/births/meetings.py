"""What an eqn does with what is flawed in its operands: whether others are born beside it, and
whether some of it is left out. Both are told for each kind of `marks.py`, NaN and not finite.

Of elementwise ops both are seen in the values. Of others the primitive tells; of those that are not
named here the answer is yes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax.extend.core import JaxprEqn

from jaxviz.capture._jax import bound_again
from jaxviz.capture.births.marks import (
    ALONE,
    CLEAN,
    MET,
    SEVERAL,
    WHEN,
    births_in,
    flaws_of,
    is_inexact,
    left_out,
    written,
)
from jaxviz.ops import row_of

_PLACES = {
    *("reshape", "transpose", "broadcast_in_dim", "squeeze", "expand_dims", "rev", "concatenate"),
    *("stack", "tile", "copy", "copy_p", "optimization_barrier", "sharding_constraint"),
    *("all_gather", "stop_gradient", "device_put"),
}
"""They only place elements, all of them."""
_PARTS = {"slice", "dynamic_slice", "split", "unstack", "pad", "dynamic_update_slice", "scatter"}
"""They only place elements, and may leave out some."""
_SUMS = {
    *("reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_window_sum"),
    *("cumsum", "cumprod", "cummax", "cummin", "scatter-add"),
    *("dot_general", "conv_general_dilated", "psum", "psum2", "psum_invariant", "reduce_scatter"),
}
"""All that they sum up is flawed where an operand is; a NaN is born of infinities alone."""


def met(
    eqn: JaxprEqn, operands: Sequence[Any], marks: Sequence[Any], inputs: Any, value: Any
) -> Any:
    """The mark `inputs` that a result takes from its eqn's operands, with what it met there."""
    if not is_inexact(value):
        return inputs
    pairs = [one for one in zip(operands, marks, strict=True) if is_inexact(one[0])]
    told = [_of_kind(kind, eqn, operands, pairs, value) for kind in range(2)]
    anew, gone = (jnp.stack([jnp.asarray(one) for one in both]) for both in zip(*told, strict=True))
    several = jnp.where(anew & (inputs[:, MET] == ALONE), SEVERAL, inputs[:, MET])
    return left_out(written(inputs, MET, several), gone)


def _of_kind(
    kind: int, eqn: JaxprEqn, operands: Sequence[Any], pairs: Sequence[Any], value: Any
) -> tuple[Any, Any]:
    """Whether some are born in an eqn, and whether some of its operands' are left out."""
    name = eqn.primitive.name
    if not pairs or name in _PLACES:
        return False, False
    if name in _PARTS:
        return False, True
    if name in _SUMS:
        infinite = jnp.stack([births_in(operand)[1].any() for operand, _ in pairs])
        return (infinite.any() if kind == 0 else True), False
    if name == "gather":
        [filled] = bound_again(eqn, [jnp.ones_like(operands[0]), *operands[1:]])
        return births_in(filled)[kind].any(), True
    shapes = {jnp.shape(operand) for operand, _ in pairs} - {()}
    if not _is_elementwise(name) or shapes - {jnp.shape(value)}:
        return True, True
    return _by_element(kind, pairs, value)


def _is_elementwise(name: str) -> bool:
    return name == "convert_element_type" or row_of(name).family == "elementwise"


def _by_element(kind: int, pairs: Sequence[Any], value: Any) -> tuple[Any, Any]:
    bad, births = flaws_of(value)[kind], births_in(value)[kind]
    flawed = [flaws_of(one)[kind] & (mark[kind, WHEN] < CLEAN) for one, mark in pairs]
    gone = jnp.stack([(flaws & ~bad).any() for flaws in flawed])
    return (births & ~sum(flawed[1:], flawed[0])).any(), gone.any()
