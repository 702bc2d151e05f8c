"""Remembers which traced call took a donated array, while the array's object lives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax

from jaxviz.capture.weak import Weak
from jaxviz.schema import Frame


class Donor(NamedTuple):
    """A call that donates an array."""

    function: str
    site: Frame
    """The user's line."""


_DONORS: Weak[Donor] = Weak()


def donor_of(array: Any) -> Donor | None:
    """The call that took an array; None if no watch saw its trace."""
    return _DONORS.get(array)


def note_donor(donor: Donor, leaves: Sequence[Any], donated: Sequence[bool]) -> None:
    """Remembers the arguments that a call donates, if all of its arguments are known."""
    if len(leaves) == len(donated):
        for leaf, is_donated in zip(leaves, donated, strict=True):
            if is_donated and isinstance(leaf, jax.Array):
                _DONORS.set(leaf, donor)
