"""Recognizes models of Equinox and Flax NNX, and finds the function that a call of one runs.

No library is imported: a class is recognized by the names of its bases and their modules, as seen
on Equinox 0.13 and Flax 0.12. One that is not recognized is treated as any other function.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any, NamedTuple


class BoundFunction(NamedTuple):
    """The function that a method or a model stands for, and the arguments that are bound to it."""

    fun: Callable[..., Any]
    named: Any
    """What the user calls it by: the function, or the class of the model that is called."""
    receiver: tuple[Any, ...]
    """The model, or the partial's arguments: they come first in each call."""


def function_of(fun: Any) -> BoundFunction | None:
    """The function behind a model, a method of one, or a library's partial; None for any other
    function. The model becomes its first argument, so that its arrays are traced and the call does
    not change it."""
    if isinstance(fun, MethodType) and is_nnx(fun.__self__):
        return BoundFunction(fun.__func__, fun.__func__, (fun.__self__,))
    if isinstance(fun, functools.partial):
        method = type(fun.func).__module__.startswith("flax.nnx.") and not fun.keywords
        return BoundFunction(fun.func, fun.func, fun.args) if method else None
    if is_nnx(fun):
        return BoundFunction(type(fun).__call__, fun, (fun,))
    return _of_equinox(fun) if is_equinox(fun) else None


def _of_equinox(fun: Any) -> BoundFunction | None:
    kind = type(fun)
    if not _is_private(kind):
        return BoundFunction(kind.__call__, fun, (fun,))
    if kind.__name__ == "BoundMethod":
        return BoundFunction(fun.__func__, fun.__func__, (fun.__self__,))
    if kind.__name__ == "Partial" and not fun.keywords:
        return BoundFunction(fun.func, fun.func, fun.args)
    return None


def _is_private(kind: type) -> bool:
    """Whether the class is internal to Equinox, such as that of `filter_jit`'s result. Layers in
    `equinox.nn` are not: they are models like the user's."""
    return kind.__module__.startswith("equinox._")


def is_equinox(value: Any) -> bool:
    """Whether it is an `equinox.Module`: a model, or a function that Equinox transformed. Numbers
    in it are not arrays to Equinox, and it cannot be hashed if it holds arrays."""
    return _has_base(value, "equinox._module")


def is_filter_jitted(fun: Any) -> bool:
    """Whether it is what `equinox.filter_jit` returns, to which all that is not an array is
    static."""
    return is_equinox(fun) and type(fun).__name__ == "_JitWrapper"


def is_nnx(value: Any) -> bool:
    """Whether it is a `flax.nnx.Module`."""
    return _has_base(value, "flax.nnx.module")


def is_nnx_node(value: Any) -> bool:
    """Whether it is a module, an optimizer or a list of NNX: an object whose attributes a call can
    change."""
    return hasattr(value, "__dict__") and _has_base(value, "flax.nnx.", ("Object", "Pytree"))


def _has_base(value: Any, module: str, names: tuple[str, ...] = ("Module",)) -> bool:
    return any(
        base.__name__ in names and base.__module__.startswith(module)
        for base in type(value).__mro__
    )
