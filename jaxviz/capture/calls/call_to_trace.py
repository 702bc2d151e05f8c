"""Retains a call, to trace it again (`retained_call`, `retained_function`).

What is retained contains no array, model or function of the user. Arrays become types, models
become weak references. A wrapper that JAX made, such as `jax.grad(f)`, is rebuilt around what it
closes over, since nothing else may refer to it. Only a function that consists of its code and plain
values is copied.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import CellType, FunctionType, MethodType, NoneType
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.core import ShapedArray
from jax.tree_util import all_leaves

from jaxviz.capture.shown.objects import Types, is_a
from jaxviz.capture.shown.source import is_jax_file
from jaxviz.sentences import sentence

_NUMBERS_AND_TEXT = Types(bool, int, float, complex, str)
_PLAIN = (NoneType, bool, int, float, complex, str, bytes)
_CONTAINERS = (tuple, list, dict, NoneType)
_SEQUENCES = Types(tuple, list)


class CallToTrace(NamedTuple):
    """A call with types in place of arrays."""

    fun: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    statics: dict[str, Any]
    """`static_argnums` and `static_argnames`, if they are not part of the function."""


class RetainedCall(NamedTuple):
    """The retained arguments of a call."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    statics: dict[str, Any]

    def of(self, fun: Any) -> CallToTrace:
        """The call of a function with these arguments. Raises ValueError, with a sentence, if one
        of them is gone."""
        args, kwargs = _changed(_restored, (self.args, self.kwargs))
        return CallToTrace(fun, args, kwargs, self.statics)


def retained_call(
    args: tuple[Any, ...], kwargs: dict[str, Any], statics: dict[str, Any]
) -> RetainedCall | None:
    """The arguments of a call, retained. None if one is neither an array, a plain value nor a
    pytree of these. Pytrees run the user's code, which may fail; tracing the call reports why."""
    try:
        typed_args, typed_kwargs = _changed(_typed, (args, kwargs))
    except Exception:
        return None
    return RetainedCall(typed_args, typed_kwargs, statics)


def _typed(value: Any) -> Any:
    """The type of an array, a plain value, or a weak reference to another pytree, such as a model.
    Raises TypeError for anything else."""
    if type(value) in _NUMBERS_AND_TEXT:
        return value
    if is_a(value, jax.Array, np.ndarray, np.generic):
        return jax.typeof(value)
    if is_a(value, jax.ShapeDtypeStruct):
        return value
    if all_leaves([value]):
        raise TypeError
    return weakref.ref(value)


def _restored(retained: Any) -> Any:
    """An argument to trace with. Raises ValueError if it is an object that is gone."""
    if is_a(retained, ShapedArray):
        weak = bool(getattr(retained, "weak_type", False))
        return jax.ShapeDtypeStruct(retained.shape, retained.dtype, weak_type=weak)
    value = retained() if type(retained) is weakref.ref else retained
    if value is None:
        raise ValueError(sentence("argument gone"))
    return value


def _changed(change: Callable[[Any], Any], arguments: Any) -> Any:
    """Arguments with `change` applied to each part of their tuples, lists and dicts."""
    return jax.tree.map(change, arguments, is_leaf=_is_part)


def _is_part(value: Any) -> bool:
    # The first question is only for speed: a static tuple of 1,000,000 numbers took 4 s.
    return type(value) in _NUMBERS_AND_TEXT or not is_a(value, *_CONTAINERS)


Getter = Callable[[], Any]
"""Returns a value. Raises ValueError, with a sentence, if the value is gone."""


def retained_function(fun: Any) -> Getter | None:
    """Retains a function, or one that does the same; None if it cannot be retained."""
    with suppress(TypeError, ValueError):  # no weak reference, an empty cell
        return _getter(fun, _weak_getter)
    return None


def uncached_copy(fun: Any) -> Any:
    """A function that does the same and is in no cache of JAX, nor is any function within it. Only
    jitted functions in it stay the same objects."""
    with suppress(ValueError):
        return _getter(fun, _copying_getter)()
    return fun


def _copy(fun: FunctionType, cells: tuple[CellType, ...] | None) -> FunctionType:
    """The same function as another object. `cells` replace what it closes over."""
    closure = fun.__closure__ if cells is None else cells
    copy = FunctionType(fun.__code__, fun.__globals__, fun.__name__, fun.__defaults__, closure)
    for field in ("__kwdefaults__", "__qualname__", "__module__", "__annotations__"):
        setattr(copy, field, getattr(fun, field))
    copy.__dict__.update(fun.__dict__)
    return copy


def _getter(value: Any, users: Callable[[Any], Getter]) -> Getter:
    """The getter of a value. `users` makes the getters of the user's values in it."""
    if type(value) is FunctionType:
        return _wrapper(value, users) if is_jax_file(value.__code__.co_filename) else users(value)
    if is_a(value, *_PLAIN) or type(value) is object:
        return lambda: value
    if type(value) in _SEQUENCES:
        kind, parts = type(value), [_getter(part, users) for part in value]
        return lambda: kind(part() for part in parts)
    if type(value) is partial:
        parts_of = _getter((value.func, value.args, [*value.keywords.items()]), users)

        def rebuilt() -> Any:
            fun, args, keywords = parts_of()
            return partial(fun, *args, **dict(keywords))

        return rebuilt
    return users(value)


def _wrapper(fun: FunctionType, users: Callable[[Any], Getter]) -> Getter:
    """Rebuilds a function of JAX around what it closes over."""
    closure = fun.__closure__ or ()
    values = _getter([cell.cell_contents for cell in closure], users)
    wrapped = _getter(fun.__dict__.get("__wrapped__"), users)
    empty = _copy(fun, tuple(CellType() for _ in closure))
    empty.__dict__.clear()

    def rebuilt() -> FunctionType:
        copy = _copy(empty, tuple(map(CellType, values())))
        copy.__dict__["__wrapped__"] = wrapped()
        return copy

    return rebuilt


def _copying_getter(value: Any) -> Getter:
    return lambda: _copy(value, None) if type(value) is FunctionType else value


def _weak_getter(value: Any) -> Getter:
    """Raises TypeError for a value that takes no weak reference."""
    if type(value) is FunctionType and _is_plain(value):
        return _copying_getter(_copy(value, None))
    reference: Any = (weakref.WeakMethod if type(value) is MethodType else weakref.ref)(value)

    def alive() -> Any:
        found = reference()
        if found is None:
            raise ValueError(sentence("function gone"))
        return found

    return alive


def _is_plain(fun: FunctionType) -> bool:
    """True if a function consists of its code and plain values, and its names are those of a
    module: nothing else may refer to another namespace."""
    if getattr(sys.modules.get(fun.__module__), "__dict__", None) is not fun.__globals__:
        return False
    defaults = (*(fun.__defaults__ or ()), *(fun.__kwdefaults__ or {}).values())
    return not fun.__closure__ and not fun.__dict__ and all(is_a(one, *_PLAIN) for one in defaults)
