"""Retains what a run needs to run again with the same inputs, if a page asks for it later."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.jaxprs.constants import (
    RETAINED_BYTES,
    ConstantGoneError,
    WeakConstant,
    largest,
    size_of,
)
from jaxviz.capture.rerun import Rerun
from jaxviz.capture.shown.objects import is_a
from jaxviz.sentences import sentence


class RetainedRun:
    """A run that retains its inputs up to `RETAINED_BYTES`, the smallest first. It has weak
    references to larger JAX arrays. Larger NumPy arrays, which may change, are not retained."""

    def __init__(self, again: Rerun) -> None:
        self._program, self._later = again.program, again.later
        large = {*largest({at: size_of(value) for at, value in enumerate(again.flat)})}
        self._inputs = [_retained(value, at in large) for at, value in enumerate(again.flat)]

    def again(self) -> Rerun:
        """It, to be run once more. Raises `CaptureError` where what it takes is gone."""
        try:
            inputs = [*map(_given, self._inputs)]
            return Rerun(self._program, self._later.closed(), inputs, self._later)
        except ConstantGoneError:
            raise CaptureError(sentence("inputs gone", most=RETAINED_BYTES >> 20)) from None


def _retained(value: Any, is_large: bool) -> Any:
    if is_large:
        return WeakConstant(value, size_of(value)) if is_a(value, jax.Array) else None
    return value.copy() if is_a(value, np.ndarray) else value


def _given(retained: Any) -> Any:
    value = retained.value() if isinstance(retained, WeakConstant) else retained
    if value is None or (is_a(value, jax.Array) and value.is_deleted()):
        raise CaptureError(sentence("inputs gone", most=RETAINED_BYTES >> 20))
    return value
