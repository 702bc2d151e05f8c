"""A call as it is kept to be traced once more: types in place of arrays, and weak references in
place of models. It keeps no array, no model and no function of the user's."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import NoneType
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.core import ShapedArray
from jax.tree_util import all_leaves

from jaxviz.capture.shown.objects import Types, is_a
from jaxviz.sentences import sentence

_PLAIN = Types(bool, int, float, complex, str)
_PARTS = (tuple, list, dict, NoneType)


class Call(NamedTuple):
    """A call with types in place of arrays."""

    fun: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    statics: dict[str, Any]
    """`static_argnums` and `static_argnames`, where they stand apart from the function."""


class KeptCall(NamedTuple):
    """The arguments of a call, as they are kept."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    statics: dict[str, Any]

    def of(self, fun: Any) -> Call:
        """The call of a function with them. Raises ValueError, with a sentence, where one is
        gone."""
        args, kwargs = _each(_there, (self.args, self.kwargs))
        return Call(fun, args, kwargs, self.statics)


def kept_call(
    args: tuple[Any, ...], kwargs: dict[str, Any], statics: dict[str, Any]
) -> KeptCall | None:
    """What is kept of a call; None where it has arguments that are neither arrays, plain values nor
    pytrees of these. Pytrees run code of the user's, which may fail: to trace them says why."""
    try:
        typed_args, typed_kwargs = _each(_typed, (args, kwargs))
    except Exception:
        return None
    return KeptCall(typed_args, typed_kwargs, statics)


def _typed(value: Any) -> Any:
    """What is kept of an argument: the type of an array, a plain value, a weak reference to a
    pytree of another kind, such as a model. Raises TypeError for anything else."""
    if type(value) in _PLAIN:
        return value
    if is_a(value, jax.Array, np.ndarray, np.generic):
        return jax.typeof(value)
    if is_a(value, jax.ShapeDtypeStruct):
        return value
    if all_leaves([value]):
        raise TypeError
    return weakref.ref(value)


def _there(kept: Any) -> Any:
    """An argument to trace with. Raises ValueError where it is an object that is gone."""
    if is_a(kept, ShapedArray):
        weak = bool(getattr(kept, "weak_type", False))
        return jax.ShapeDtypeStruct(kept.shape, kept.dtype, weak_type=weak)
    value = kept() if type(kept) is weakref.ref else kept
    if value is None:
        raise ValueError(sentence("argument gone"))
    return value


def _each(one: Callable[[Any], Any], arguments: Any) -> Any:
    """Arguments with `one` of each part of their tuples, lists and dicts in its place."""
    return jax.tree.map(one, arguments, is_leaf=lambda value: not is_a(value, *_PARTS))
