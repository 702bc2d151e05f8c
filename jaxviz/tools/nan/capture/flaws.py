"""Finds flaws, elements that are NaN or infinite: functions of arrays that return a few numbers.

The values of elementwise ops show which flaws of a result come from operands. For other ops, their
names show it. An op that is not listed here may drop flaws and be the origin of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxviz.ops import row_of
from jaxviz.tools.nan.capture.marks import CLEAN

PLACES = {
    *("reshape", "transpose", "broadcast_in_dim", "squeeze", "expand_dims", "rev", "concatenate"),
    *("stack", "tile", "copy", "copy_p", "optimization_barrier", "sharding_constraint"),
    *("all_gather", "stop_gradient", "device_put"),
}
"""Ops that place all elements of their operands."""
PARTS = {"slice", "dynamic_slice", "split", "unstack", "pad", "dynamic_update_slice", "scatter"}
"""Ops that place elements, and may omit some."""
SUMS = {
    *("reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_window_sum"),
    *("cumsum", "cumprod", "cummax", "cummin", "scatter-add"),
    *("dot_general", "conv_general_dilated", "psum", "psum2", "psum_invariant", "reduce_scatter"),
}
"""Ops whose sums are flawed if an operand is. They are the origin of a NaN if they sum
infinities."""


def is_elementwise(name: str) -> bool:
    return name == "convert_element_type" or row_of(name).family == "elementwise"


def is_inexact(value: Any) -> bool:
    return jnp.issubdtype(getattr(value, "dtype", jnp.result_type(value)), jnp.inexact)


def is_finite_number(value: Any) -> bool:
    """True for one finite number that is known while tracing, such as a literal."""
    return isinstance(value, int | float | np.generic) and bool(np.isfinite(value))


def any_flaw(values: Sequence[Any]) -> Any:
    """True if an element of some arrays is not finite."""
    found = [flaws_of(value)[1].any() for value in values if is_inexact(value)]
    return jnp.stack([*found, jnp.bool_(False)]).any()


def first_flaws(value: Any) -> Any:
    """The first element that is NaN, and the first that is infinite (`CLEAN` if there is none), and
    the number of each. One reduction compiles in half the time of two."""
    nans, flaws = flaws_of(value)
    places = lax.iota(np.int32, nans.size).reshape(nans.shape)
    kinds = nans, flaws & ~nans
    found = [jnp.where(flawed, places, CLEAN) for flawed in kinds]
    counts = [flawed.astype(np.int32) for flawed in kinds]
    begin = [np.int32(one) for one in (CLEAN, CLEAN, 0, 0)]
    return jnp.stack(lax.reduce([*found, *counts], begin, _joined, range(nans.ndim)))


def _joined(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [*map(jnp.minimum, a[:2], b[:2]), *map(jnp.add, a[2:], b[2:])]


def chosen_of(which: Any, cases: Sequence[Any]) -> Any:
    """For each case of a `select_n`, and for both kinds: True if a flawed element is chosen, and
    True if one is not."""
    rows = []
    for number, case in enumerate(cases):
        taken = jnp.asarray(which).astype(np.int32) == number
        flaws = flaws_of(case)
        rows.append([_any(flaws, taken), _any(flaws, ~taken)])
    return jnp.stack([jnp.stack(row) for row in rows])


def _any(flaws: Sequence[Any], there: Any) -> Any:
    return jnp.stack([(of_kind & there).any() for of_kind in flaws])


def of_each_element(operands: Sequence[Any], marked: Any, value: Any) -> Any:
    """For an elementwise eqn's result and each kind: True if an element is flawed and none of its
    operands, and True if one is sound although an operand is flawed. `marked` says for each operand
    if its flaws have an origin."""
    bad, each = flaws_of(value), [flaws_of(operand) for operand in operands]
    own = bad[0], bad[1] & ~bad[0]
    found = []
    for kind in range(2):
        flawed = [flaws[kind] & marked[number, kind] for number, flaws in enumerate(each)]
        gone = jnp.stack([(flaws & ~bad[kind]).any() for flaws in flawed])
        found.append(jnp.stack([(own[kind] & ~sum(flawed[1:], flawed[0])).any(), gone.any()]))
    return jnp.stack(found, axis=1)


def flaws_of(value: Any) -> tuple[Any, Any]:
    """The elements that are NaN, and those that are not finite. Floats of one byte are converted to
    a type that XLA can compare."""
    value = jnp.asarray(value)
    wide = value.astype(jnp.float32) if value.dtype.itemsize == 1 else value
    return jnp.isnan(wide), ~jnp.isfinite(wide)
