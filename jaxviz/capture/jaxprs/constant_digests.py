"""Says which arrays of two programs have equal values, without keeping or showing any.

A digest is keyed with random bytes of this kernel, which are stored nowhere: in another process it
says nothing. Digests stay in the kernel, and no record or pickle has them.
"""

from __future__ import annotations

import secrets
from hashlib import blake2b
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr

from jaxviz.capture.jaxprs.constants import (
    BYTES_KEPT,
    ConstantGoneError,
    WeakConstant,
    alias_of,
    size_of,
)
from jaxviz.capture.jaxprs.walk import Walk, jaxprs_in

_KEY = secrets.token_bytes(32)

Digests = list[list[bytes | int | None]]
"""For each graph those of its `constvars`; None where the values are not known."""


class ConstantDigests:
    """The digests of the arrays that a program holds.

    NumPy's arrays may be written to later, so that they are read at once. JAX's arrays are read
    when a digest is first asked for, and are no longer held then."""

    def __init__(self, closed: ClosedJaxpr, found: Walk) -> None:
        """`closed` is the program in the form in which it is kept, and `found` its `walk`."""
        held = {id(closed.jaxpr): closed.consts}
        for jaxpr, inner in zip(found.jaxprs, found.inner, strict=True):
            for eqn in inner:
                for one in jaxprs_in(jaxpr.eqns[eqn].params):
                    held.setdefault(id(one.jaxpr), one.consts)
        self._held = [
            [const if _is_jax(const) else _digest(const) for const in held.get(id(one), ())]
            for one in found.jaxprs
        ]

    def known(self) -> Digests:
        """The digests as they are known now."""
        self._held = [
            [_digest(one) if _is_array(one) else one for one in row] for row in self._held
        ]
        return [[_identity(one) if _is_weak(one) else one for one in row] for row in self._held]


def _is_weak(const: Any) -> bool:
    return isinstance(const, WeakConstant)


def _is_array(const: Any) -> bool:
    return isinstance(const, jax.Array)


def _is_jax(const: Any) -> bool:
    return _is_array(const) or _is_weak(const)


def _identity(const: WeakConstant) -> int | None:
    """Identifies an array that is too large to keep; None if it was deleted. A NumPy array may
    have changed since."""
    try:
        value = const.value()
    except ConstantGoneError:
        return None
    return id(value) if _is_array(value) else None


def _digest(const: Any) -> bytes | None:
    """The keyed digest of an array's type and values; None where these are not known."""
    try:
        if size_of(const) > BYTES_KEPT:
            return None
        array = alias_of(const)
        kind = f"{array.dtype} {array.shape}"
        if jax.numpy.issubdtype(array.dtype, jax.dtypes.prng_key):
            array = jax.random.key_data(array)
        values = np.ascontiguousarray(np.asarray(array)).reshape(-1)
        return blake2b(kind.encode() + values.tobytes(), key=_KEY).digest()
    except Exception:
        return None
