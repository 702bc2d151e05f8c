"""Decides which of the arrays that a program closes over are kept alive for its later stages.

The user may drop a function, and the arrays that it closes over, long before its program is
dropped. A program that held these arrays would keep their memory from the user. So it holds only
small ones, and weak references to the others.
"""

from __future__ import annotations

import secrets
from hashlib import blake2b
from itertools import accumulate
from typing import Any
from weakref import ref

import jax
import numpy as np
from jax.extend import linear_util
from jax.extend.core import ClosedJaxpr

from jaxviz.capture.jaxprs.clone import exchanged
from jaxviz.capture.jaxprs.walk import Walk, arrays_of, functions_of, is_custom, jaxprs_in
from jaxviz.sentences import sentence

BYTES_KEPT = 16 << 20
"""How many bytes of closed-over arrays a program holds."""


class ConstantGoneError(Exception):
    """An array that a program needs no longer exists."""

    def __init__(self, size: int, text: str) -> None:
        most = BYTES_KEPT >> 20
        super().__init__(
            sentence("constant gone", size=round(size / (1 << 20)), type=text, most=most)
        )


class WeakConstant:
    """A weak reference in place of an array, or of a function that closes over arrays."""

    def __init__(self, value: Any, size: int) -> None:
        self._value = ref(value)
        self._size = size
        shape = getattr(value, "shape", None)
        self._text = (
            "of a callback" if shape is None else f"{value.dtype}[{','.join(map(str, shape))}]"
        )

    def value(self) -> Any:
        """The array or the function. Raises ConstantGoneError where it no longer exists."""
        value = self._value()
        if value is None or (isinstance(value, jax.Array) and value.is_deleted()):
            raise ConstantGoneError(self._size, self._text)
        return value

    def __call__(self, *_: Any) -> Any:
        """Only makes the object callable, as a function in a param must be."""
        raise NotImplementedError


def with_weak_constants(closed: ClosedJaxpr, found: Walk, keep: bool) -> tuple[ClosedJaxpr, int]:
    """The program, whose `walk` is `found`, in the form in which it is kept, and how many bytes it
    closes over.

    It holds the smallest of its arrays, up to `BYTES_KEPT`, and weak references to the others.
    Where all of them fit, and with `keep`, it is the program itself."""
    consts = {**found.consts, **{id(const): const for const in closed.consts}}
    rules, callbacks = functions_in(found)
    reached = arrays_of([*rules.values(), *callbacks.values()])
    total = sum(map(size_of, {**consts, **reached}.values()))
    if keep or total <= BYTES_KEPT:
        return closed, total
    values = {**consts, **rules, **callbacks}
    sizes = {key: size_of(const) for key, const in consts.items()}
    for key, function in {**rules, **callbacks}.items():
        sizes[key] = sum(map(size_of, arrays_of([function]).values()))
    instead = {
        key: unused(values[key]) if key in rules else WeakConstant(values[key], sizes[key])
        for key in too_large(sizes)
    }
    return exchanged(closed, found, lambda one: instead.get(id(one), one)), total


def functions_in(found: Walk) -> tuple[dict[int, Any], dict[int, Any]]:
    """The rules of derivatives and batching, and the callbacks of a program, by identity."""
    rules: dict[int, Any] = {}
    callbacks: dict[int, Any] = {}
    for eqn in (eqn for jaxpr in found.jaxprs for eqn in jaxpr.eqns):
        for function in functions_of(eqn):
            (rules if is_custom(eqn) else callbacks)[id(function)] = function
    return rules, callbacks


def too_large(sizes: dict[int, int]) -> list[int]:
    """The keys of the largest arrays: those for which `BYTES_KEPT` leaves no room beside the
    smaller ones. `sizes` has the bytes of each array."""
    ordered = sorted(sizes, key=sizes.__getitem__)
    used = accumulate(sizes[key] for key in ordered)
    return [key for key, bytes_ in zip(ordered, used, strict=True) if bytes_ > BYTES_KEPT]


def unused(rule: Any) -> Any:
    """The stand-in for a rule of a derivative or of batching, which lowering never calls."""

    def never(*_: Any) -> Any:
        raise NotImplementedError

    described = getattr(rule, "debug_info", None)
    return never if described is None else linear_util.wrap_init(never, debug_info=described)


def alias_of(const: Any) -> Any:
    """An array to hand to JAX for lowering: another object for the same memory. JAX makes a copy on
    the host as it lowers an array, and keeps it with the object, which must not be the user's. A
    function is returned as it is. Raises ConstantGoneError where it no longer exists."""
    array = const.value() if isinstance(const, WeakConstant) else const
    if not isinstance(array, jax.Array):
        return array
    try:
        return jax.device_put(array, array.sharding)
    except Exception:
        return array


def size_of(array: Any) -> int:
    return getattr(array, "nbytes", 0)


# Says which arrays of two programs have equal values, without keeping or showing any.
#
# A digest is keyed with random bytes of this kernel, which are stored nowhere: in another process it
# says nothing. Digests stay in the kernel, and no record or pickle has them.

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
