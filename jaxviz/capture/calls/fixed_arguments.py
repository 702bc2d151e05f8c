"""Finds the arguments of a call, and parts of them, that are not arrays. Their values are fixed in
the program, like values in the body of a jitted function."""

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
    is_library_type,
)
from jaxviz.capture.shown.shown_values import path_text, shown, sized
from jaxviz.capture.shown.strings import name, names_secret
from jaxviz.schema import Fixed

STATIC, CLOSED_OVER = "static", "closed over"
_NO_ARRAYS = "OSUTmM"
"""Kinds of NumPy's dtypes that JAX has no arrays of: objects, strings, times."""
_NUMBERS = (bool, int, float, complex)


class ClosedOverValue:
    """A value that the program closes over, in the place of an argument or of a part of one. To JAX
    it is a pytree without leaves, so that the parts beside it keep their paths."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


jax.tree_util.register_pytree_node(ClosedOverValue, lambda node: ((), node), lambda node, _: node)


class TraceableArguments(NamedTuple):
    """The arguments of a call in a form that JAX can trace."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    fixed: list[Fixed]
    closed_over: list[ClosedOverValue]

    def release(self) -> None:
        """Drops the values that were closed over: JAX keeps the pytree of a call that it traced."""
        for node in self.closed_over:
            node.value = None


def traceable_arguments(
    called: CalledFunction, args: tuple[Any, ...], kwargs: dict[str, Any], statics: Iterable[str]
) -> TraceableArguments:
    """The arguments, with a `ClosedOverValue` in place of each value that is closed over.

    JAX's own functions close over values that a user writes as plain Python in a jitted body: a
    number, a shape, a dtype, a function. The user's functions close over values that cannot be
    arrays, and their numbers are traced. `statics` names jit's static arguments. Nothing is traced
    for this.
    """
    kind = STATIC if called.jit == "filter_jit" else CLOSED_OVER
    names = called.names(args, kwargs)
    return traceable_by_name(names, args, kwargs, statics, FixedParts(traced_by(called), kind))


def traced_by(called: CalledFunction) -> Callable[[Any], bool]:
    """The test for leaves of the function's arguments that are traced."""
    return {"jax": is_array, "equinox": equinox_traces}.get(called.library, is_traced)


def traceable_by_name(
    names: Iterable[str],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    statics: Iterable[str],
    found: FixedParts,
) -> TraceableArguments:
    """Like `traceable_arguments`, from the names of the arguments. Adds fixed parts to `found`."""
    values: list[Any] = []
    for argument, value in zip(names, [*args, *kwargs.values()], strict=True):
        if argument in statics:
            found.add(argument, value, STATIC)
            values.append(value)
        else:
            values.append(found.traceable(argument, value))
    by_name = dict(zip(kwargs, values[len(args) :], strict=True))
    return TraceableArguments(tuple(values[: len(args)]), by_name, found.fixed, found.closed_over)


class FixedParts:
    """Collects the parts of arguments that are not arrays, in the order of the arguments."""

    def __init__(self, traced: Callable[[Any], bool], kind: str) -> None:
        self.traced = traced
        self.kind = kind
        self.fixed: list[Fixed] = []
        self.closed_over: list[ClosedOverValue] = []

    def traceable(self, path: str, value: Any) -> Any:
        """The argument with a `ClosedOverValue` in place of each part that is not an array, or in
        place of the whole argument if it has no array."""
        parts, tree = jax.tree_util.tree_flatten_with_path(value, is_leaf=is_equinox)
        if is_equinox(value) or not any(is_equinox(part) for _, part in parts):
            return self._replaced(path, value, equinox_traces if is_equinox(value) else self.traced)
        parts = [self.traceable(path + path_text(keys), part) for keys, part in parts]
        return jax.tree_util.tree_unflatten(tree, parts)

    def _replaced(self, path: str, value: Any, traced: Callable[[Any], bool]) -> Any:
        leaves = [] if value is None else jax.tree_util.tree_leaves(value) or [value]
        are_traced = [traced(leaf) for leaf in leaves]
        if all(are_traced):
            return value
        if not any(are_traced):
            return self.close_over(path, value)

        def replaced(keys: Any, leaf: Any) -> Any:
            return leaf if traced(leaf) else self.close_over(path + path_text(keys), leaf)

        return jax.tree_util.tree_map_with_path(replaced, value)

    def close_over(self, path: str, value: Any) -> ClosedOverValue:
        self.add(path, value, self.kind)
        self.closed_over.append(ClosedOverValue(value))
        return self.closed_over[-1]

    def add(self, path: str, value: Any, kind: str) -> None:
        self.fixed.append(fixed_of(path, value, kind))


def fixed_of(path: str, value: Any, kind: str) -> Fixed:
    """The record of a fixed argument, or of a fixed part of one."""
    last = re.findall(r"\w+", path)[-1:]
    hidden = type(value) is str and any(map(names_secret, last))
    return Fixed(path=name(path), text=sized(value) if hidden else shown(value), kind=kind)


def is_traced(value: Any) -> bool:
    """True if jit accepts the leaf: it traces it, or it finds nothing to trace in it."""
    if is_a(value, *_NUMBERS, jax.Array) or has_class_attribute(type(value), "__jax_array__"):
        return True
    if is_class(value):
        return False
    if not (is_library_type(type(value)) or is_installed(type(value))):
        # JAX recognizes arrays by `shape` and `dtype`, too.
        describes_array = has_attribute(value, "shape") and has_attribute(value, "dtype")
        return describes_array or not jax.tree_util.tree_leaves(value)
    dtype = _dtype(value)
    if dtype is not None:
        return getattr(dtype, "kind", "O") not in _NO_ARRAYS or _is_extended(dtype)
    return not jax.tree_util.tree_leaves(value)


def _dtype(value: Any) -> Any:
    """The dtype of an array or of an array's description; None for anything else."""
    try:
        return value.dtype if hasattr(value, "shape") else None
    except Exception:  # a package's property may raise
        return None


def _is_extended(dtype: Any) -> bool:
    """True for JAX's own dtypes, such as that of keys."""
    kind = getattr(dtype, "type", None)
    return isinstance(kind, type) and issubclass(kind, jax.dtypes.extended)


def is_array(value: Any) -> bool:
    """True if the leaf is an array or describes one. Numbers are not arrays."""
    return is_traced(value) and not is_a(value, *_NUMBERS, np.generic, tuple, list, dict)


def equinox_traces(value: Any) -> bool:
    """True if Equinox traces the leaf. To Equinox, NumPy's scalars are arrays, and Python's numbers
    are not."""
    return is_a(value, np.generic) or is_array(value)


def closing_over(called: CalledFunction) -> Callable[..., Any]:
    """A function that calls the unjitted function with the values of the `ClosedOverValue`s among
    its arguments. It has the same name and parameters, since JAX reads these from it."""
    fun = called.unjitted

    def call(*args: Any, **kwargs: Any) -> Any:
        result = fun(*_with_values(args), **_with_values(kwargs))
        return _only_arrays(result) if called.library == "equinox" else _returnable(result)

    call.__name__ = called.title
    wrap(call, fun)
    if called.signature is not None:
        setattr(call, "__signature__", called.signature)  # noqa: B010
    return call


def _returnable(result: Any) -> Any:
    """The result in a form that jit can return: Equinox models in it have only their arrays."""
    return jax.tree_util.tree_map(
        lambda part: _only_arrays(part) if is_equinox(part) else part, result, is_leaf=is_equinox
    )


def _only_arrays(result: Any) -> Any:
    """The result without the leaves that are no arrays, as `equinox.filter_jit` returns it."""
    return jax.tree_util.tree_map(
        lambda leaf: leaf if equinox_traces(leaf) else ClosedOverValue(None), result
    )


def _with_values(tree: Any) -> Any:
    return jax.tree_util.tree_map(
        lambda part: part.value if type(part) is ClosedOverValue else part,
        tree,
        is_leaf=lambda part: type(part) is ClosedOverValue,
    )
