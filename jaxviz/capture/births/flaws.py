"""What is flawed in values: functions of arrays, which give a few small numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxviz.capture.births.marks import CLEAN


def is_inexact(value: Any) -> bool:
    return jnp.issubdtype(getattr(value, "dtype", jnp.result_type(value)), jnp.inexact)


def is_finite_number(value: Any) -> bool:
    """Whether it is one finite number that is known while tracing, as literals are."""
    return isinstance(value, int | float | np.generic) and bool(np.isfinite(value))


def any_flaw(values: Sequence[Any]) -> Any:
    """Whether an element of some arrays is not finite."""
    told = [flaws_of(value)[1].any() for value in values if is_inexact(value)]
    return jnp.stack([*told, jnp.bool_(False)]).any()


def births_in(value: Any) -> Any:
    """The first element that is NaN, and the first that is infinite (`CLEAN` where there is none),
    and how many of each there are. In one reduction, which compiles in half the time of two."""
    nans, flaws = flaws_of(value)
    places = lax.iota(np.int32, nans.size).reshape(nans.shape)
    kinds = nans, flaws & ~nans
    found = [jnp.where(births, places, CLEAN) for births in kinds]
    counts = [births.astype(np.int32) for births in kinds]
    begin = [np.int32(one) for one in (CLEAN, CLEAN, 0, 0)]
    return jnp.stack(lax.reduce([*found, *counts], begin, _joined, range(nans.ndim)))


def _joined(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [*map(jnp.minimum, a[:2], b[:2]), *map(jnp.add, a[2:], b[2:])]


def chosen_of(which: Any, cases: Sequence[Any]) -> Any:
    """Of each case of a `select_n`, and of both kinds, whether a flawed element is chosen, and
    whether one is not."""
    rows = []
    for number, case in enumerate(cases):
        taken = jnp.asarray(which).astype(np.int32) == number
        flaws = flaws_of(case)
        rows.append([_any(flaws, taken), _any(flaws, ~taken)])
    return jnp.stack([jnp.stack(row) for row in rows])


def _any(flaws: Sequence[Any], there: Any) -> Any:
    return jnp.stack([(of_kind & there).any() for of_kind in flaws])


def of_each_element(operands: Sequence[Any], known: Any, value: Any) -> Any:
    """Of an elementwise eqn's result, and of both kinds: whether an element is born where no
    operand is flawed, and whether one is sound where an operand is flawed. `known` says of each
    operand whether its flaws have an origin."""
    bad, each = flaws_of(value), [flaws_of(operand) for operand in operands]
    births = bad[0], bad[1] & ~bad[0]
    told = []
    for kind in range(2):
        flawed = [flaws[kind] & known[number, kind] for number, flaws in enumerate(each)]
        gone = jnp.stack([(flaws & ~bad[kind]).any() for flaws in flawed])
        told.append(jnp.stack([(births[kind] & ~sum(flawed[1:], flawed[0])).any(), gone.any()]))
    return jnp.stack(told, axis=1)


def flaws_of(value: Any) -> tuple[Any, Any]:
    """The elements that are NaN, and those that are not finite. Floats of one byte are taken as
    what XLA can compare."""
    value = jnp.asarray(value)
    wide = value.astype(jnp.float32) if value.dtype.itemsize == 1 else value
    return jnp.isnan(wide), ~jnp.isfinite(wide)
