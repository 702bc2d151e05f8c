"""Marks: where the NaN, and where the infinity, of a value was born.

A value has a row of small integers for each of the two, beside it in the program that runs. Only
these leave the device, never an element of an array.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

WHEN, SITE, RESULT, PLACE, DEVICE, TURNS = range(6)
"""What a row has: how many eqns ran before, the eqn, which of its results, the element of that, the
device, and from `TURNS` on the turn of each loop around it."""
MOST_LOOPS = 6
CLEAN = np.iinfo(np.int32).max
"""Written as `WHEN` where there is nothing to find."""
NOT_BORN = CLEAN - 1
"""Written as `WHEN` where it comes from a constant, as the infinities of a mask do."""
CLEAN_MARK = np.full((2, TURNS + MOST_LOOPS), CLEAN, np.int32)
CONSTANT_MARK = CLEAN_MARK.copy()
CONSTANT_MARK[1, WHEN] = NOT_BORN


def is_inexact(value: Any) -> bool:
    return jnp.issubdtype(getattr(value, "dtype", jnp.result_type(value)), jnp.inexact)


def _wide(value: Any) -> Any:
    """Floats of one byte as what XLA can compare; all others as they are."""
    value = jnp.asarray(value)
    return value.astype(jnp.float32) if value.dtype.itemsize == 1 else value


def _flaws(value: Any) -> tuple[Any, Any]:
    """The elements that are NaN, and those that are not finite."""
    wide = _wide(value)
    return jnp.isnan(wide), ~jnp.isfinite(wide)


def earliest(marks: Sequence[Any]) -> Any:
    """Of each kind the mark that was made first."""
    stacked = jnp.stack([jnp.asarray(mark) for mark in marks] or [jnp.asarray(CLEAN_MARK)])
    first = jnp.argmin(stacked[..., WHEN], axis=0)
    return jnp.take_along_axis(stacked, first[None, :, None], axis=0)[0]


def kept(value: Any, mark: Any) -> Any:
    """The mark of a part of a value: clean where the part is."""
    if not is_inexact(value):
        return CLEAN_MARK
    flawed = jnp.stack([flaws.any() for flaws in _flaws(value)])
    return jnp.where(flawed[:, None], mark, CLEAN_MARK)


def chosen(which: Any, cases: Sequence[Any], marks: Sequence[Any]) -> list[Any]:
    """The marks of the cases of a `select_n`, clean where no flawed element is chosen."""
    if not is_inexact(cases[0]):
        return [*marks]
    found = []
    for number, (case, mark) in enumerate(zip(cases, marks, strict=True)):
        taken = which.astype(jnp.int32) == number
        flawed = jnp.stack([(flaws & taken).any() for flaws in _flaws(case)])
        found.append(jnp.where(flawed[:, None], mark, CLEAN_MARK))
    return found


def marked(value: Any, inputs: Any, born: Any) -> Any:
    """The mark of an eqn's result: that of its inputs where they are flawed, else that of the eqn.
    `born` is the row of the eqn for this result, without the element. An infinity is
    not born as a NaN."""
    if not is_inexact(value):
        return CLEAN_MARK
    nans, flaws = _flaws(value)
    rows = []
    for kind, (bad, births) in enumerate(((nans, nans), (flaws, flaws & ~nans))):
        place = jnp.argmax(births.reshape(-1)) if births.size else 0
        own = jnp.asarray(born).at[PLACE].set(jnp.asarray(place, jnp.int32))
        own = jnp.where(births.any(), own, CONSTANT_MARK[1])
        inherited = inputs[kind, WHEN] < CLEAN
        row = jnp.where(inherited, inputs[kind], own)
        rows.append(jnp.where(bad.any(), row, CLEAN_MARK[kind]))
    return jnp.stack(rows)


def row_of(when: Any, site: int, device: Any, turns: Sequence[Any]) -> Any:
    """The row of what is born now."""
    numbers = [when, site, 0, 0, device, *turns[:MOST_LOOPS]]
    numbers += [-1] * (TURNS + MOST_LOOPS - len(numbers))
    return jnp.stack([jnp.asarray(number, jnp.int32) for number in numbers])


def on_all_devices(mark: Any, axes: Any) -> Any:
    """The earliest of what the devices along some axes of the mesh know."""
    return earliest([*jax.lax.all_gather(mark, axes).reshape(-1, *CLEAN_MARK.shape)])
