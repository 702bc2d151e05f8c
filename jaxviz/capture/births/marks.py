"""Marks: where the NaN, and where the infinity, of a value was born.

A value has a row of small integers for each of the two, beside it in the program that runs. Only
these leave the device, never an element of an array. What is made of marks alone is made by NumPy
where they are of NumPy, and on the device within a compiled loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

MET, LEFT, HERE, WHEN, SITE, RESULT, PLACE, COUNT, DEVICE, TURNS = range(10)
"""The columns of a row: whether other NaNs joined it, and whether an eqn dropped some of its
elements. The index of its first element in this array, or `LOST`. The number of eqns that ran
before. The eqn of the origin, the index of the result, its first element, and the number of
elements. The device. From `TURNS` on, the iteration of each loop around the eqn."""
ALONE, SEVERAL, SOME_LEFT_OUT = range(3)
"""Written as `MET`: an array holds what was born at one eqn, at several, or it is a part of such an
array, which may hold no more of what was born first."""
LOST = -1
MOST_LOOPS = 6
CLEAN = np.iinfo(np.int32).max
"""Written as `WHEN` where there is nothing to find."""
NOT_BORN = CLEAN - 1
"""Written as `WHEN` where it comes from a constant, as the infinities of a mask do."""
CLEAN_MARK = np.full((2, TURNS + MOST_LOOPS), CLEAN, np.int32)
CONSTANT_MARK = CLEAN_MARK.copy()
CONSTANT_MARK[1, [MET, LEFT, HERE, WHEN]] = ALONE, 0, LOST, NOT_BORN
_PLACES = np.arange(TURNS + MOST_LOOPS)


def library_of(*numbers: Any) -> Any:
    """What computes with these: JAX's NumPy where one is on the device, else NumPy."""
    return jnp if any(isinstance(number, jax.Array) for number in numbers) else np


def written(rows: Any, place: int, numbers: Any) -> Any:
    """Rows with these numbers at one place. A scatter would compile many times as long."""
    library = library_of(rows, numbers)
    return library.where(
        np.equal(_PLACES, place), library.asarray(numbers, np.int32)[..., None], rows
    )


def earliest(marks: Sequence[Any]) -> Any:
    """Of each kind the mark that was made first. It has met those that differ from it."""
    marks = [mark for mark in marks if mark is not CLEAN_MARK]
    if len(marks) < 2:
        return marks[0] if marks else CLEAN_MARK
    library = library_of(*marks)
    stacked = library.stack([library.asarray(mark) for mark in marks])
    first = library.argmin(stacked[..., WHEN], axis=0)
    is_first = np.arange(len(marks))[:, None, None] == first[:, None]
    mark = library.where(is_first, stacked, 0).sum(axis=0, dtype=np.int32)
    flawed = stacked[..., WHEN] < CLEAN
    others = flawed & (stacked[..., WHEN:] != mark[:, WHEN:]).any(axis=-1)
    met = library.where(flawed, stacked[..., MET], ALONE).max(axis=0)
    met = library.where(others.any(axis=0), library.maximum(met, SEVERAL), met)
    left = library.where(flawed, stacked[..., LEFT], 0).max(axis=0)
    mark = written(mark, LEFT, library.where(mark[:, WHEN] < CLEAN, left, CLEAN))
    return written(mark, MET, library.where(mark[:, WHEN] < CLEAN, met, CLEAN))


def met(mark: Any, anew: Any, gone: Any) -> Any:
    """The mark of what an array became, of each kind: whether some were born beside what was
    flawed, and whether some of it went."""
    library = library_of(mark, anew, gone)
    left = library.where(gone & (mark[:, WHEN] < CLEAN), 1, mark[:, LEFT])
    mark = written(mark, LEFT, left)
    several = library.where(anew & (mark[:, MET] == ALONE), SEVERAL, mark[:, MET])
    left_out = library.where(gone & (several == SEVERAL), SOME_LEFT_OUT, several)
    return written(mark, MET, left_out)


def lost(mark: Any) -> Any:
    """The mark where it is not known what became of the first element."""
    if mark is CLEAN_MARK:
        return mark
    library = library_of(mark)
    return written(mark, HERE, library.where(mark[:, WHEN] < CLEAN, LOST, CLEAN))


def kept(mark: Any, flawed: Any, gone: Any) -> Any:
    """The mark of a part of a value, of each kind: clean where the part is."""
    library = library_of(mark, flawed)
    return library.where(flawed[:, None], met(mark, np.False_, gone), CLEAN_MARK)


def marked(births: Any, inputs: Any, born: Any) -> Any:
    """The mark of an eqn's result: that of its inputs where they are flawed, else that of the eqn.
    `births` are `births_in` the result, `born` is the row of the eqn for it, without the element.
    An infinity is not born as a NaN."""
    births, counts = births[:2], births[2:]
    flawed = flawed_by(births)
    if library_of(flawed) is np and not flawed.any():
        return CLEAN_MARK
    library = library_of(births, inputs, born)
    own = written(written(written(born, PLACE, births), HERE, births), COUNT, counts)
    own = library.where((births < CLEAN)[:, None], own, CONSTANT_MARK[1])
    rows = library.where((inputs[:, WHEN] < CLEAN)[:, None], inputs, own)
    return library.where(flawed[:, None], rows, CLEAN_MARK)


def flawed_by(births: Any) -> Any:
    """Whether some are NaN, and whether some are not finite, by `births_in` a value."""
    return library_of(births).stack([births[0], births[:2].min()]) < CLEAN


def row_of(when: Any, site: int, device: Any, turns: Sequence[Any]) -> Any:
    """The row of what is born now."""
    numbers = [ALONE, 0, LOST, when, site, 0, 0, 0, device, *turns[:MOST_LOOPS]]
    traced = [place for place, number in enumerate(numbers) if isinstance(number, jax.Array)]
    row = np.full(TURNS + MOST_LOOPS, -1, np.int32)
    row[: len(numbers)] = [0 if place in traced else one for place, one in enumerate(numbers)]
    for place in traced:
        row = written(row, place, numbers[place])
    return row


def on_all_devices(mark: Any, axes: Any) -> Any:
    """The earliest of what the devices along some axes of the mesh know."""
    return earliest([*jax.lax.all_gather(mark, axes).reshape(-1, *CLEAN_MARK.shape)])
