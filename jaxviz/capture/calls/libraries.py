"""Recognizes models of Equinox and Flax NNX, and finds the user's function and arguments within the
wrappers of libraries.

No library is imported: a class is recognized by the names of its bases and their modules.
`LIBRARY_WRAPPERS` has a row for each wrapper, with the version that it was seen on. The names are
private: if one is missing, its row does not apply, and the wrapper is shown as the function.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import partial
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from jax.tree_util import tree_unflatten

from jaxviz.capture._called import pmapped
from jaxviz.capture._events import Call
from jaxviz.capture.shown.callables import parameters_of, unwrapped
from jaxviz.capture.shown.objects import (
    attribute,
    has_attribute,
    has_base,
    is_a,
    module_of,
    title_of,
)


class Filtered(NamedTuple):
    """The options of `equinox.filter_jit`, to which all that is not an array is static."""

    fun_signature: Any
    fun: Any
    """The function or object that was called. The fields of an object are arguments, too."""


class LibraryWrapper(NamedTuple):
    """A wrapper of a library that contains the user's function."""

    seen: str
    """The library's version that it was seen on."""
    module: str
    kind: str
    """The name of its class; empty for any object in modules that begin with `module`."""
    path: tuple[str, ...]
    """The attributes that lead to the function, from the outside in."""
    label: str
    """The text around the function's name: `filter_grad` in `filter_grad(loss)`."""


LIBRARY_WRAPPERS = (
    LibraryWrapper(
        "Equinox 0.13", "equinox._ad", "_ValueAndGradWrapper", ("_fun",), "filter_value_and_grad"
    ),
    LibraryWrapper(
        "Equinox 0.13",
        "equinox._ad",
        "_GradWrapper",
        ("_fun_value_and_grad", "_fun"),
        "filter_grad",
    ),
    LibraryWrapper("Equinox 0.13", "equinox._vmap_pmap", "_VmapWrapper", ("_fun",), "filter_vmap"),
    LibraryWrapper("Equinox 0.13", "equinox._jit", "_JitWrapper", ("__wrapped__",), "filter_jit"),
    LibraryWrapper("Equinox 0.13", "equinox._module._prebuilt", "Partial", ("func",), ""),
    LibraryWrapper("Equinox 0.13", "equinox._module._prebuilt", "BoundMethod", ("__func__",), ""),
    LibraryWrapper("Equinox 0.13", "equinox._module._module", "_wrap_method", ("method",), ""),
    LibraryWrapper("Haiku 0.0.17", "haiku._src.", "", ("_original_fn",), ""),
)
"""Wrappers without a `__wrapped__` that leads to the user's function."""


NNX_GRAD = ("flax.nnx.transforms.autodiff", "grad_wrapper")
"""The module and name of the function that `nnx.grad` and `nnx.value_and_grad` return (Flax 0.12).
It closes over the user's function as `f`."""


_PACKAGES = ("equinox", "haiku", "flax")
"""The packages of these wrappers."""


def wrapped_by_library(fun: Any) -> tuple[Any, str] | None:
    """The function in a wrapper of `LIBRARY_WRAPPERS`, and the text around its name; None for any
    other function."""
    module = _module(fun)
    if not module.startswith(_PACKAGES):
        return None
    if (module, attribute(fun, "__name__")) == NNX_GRAD and not has_attribute(fun, "__wrapped__"):
        inner = inspect.getclosurevars(fun).nonlocals.get("f")
        return None if inner is None else (inner, "")
    for row in LIBRARY_WRAPPERS:
        named = title_of(type(fun)) == row.kind and module == row.module
        of_module = not row.kind and module.startswith(row.module)
        if named or (of_module and has_attribute(fun, row.path[0])):
            inner = fun
            for step in row.path:
                inner = attribute(inner, step)
            return None if inner is None else (inner, row.label)
    return None


def is_wrapper(module: Any) -> bool:
    """True if a frame of this module may be on the stack between the user's line and JAX's jit."""
    return any(row.module == module for row in LIBRARY_WRAPPERS) or module in MODULES_BETWEEN


MODULES_BETWEEN = ("flax.nnx.transforms.compilation", "flax.nnx.graphlib", "contextlib")
"""Modules without a wrapper that call JAX's jit for one."""


def _module(fun: Any) -> str:
    found = fun.__globals__.get("__name__") if type(fun) is FunctionType else None
    return found if type(found) is str else module_of(type(fun))


CALLING_METHODS = {"flax.linen.module": ("apply", "init", "init_with_output")}
"""Methods of a library's base class that call the `__call__` of the user's class (Flax 0.12)."""


def called_by_method(fun: Any) -> tuple[Any, str] | None:
    """For `model.apply`, the model's `__call__` and the name `Model.apply`; None for any other
    function than those of `CALLING_METHODS`."""
    if type(fun) is not MethodType or fun.__name__ not in CALLING_METHODS.get(
        attribute(fun.__func__, "__module__", ""), ()
    ):
        return None
    kind = type(fun.__self__)
    inner = inspect.getattr_static(kind, "__call__", None)
    return None if inner is None else (inner, f"{title_of(kind)}.{fun.__name__}")


def applied_signature(fun: Any) -> inspect.Signature | None:
    """The parameters of a method of `CALLING_METHODS`: its first one, then those of the `__call__`
    to which it passes the other arguments. A partial has those that it does not bind. None for
    other functions."""
    if type(fun) is not FunctionType and is_a(fun, partial):
        whole = applied_signature(fun.func)
        if whole is None:
            return None
        parameters = list(whole.parameters.values())[len(fun.args) :]
        return inspect.Signature([p for p in parameters if p.name not in fun.keywords])
    called = called_by_method(fun)
    own = None if called is None else parameters_of(called[0])
    outer = None if own is None else parameters_of(fun)
    if own is None or outer is None:
        return None
    first = next(iter(outer.parameters.values()))
    rest = [p for p in list(own.parameters.values())[1:] if p.name != first.name]
    try:
        return inspect.Signature([first, *rest])
    except ValueError:
        return None


def nnx_grad_signature(fun: Any) -> inspect.Signature | None:
    """The signature of the function that `nnx.grad` wraps, if `fun` is the result of `nnx.grad`,
    whose own signature is `*args`; else None."""
    inner = unwrapped(fun)
    found = wrapped_by_library(inner) if _module(inner) == NNX_GRAD[0] else None
    return None if found is None else parameters_of(found[0])


def users_call(call: Call) -> Call:
    """The call of the user's function within a wrapper's call; `call` itself if there is none."""
    read = _CALLS.get(_module(call.fun))
    if type(call.fun) is FunctionType and call.fun.__name__ == "_fun":
        read = _pmapped
    try:
        found = None if read is None else read(call)
    except Exception:
        return call
    return found or call


def _equinox(call: Call) -> Call | None:
    """`fun_wrapped(dynamic_donate, dynamic_nodonate, static)` of `equinox/_jit.py`."""
    donated, not_donated, static = call.args
    dynamic = {**donated, **not_donated}
    combine: Callable[[Any, Any], Any] = sys.modules["equinox._compile_utils"].hashable_combine
    fun = combine(dynamic["fun"], static[0])
    rest, kwargs = combine(dynamic["rest"], static[2])
    args = (combine(dynamic["first"], static[1]), *rest)[:-1]
    return Call(fun, Filtered(parameters_of(fun), fun), args, kwargs)


def _pmapped(call: Call) -> Call | None:
    found = pmapped(unwrapped(call.fun))
    if found is None:
        return None
    fun, tree = found
    args, kwargs = tree_unflatten(tree, call.args)
    return Call(fun, Mapped(parameters_of(fun)), args, kwargs)


class Mapped(NamedTuple):
    """The options of a function that `jax.pmap` mapped."""

    fun_signature: Any


_CALLS: dict[str, Callable[[Call], Call | None]] = {"equinox._jit": _equinox}
"""The functions that find the user's call, by the module of the jitted wrapper. Seen on Equinox
0.13."""


class BoundFunction(NamedTuple):
    """The function that a method or a model calls, and the arguments that are bound to it."""

    fun: Callable[..., Any]
    named: Any
    """The object that has the user's name for it: the function or the model."""
    receiver: tuple[Any, ...]
    """The model, or the partial's arguments. They come first in each call."""


def function_of(fun: Any) -> BoundFunction | None:
    """The function that a model, its method or a library's partial calls; None for any other
    function. The model becomes the first argument, so that its arrays are traced and the call does
    not change it."""
    if type(fun) is MethodType and is_nnx(fun.__self__):
        return BoundFunction(fun.__func__, fun.__func__, (fun.__self__,))
    if is_a(fun, partial):
        method = module_of(type(fun.func)).startswith("flax.nnx.") and not fun.keywords
        return BoundFunction(fun.func, fun.func, fun.args) if method else None
    if is_nnx(fun):
        return BoundFunction(type(fun).__call__, fun, (fun,))
    return _of_equinox(fun) if is_equinox(fun) else None


def _of_equinox(fun: Any) -> BoundFunction | None:
    kind = type(fun)
    if not module_of(kind).startswith("equinox._"):  # a model, the user's or of `equinox.nn`
        return BoundFunction(kind.__call__, fun, (fun,))
    if title_of(kind) == "BoundMethod":
        return BoundFunction(fun.__func__, fun.__func__, (fun.__self__,))
    if title_of(kind) == "Partial" and not fun.keywords:
        return BoundFunction(fun.func, fun.func, fun.args)
    return None


def is_equinox(value: Any) -> bool:
    """True for an `equinox.Module`: a model, or a function that Equinox transformed. To Equinox its
    numbers are not arrays. It cannot be hashed if it contains arrays."""
    return _has_base(value, "equinox._module")


def is_filter_jitted(fun: Any) -> bool:
    """True for the result of `equinox.filter_jit`, to which all that is not an array is static."""
    return is_equinox(fun) and title_of(type(fun)) == "_JitWrapper"


def is_nnx(value: Any) -> bool:
    """True for a `flax.nnx.Module`."""
    return _has_base(value, "flax.nnx.module")


def is_nnx_node(value: Any) -> bool:
    """True for a module, an optimizer or a list of NNX, whose attributes a call can change."""
    return _has_base(value, "flax.nnx.", ("Object", "Pytree"))


def _has_base(value: Any, module: str, names: tuple[str, ...] = ("Module",)) -> bool:
    return has_base(type(value), module, names)
