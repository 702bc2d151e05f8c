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

MET, WHEN, SITE, RESULT, PLACE, DEVICE, TURNS = range(7)
"""What a row has: whether what was born there met others, how many eqns ran before, the eqn, which
of its results, the element of that, the device, and from `TURNS` on the turn of each loop around
it."""
ALONE, SEVERAL, SOME_LEFT_OUT = range(3)
"""Written as `MET`: an array holds what was born at one eqn, at several, or it is a part of such an
array, which may hold no more of what was born first."""
MOST_LOOPS = 6
CLEAN = np.iinfo(np.int32).max
"""Written as `WHEN` where there is nothing to find."""
NOT_BORN = CLEAN - 1
"""Written as `WHEN` where it comes from a constant, as the infinities of a mask do."""
CLEAN_MARK = np.full((2, TURNS + MOST_LOOPS), CLEAN, np.int32)
CONSTANT_MARK = CLEAN_MARK.copy()
CONSTANT_MARK[1, [MET, WHEN]] = ALONE, NOT_BORN
_PLACES = np.arange(TURNS + MOST_LOOPS)


def is_inexact(value: Any) -> bool:
    return jnp.issubdtype(getattr(value, "dtype", jnp.result_type(value)), jnp.inexact)


def is_finite_number(value: Any) -> bool:
    """Whether it is one finite number that is known while tracing, as literals are."""
    return isinstance(value, int | float | np.generic) and bool(np.isfinite(value))


def _wide(value: Any) -> Any:
    """Floats of one byte as what XLA can compare; all others as they are."""
    value = jnp.asarray(value)
    return value.astype(jnp.float32) if value.dtype.itemsize == 1 else value


def flaws_of(value: Any) -> tuple[Any, Any]:
    """The elements that are NaN, and those that are not finite."""
    wide = _wide(value)
    return jnp.isnan(wide), ~jnp.isfinite(wide)


def births_in(value: Any) -> tuple[Any, Any]:
    """The elements that are NaN, and those that are infinite."""
    nans, flaws = flaws_of(value)
    return nans, flaws & ~nans


def written(rows: Any, place: int, numbers: Any) -> Any:
    """Rows with these numbers at one place. A scatter would compile many times as long."""
    return jnp.where(np.equal(_PLACES, place), jnp.asarray(numbers, jnp.int32)[..., None], rows)


def earliest(marks: Sequence[Any]) -> Any:
    """Of each kind the mark that was made first. It has met those that differ from it."""
    marks = [mark for mark in marks if mark is not CLEAN_MARK]
    if len(marks) < 2:
        return marks[0] if marks else CLEAN_MARK
    stacked = jnp.stack([jnp.asarray(mark) for mark in marks])
    first = jnp.argmin(stacked[..., WHEN], axis=0)
    is_first = np.arange(len(marks))[:, None, None] == first[:, None]
    mark = jnp.where(is_first, stacked, 0).sum(axis=0, dtype=jnp.int32)
    flawed = stacked[..., WHEN] < CLEAN
    others = flawed & (stacked[..., WHEN:] != mark[:, WHEN:]).any(axis=-1)
    met = jnp.where(flawed, stacked[..., MET], ALONE).max(axis=0)
    met = jnp.where(others.any(axis=0), jnp.maximum(met, SEVERAL), met)
    return written(mark, MET, jnp.where(mark[:, WHEN] < CLEAN, met, CLEAN))


def left_out(mark: Any, some: Any) -> Any:
    """The mark of what an array became, where `some` of its flawed elements went."""
    several = some & (mark[:, MET] == SEVERAL)
    return written(mark, MET, jnp.where(several, SOME_LEFT_OUT, mark[:, MET]))


def kept(value: Any, mark: Any) -> Any:
    """The mark of a part of a value: clean where the part is."""
    if mark is CLEAN_MARK or not is_inexact(value):
        return CLEAN_MARK
    flawed = jnp.stack([flaws.any() for flaws in flaws_of(value)])
    return jnp.where(flawed[:, None], left_out(mark, flawed), CLEAN_MARK)


def chosen(which: Any, cases: Sequence[Any], marks: Sequence[Any]) -> list[Any]:
    """The marks of the cases of a `select_n`, clean where no flawed element is chosen."""
    if not is_inexact(cases[0]):
        return [*marks]
    found = []
    for number, (case, mark) in enumerate(zip(cases, marks, strict=True)):
        taken = jnp.asarray(which).astype(jnp.int32) == number
        flawed = jnp.stack([(flaws & taken).any() for flaws in flaws_of(case)])
        gone = jnp.stack([(flaws & ~taken).any() for flaws in flaws_of(case)])
        found.append(jnp.where(flawed[:, None], left_out(mark, gone), CLEAN_MARK))
    return found


def marked(value: Any, inputs: Any, born: Any) -> Any:
    """The mark of an eqn's result: that of its inputs where they are flawed, else that of the eqn.
    `born` is the row of the eqn for this result, without the element. An infinity is
    not born as a NaN."""
    if not is_inexact(value):
        return CLEAN_MARK
    rows = []
    for kind, (bad, births) in enumerate(zip(flaws_of(value), births_in(value), strict=True)):
        place = jnp.argmax(births.reshape(-1)) if births.size else 0
        own = written(born, PLACE, place)
        own = jnp.where(births.any(), own, CONSTANT_MARK[1])
        inherited = inputs[kind, WHEN] < CLEAN
        row = jnp.where(inherited, inputs[kind], own)
        rows.append(jnp.where(bad.any(), row, CLEAN_MARK[kind]))
    return jnp.stack(rows)


def row_of(when: Any, site: int, device: Any, turns: Sequence[Any]) -> Any:
    """The row of what is born now."""
    numbers = [ALONE, when, site, 0, 0, device, *turns[:MOST_LOOPS]]
    traced = [place for place, number in enumerate(numbers) if isinstance(number, jax.Array)]
    row = np.full(TURNS + MOST_LOOPS, -1, np.int32)
    row[: len(numbers)] = [0 if place in traced else one for place, one in enumerate(numbers)]
    for place in traced:
        row = written(row, place, numbers[place])
    return row


def on_all_devices(mark: Any, axes: Any) -> Any:
    """The earliest of what the devices along some axes of the mesh know."""
    return earliest([*jax.lax.all_gather(mark, axes).reshape(-1, *CLEAN_MARK.shape)])
