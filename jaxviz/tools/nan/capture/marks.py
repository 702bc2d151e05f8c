"""Marks: the origin of the NaN, and of the infinity, of a value.

A value has a row of small integers for each of the two, beside it in the program that runs. Only
these leave the device, never an element of an array. Computations on marks run in NumPy if these
are NumPy arrays, and on the device within a compiled loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxviz.capture.rerun.interpreter import Location

JOINED, LEFT, HERE, WHEN, SITE, RESULT, PLACE, COUNT, DEVICE, CONSTANT, LOOPS = range(11)
"""The columns of a row: True if other NaNs joined it, and True if an eqn dropped some of its
elements; the index of its first element in this array, or `LOST`; the number of eqns that ran
before; the eqn of the origin, the index of the result, its first element, and the number of
elements; the device; True if the eqn has it from a constant. From `LOOPS` on, the iteration of each
loop around the eqn."""
ALONE, SEVERAL, SOME_LEFT_OUT = range(3)
"""Values of `JOINED`: the flaws of an array come from one eqn, or from several, or the array is a
part of such an array and may lack those of the first origin."""
LOST = -1
MOST_LOOPS = 6
CLEAN = np.iinfo(np.int32).max
"""The `WHEN` of a value without flaws."""
OF_CONSTANT = CLEAN - 1
"""The `WHEN` of a constant. An eqn that reads it is the origin of its NaN. Its infinities, such as
those of masks, have no origin."""
CLEAN_MARK = np.full((2, LOOPS + MOST_LOOPS), CLEAN, np.int32)
CONSTANT_MARK = CLEAN_MARK.copy()
CONSTANT_MARK[:, [JOINED, LEFT, HERE, WHEN]] = ALONE, 0, LOST, OF_CONSTANT
_PLACES = np.arange(LOOPS + MOST_LOOPS)


def library_of(*numbers: Any) -> Any:
    """The library that computes with these: JAX's NumPy if one is on the device, else NumPy."""
    return jnp if any(isinstance(number, jax.Array) for number in numbers) else np


def written(rows: Any, place: int, numbers: Any) -> Any:
    """Rows with these numbers at one place. A scatter would take much longer to compile."""
    library = library_of(rows, numbers)
    return library.where(
        np.equal(_PLACES, place), library.asarray(numbers, np.int32)[..., None], rows
    )


def earliest(marks: Sequence[Any]) -> Any:
    """The earliest mark, for each kind. Marks that differ from it have joined it."""
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
    joined = library.where(flawed, stacked[..., JOINED], ALONE).max(axis=0)
    joined = library.where(others.any(axis=0), library.maximum(joined, SEVERAL), joined)
    left = library.where(flawed, stacked[..., LEFT], 0).max(axis=0)
    mark = written(mark, LEFT, library.where(mark[:, WHEN] < CLEAN, left, CLEAN))
    return written(mark, JOINED, library.where(mark[:, WHEN] < CLEAN, joined, CLEAN))


def passed_on(mark: Any, more: Any, gone: Any) -> Any:
    """The mark of a value computed from an array. For each kind, `more` is true if the eqn is the
    origin of others, and `gone` if the eqn drops some of the array's flaws."""
    library = library_of(mark, more, gone)
    left = library.where(gone & (mark[:, WHEN] < CLEAN), 1, mark[:, LEFT])
    mark = written(mark, LEFT, left)
    several = library.where(more & (mark[:, JOINED] == ALONE), SEVERAL, mark[:, JOINED])
    left_out = library.where(gone & (several == SEVERAL), SOME_LEFT_OUT, several)
    return written(mark, JOINED, left_out)


def lost(mark: Any) -> Any:
    """The mark after the place of the first element became unknown."""
    if mark is CLEAN_MARK:
        return mark
    library = library_of(mark)
    return written(mark, HERE, library.where(mark[:, WHEN] < CLEAN, LOST, CLEAN))


def part_of(mark: Any, flawed: Any, gone: Any) -> Any:
    """The mark of a part of a value. For a kind that the part does not have, the mark is clean."""
    library = library_of(mark, flawed)
    return library.where(flawed[:, None], passed_on(mark, np.False_, gone), CLEAN_MARK)


def marked(first: Any, inputs: Any, origin: Any) -> Any:
    """The mark of an eqn's result: that of its inputs if they are flawed, else that of the eqn.

    `first` is `first_flaws` of the result, `origin` the row of the eqn for it, without the element.
    An infinity that becomes a NaN is no origin of infinities.
    """
    first, counts = first[:2], first[2:]
    flawed = flawed_by(first)
    if library_of(flawed) is np and not flawed.any():
        return CLEAN_MARK
    library = library_of(first, inputs, origin)
    own = written(written(written(origin, PLACE, first), HERE, first), COUNT, counts)
    own = written(own, CONSTANT, inputs[:, WHEN] == OF_CONSTANT)
    own = library.where((first < CLEAN)[:, None], own, CONSTANT_MARK)
    has_origin = inputs[:, WHEN] < np.array([OF_CONSTANT, CLEAN])
    rows = library.where(has_origin[:, None], inputs, own)
    return library.where(flawed[:, None], rows, CLEAN_MARK)


def returned(mark: Any, origin: Any) -> Any:
    """The mark of a body's result. A NaN of a constant has its origin there."""
    library = library_of(mark, origin)
    is_constant = (mark[:, WHEN] == OF_CONSTANT) & np.array([True, False])
    return library.where(is_constant[:, None], origin, mark)


def flawed_by(first: Any) -> Any:
    """True if some are NaN, and true if some are not finite, by the `first_flaws` of a value."""
    return library_of(first).stack([first[0], first[:2].min()]) < CLEAN


def row_of(when: Any, site: int, result: int, here: Location, constant: int = 0) -> Any:
    """The row of an origin in a result of the current eqn."""
    loops = here.iterations[:MOST_LOOPS]
    numbers = [ALONE, 0, LOST, when, site, result, 0, 0, here.device, constant, *loops]
    traced = [place for place, number in enumerate(numbers) if isinstance(number, jax.Array)]
    row = np.full(LOOPS + MOST_LOOPS, -1, np.int32)
    row[: len(numbers)] = [0 if place in traced else one for place, one in enumerate(numbers)]
    for place in traced:
        row = written(row, place, numbers[place])
    return row


def on_all_devices(mark: Any, axes: Any) -> Any:
    """The earliest mark on the devices along some axes of the mesh."""
    return earliest([*jax.lax.all_gather(mark, axes).reshape(-1, *CLEAN_MARK.shape)])
