"""Finds the arguments of a call, and their parts, that are not arrays. They are fixed in the
program, as they would be if written in the body of a jitted function."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxviz.capture.calls.called_function import CalledFunction
from jaxviz.capture.calls.libraries import is_equinox
from jaxviz.capture.shown.callables import wrap
from jaxviz.capture.shown.objects import (
    has_attribute,
    has_class_attribute,
    is_a,
    is_class,
    is_installed,
    is_librarys,
)
from jaxviz.capture.shown.shown_values import path_text, shown, sized
from jaxviz.capture.shown.strings import name, names_secret
from jaxviz.schema import Fixed

STATIC, CLOSED_OVER = "static", "closed over"
_NO_ARRAYS = "OSUTmM"
"""Kinds of NumPy's dtypes that JAX has no arrays of: objects, strings, times."""
_NUMBERS = (bool, int, float, complex)


class ClosedOverValue:
    """A value that is closed over, in the place of the argument or part that it was. To JAX it is a
    pytree without leaves, so that the parts beside it keep their paths."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


jax.tree_util.register_pytree_node(ClosedOverValue, lambda held: ((), held), lambda held, _: held)


class Fitted(NamedTuple):
    """The arguments of a call as JAX can trace them."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    fixed: list[Fixed]
    held: list[ClosedOverValue]

    def release(self) -> None:
        """Lets go of what was closed over: JAX keeps the pytree of a call that it traced."""
        for held in self.held:
            held.value = None


def fitted(
    called: CalledFunction, args: tuple[Any, ...], kwargs: dict[str, Any], statics: Iterable[str]
) -> Fitted:
    """The arguments, with a `ClosedOverValue` in place of all that is closed over.

    For JAX's own functions that is what a user would write as plain Python in a jitted body: a
    number, a shape, a dtype, a function. For the user's functions it is only what cannot be an
    array, so that numbers are traced. `statics` are the arguments that jit is told to be static.
    Nothing is traced to find this out.
    """
    kind = STATIC if called.jit == "filter_jit" else CLOSED_OVER
    names = called.names(args, kwargs)
    return fitted_by_name(names, args, kwargs, statics, FixedParts(traced_by(called), kind))


def traced_by(called: CalledFunction) -> Callable[[Any], bool]:
    """What tells the leaves of a function's arguments that are traced."""
    return {"jax": is_array, "equinox": is_equinox_s}.get(called.library, is_traced)


def fitted_by_name(
    names: Iterable[str],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    statics: Iterable[str],
    found: FixedParts,
) -> Fitted:
    """As `fitted`, by the names of the arguments alone; what is fixed is added to `found`."""
    values: list[Any] = []
    for argument, value in zip(names, [*args, *kwargs.values()], strict=True):
        if argument in statics:
            found.add(argument, value, STATIC)
            values.append(value)
        else:
            values.append(found.fit(argument, value))
    by_name = dict(zip(kwargs, values[len(args) :], strict=True))
    return Fitted(tuple(values[: len(args)]), by_name, found.fixed, found.held)


class FixedParts:
    """Collects the parts of arguments that are not arrays, in the order of the arguments."""

    def __init__(self, traced: Callable[[Any], bool], kind: str) -> None:
        self.traced = traced
        self.kind = kind
        self.fixed: list[Fixed] = []
        self.held: list[ClosedOverValue] = []

    def fit(self, path: str, value: Any) -> Any:
        """The argument with a `ClosedOverValue` in place of each part that is not an array, or in
        place of the whole argument if it has no array."""
        parts, tree = jax.tree_util.tree_flatten_with_path(value, is_leaf=is_equinox)
        if is_equinox(value) or not any(is_equinox(part) for _, part in parts):
            return self._fit(path, value, is_equinox_s if is_equinox(value) else self.traced)
        fitted = [self.fit(path + path_text(keys), part) for keys, part in parts]
        return jax.tree_util.tree_unflatten(tree, fitted)

    def _fit(self, path: str, value: Any, is_kept: Callable[[Any], bool]) -> Any:
        leaves = [] if value is None else jax.tree_util.tree_leaves(value) or [value]
        kept = [is_kept(leaf) for leaf in leaves]
        if all(kept):
            return value
        if not any(kept):
            return self.hold(path, value)
        return jax.tree_util.tree_map_with_path(
            lambda keys, leaf: leaf if is_kept(leaf) else self.hold(path + path_text(keys), leaf),
            value,
        )

    def hold(self, path: str, value: Any) -> ClosedOverValue:
        self.add(path, value, self.kind)
        self.held.append(ClosedOverValue(value))
        return self.held[-1]

    def add(self, path: str, value: Any, kind: str) -> None:
        self.fixed.append(fixed_of(path, value, kind))


def fixed_of(path: str, value: Any, kind: str) -> Fixed:
    """The record of an argument that is not an array, or of a part of one."""
    last = re.findall(r"\w+", path)[-1:]
    hidden = type(value) is str and any(map(names_secret, last))
    return Fixed(path=name(path), text=sized(value) if hidden else shown(value), kind=kind)


def is_traced(value: Any) -> bool:
    """Whether jit accepts the leaf: it traces it, or finds nothing in it to trace."""
    if is_a(value, *_NUMBERS, jax.Array) or has_class_attribute(type(value), "__jax_array__"):
        return True
    if is_class(value):
        return False
    if not (is_librarys(type(value)) or is_installed(type(value))):
        return _describes_array(value) or not jax.tree_util.tree_leaves(value)
    dtype = _dtype(value)
    if dtype is not None:
        return getattr(dtype, "kind", "O") not in _NO_ARRAYS or _is_extended(dtype)
    return not jax.tree_util.tree_leaves(value)


def _describes_array(value: Any) -> bool:
    """Whether an object of the user's has a shape and a dtype, by which JAX tells arrays, too."""
    return has_attribute(value, "shape") and has_attribute(value, "dtype")


def _dtype(value: Any) -> Any:
    """The dtype of an array, or of what describes one; None for anything else. JAX tells arrays by
    `dtype` and `shape`, too."""
    try:
        return value.dtype if hasattr(value, "shape") else None
    except Exception:  # a property of a package's may refuse
        return None


def _is_extended(dtype: Any) -> bool:
    """Whether it is a dtype of JAX's own, such as that of keys."""
    kind = getattr(dtype, "type", None)
    return isinstance(kind, type) and issubclass(kind, jax.dtypes.extended)


def is_array(value: Any) -> bool:
    """Whether the leaf is an array or describes one. Numbers are not arrays."""
    return is_traced(value) and not is_a(value, *_NUMBERS, np.generic, tuple, list, dict)


def is_equinox_s(value: Any) -> bool:
    """Whether Equinox traces the leaf: to it NumPy's scalars are arrays, but Python's numbers are
    not."""
    return is_a(value, np.generic) or is_array(value)


def closing_over(called: CalledFunction) -> Callable[..., Any]:
    """A function that takes arguments with `ClosedOverValue`s in them and calls the function
    without its jit, with the values. It has the same name and parameters, since JAX reads these
    from it."""
    fun = called.unjitted

    def call(*args: Any, **kwargs: Any) -> Any:
        result = fun(*_with_values(args), **_with_values(kwargs))
        return _arrays(result, called.library == "equinox")

    call.__name__ = called.title
    wrap(call, fun)
    if called.signature is not None:
        setattr(call, "__signature__", called.signature)  # noqa: B010
    return call


def _arrays(result: Any, of_equinox: bool) -> Any:
    """The result as jit can return it: in Equinox models only arrays are left. With `of_equinox`
    this holds for the whole result, as `equinox.filter_jit` does it."""
    if not of_equinox and not is_equinox(result):
        parts, tree = jax.tree_util.tree_flatten(result, is_leaf=is_equinox)
        kept = [_arrays(part, True) if is_equinox(part) else part for part in parts]
        return jax.tree_util.tree_unflatten(tree, kept)
    return jax.tree_util.tree_map(
        lambda leaf: leaf if is_equinox_s(leaf) else ClosedOverValue(None), result
    )


def _with_values(tree: Any) -> Any:
    return jax.tree_util.tree_map(
        lambda part: part.value if type(part) is ClosedOverValue else part,
        tree,
        is_leaf=lambda part: type(part) is ClosedOverValue,
    )
