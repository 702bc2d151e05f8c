"""Retains or digests the arrays that a program closes over.

The user may drop a function and its arrays long before its program is dropped. To leave that memory
to the user, a program retains only small arrays, and has weak references to the others.

Digests show whether arrays of two programs have equal values. They are keyed with random bytes of
this kernel, and no record or pickle contains them: in another process a digest means nothing.
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

RETAINED_BYTES = 16 << 20
"""A program retains at most this many bytes of closed-over arrays."""


class ConstantGoneError(Exception):
    """An array that a program needs no longer exists."""

    def __init__(self, size: int, text: str) -> None:
        most = RETAINED_BYTES >> 20
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
        """The array or the function. Raises ConstantGoneError if it no longer exists."""
        value = self._value()
        if value is None or (isinstance(value, jax.Array) and value.is_deleted()):
            raise ConstantGoneError(self._size, self._text)
        return value

    def __call__(self, *_: Any) -> Any:
        """Only makes the object callable, as a function in a param must be."""
        raise NotImplementedError


def with_weak_constants(closed: ClosedJaxpr, found: Walk, keep: bool) -> tuple[ClosedJaxpr, int]:
    """The program to retain, and the bytes that it closes over. `found` is its `walk`.

    It retains its smallest arrays, up to `RETAINED_BYTES`, and has weak references to the others.
    With `keep`, or if all arrays fit, it is the program itself."""
    consts = {**found.consts, **{id(const): const for const in closed.consts}}
    rules, callbacks = functions_in(found)
    reached = arrays_of([*rules.values(), *callbacks.values()])
    total = sum(map(size_of, {**consts, **reached}.values()))
    if keep or total <= RETAINED_BYTES:
        return closed, total
    values = {**consts, **rules, **callbacks}
    sizes = {key: size_of(const) for key, const in consts.items()}
    for key, function in {**rules, **callbacks}.items():
        sizes[key] = sum(map(size_of, arrays_of([function]).values()))
    instead = {
        key: never_called(values[key]) if key in rules else WeakConstant(values[key], sizes[key])
        for key in largest(sizes)
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


def largest(sizes: dict[int, int]) -> list[int]:
    """The keys of the arrays that exceed `RETAINED_BYTES` together with all smaller ones. `sizes`
    has the bytes of each array."""
    ordered = sorted(sizes, key=sizes.__getitem__)
    used = accumulate(sizes[key] for key in ordered)
    return [key for key, bytes_ in zip(ordered, used, strict=True) if bytes_ > RETAINED_BYTES]


def never_called(rule: Any) -> Any:
    """Stands in for a rule of a derivative or of batching, which lowering never calls."""

    def never(*_: Any) -> Any:
        raise NotImplementedError

    described = getattr(rule, "debug_info", None)
    return never if described is None else linear_util.wrap_init(never, debug_info=described)


def alias_of(const: Any) -> Any:
    """A new object for the memory of an array, to pass to JAX for lowering. Raises
    ConstantGoneError if the array no longer exists. Returns a function unchanged.

    Lowering stores a copy on the host with the array object, which must not be the user's."""
    array = const.value() if isinstance(const, WeakConstant) else const
    if not isinstance(array, jax.Array):
        return array
    try:
        return jax.device_put(array, array.sharding)
    except Exception:
        return array


def size_of(array: Any) -> int:
    return getattr(array, "nbytes", 0)


_KEY = secrets.token_bytes(32)

Digests = list[list[bytes | int | None]]
"""For each graph a digest of each of its `constvars`; None for an array without known values."""


class ConstantDigests:
    """The digests of the arrays that a program retains.

    NumPy arrays are read at once, since they may be written to later. JAX arrays are read and
    released when a digest is first requested."""

    def __init__(self, closed: ClosedJaxpr, found: Walk) -> None:
        """`closed` is the program that `with_weak_constants` returns, and `found` its `walk`."""
        consts = {id(closed.jaxpr): closed.consts}
        for jaxpr, inner in zip(found.jaxprs, found.inner, strict=True):
            for eqn in inner:
                for one in jaxprs_in(jaxpr.eqns[eqn].params):
                    consts.setdefault(id(one.jaxpr), one.consts)
        self._rows = [
            [
                const if isinstance(const, jax.Array | WeakConstant) else _digest(const)
                for const in consts.get(id(one), ())
            ]
            for one in found.jaxprs
        ]

    def current(self) -> Digests:
        """The digests of now: an array that is too large to retain may have been deleted."""
        self._rows = [
            [_digest(one) if isinstance(one, jax.Array) else one for one in row]
            for row in self._rows
        ]
        return [
            [_identity(one) if isinstance(one, WeakConstant) else one for one in row]
            for row in self._rows
        ]


def _identity(const: WeakConstant) -> int | None:
    """Identifies a JAX array that exists. NumPy arrays have none: their values may have changed."""
    try:
        value = const.value()
    except ConstantGoneError:
        return None
    return id(value) if isinstance(value, jax.Array) else None


def _digest(const: Any) -> bytes | None:
    """The keyed digest of an array's type and values; None if they cannot be read."""
    try:
        if size_of(const) > RETAINED_BYTES:
            return None
        array = alias_of(const)
        kind = f"{array.dtype} {array.shape}"
        if jax.numpy.issubdtype(array.dtype, jax.dtypes.prng_key):
            array = jax.random.key_data(array)
        values = np.ascontiguousarray(np.asarray(array)).reshape(-1)
        return blake2b(kind.encode() + values.tobytes(), key=_KEY).digest()
    except Exception:
        return None
