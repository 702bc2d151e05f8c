"""Decides which of the arrays that a program closes over are kept alive for its later stages.

The user may drop a function, and the arrays that it closes over, long before its program is
dropped. A program that held these arrays would keep their memory from the user. So it holds only
small ones, and weak references to the others.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any
from weakref import ref

import jax
from jax.extend import linear_util
from jax.extend.core import ClosedJaxpr

from jaxviz.capture.jaxprs.clone import exchanged
from jaxviz.capture.jaxprs.walk import Walk, arrays_of, functions_of, is_custom
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
