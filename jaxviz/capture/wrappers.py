"""Finds the user's function and its arguments behind what libraries wrap around them before jit.

A table has a row for each wrapper, with the version that it was seen on. The names are private:
where one is missing, its row does not apply, and the wrapper itself is shown at the call's line.
No library is imported: a wrapper can only be met where the user imported it.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import partial
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from jax.tree_util import tree_unflatten

from jaxviz.capture._events import Call
from jaxviz.capture._loops import pmapped
from jaxviz.capture._traces import fun_signature


class Filtered(NamedTuple):
    """Stands for the options of a jit to which all that is not an array is static."""

    fun_signature: Any
    fun: Any
    """What was called. If it is an object, its fields are arguments too."""


class Within(NamedTuple):
    """A wrapper that holds the user's function."""

    seen: str
    module: str
    kind: str
    """The class, or the qualified name of the function."""
    path: tuple[str, ...]
    """The attributes that lead to the function within, one after another."""
    around: str
    """What is written around the function's name: `filter_grad` for `filter_grad(loss)`."""


WITHIN = (
    Within(
        "Equinox 0.13", "equinox._ad", "_ValueAndGradWrapper", ("_fun",), "filter_value_and_grad"
    ),
    Within(
        "Equinox 0.13",
        "equinox._ad",
        "_GradWrapper",
        ("_fun_value_and_grad", "_fun"),
        "filter_grad",
    ),
    Within("Equinox 0.13", "equinox._vmap_pmap", "_VmapWrapper", ("_fun",), "filter_vmap"),
    Within("Equinox 0.13", "equinox._jit", "_JitWrapper", ("__wrapped__",), "filter_jit"),
    Within("Equinox 0.13", "equinox._module._prebuilt", "Partial", ("func",), ""),
    Within("Equinox 0.13", "equinox._module._prebuilt", "BoundMethod", ("__func__",), ""),
    Within("Equinox 0.13", "equinox._module._module", "_wrap_method", ("method",), ""),
    Within("Haiku 0.0.17", "haiku._src.", "", ("_original_fn",), ""),
)
"""The table: classes and functions that do not tell by `__wrapped__` what they hold."""


NNX_GRAD = ("flax.nnx.transforms.autodiff", "grad_wrapper")
"""The module and name of what `nnx.grad` and `nnx.value_and_grad` return (Flax 0.12), which closes
over the user's function as `f`."""


def held_by_wrapper(fun: Any) -> tuple[Any, str] | None:
    """The function that a wrapper holds, and what is written around its name; None for what is no
    known wrapper."""
    module = _module(fun)
    if (module, getattr(fun, "__name__", "")) == NNX_GRAD and not hasattr(fun, "__wrapped__"):
        held = inspect.getclosurevars(fun).nonlocals.get("f")
        return None if held is None else (held, "")
    for row in WITHIN:
        named = type(fun).__name__ == row.kind and module == row.module
        if named or (not row.kind and module.startswith(row.module) and hasattr(fun, row.path[0])):
            inner = fun
            for attribute in row.path:
                inner = getattr(inner, attribute, None)
            return None if inner is None else (inner, row.around)
    return None


def is_wrapper(module: Any) -> bool:
    """Whether a frame of this module may stand between the user's line and JAX's jit."""
    return any(row.module == module for row in WITHIN) or module in BETWEEN


BETWEEN = ("flax.nnx.transforms.compilation", "flax.nnx.graphlib", "contextlib")


def _module(fun: Any) -> str:
    found = fun.__globals__.get("__name__") if isinstance(fun, FunctionType) else None
    return found if isinstance(found, str) else type(fun).__module__


METHODS = {"flax.linen.module": ("apply", "init", "init_with_output")}
"""Methods by which a library calls the `__call__` of a class that is the user's (Flax 0.12)."""


def called_by_method(fun: Any) -> tuple[Any, str] | None:
    """For `model.apply`, the model's own `__call__` and the name `Model.apply`; None for others."""
    if not isinstance(fun, MethodType) or fun.__name__ not in METHODS.get(
        getattr(fun.__func__, "__module__", ""), ()
    ):
        return None
    kind = type(fun.__self__)
    inner = inspect.getattr_static(kind, "__call__", None)
    return None if inner is None else (inner, f"{kind.__name__}.{fun.__name__}")


def parameters_of(fun: Any) -> inspect.Signature | None:
    """The parameters of a method of `METHODS` by the user's names: those that it hands on are the
    ones of `__call__`. For a partial of it, those that are left."""
    if isinstance(fun, partial):
        whole = parameters_of(fun.func)
        return None if whole is None else _left(whole, fun)
    called = called_by_method(fun)
    own = None if called is None else fun_signature(called[0])
    around = fun_signature(fun)
    if own is None or around is None:
        return None
    first = next(iter(around.parameters.values()))
    rest = [p for p in list(own.parameters.values())[1:] if p.name != first.name]
    try:
        return inspect.Signature([first, *rest])
    except ValueError:
        return None


def signature_within(fun: Any) -> inspect.Signature | None:
    """The signature of the function that `nnx.grad` closes over, since its own is `*args`."""
    inner = inspect.unwrap(fun) if hasattr(fun, "__wrapped__") else fun
    named = (_module(inner), getattr(inner, "__name__", "")) == NNX_GRAD
    held = held_by_wrapper(inner) if named else None
    return None if held is None else fun_signature(held[0])


def _left(whole: inspect.Signature, made: partial[Any]) -> inspect.Signature:
    parameters = list(whole.parameters.values())[len(made.args) :]
    return inspect.Signature([p for p in parameters if p.name not in made.keywords])


def users_call(call: Call) -> Call:
    """The user's own call, where JAX saw that of a wrapper; else the call itself."""
    read = _CALLS.get(_module(call.fun))
    if getattr(call.fun, "__name__", "") == "_fun":
        read = _pmapped
    try:
        found = None if read is None else read(call)
    except Exception:
        return call
    return found or call


def _equinox(call: Call) -> Call | None:
    """`fun_wrapped(dynamic_donate, dynamic_nodonate, static)` of `equinox/_jit.py`."""
    donated, kept, static = call.args
    dynamic = {**donated, **kept}
    combine: Callable[[Any, Any], Any] = sys.modules["equinox._compile_utils"].hashable_combine
    fun = combine(dynamic["fun"], static[0])
    rest, kwargs = combine(dynamic["rest"], static[2])
    args = (combine(dynamic["first"], static[1]), *rest)[:-1]
    return Call(fun, Filtered(fun_signature(fun), fun), args, kwargs)


def _pmapped(call: Call) -> Call | None:
    found = pmapped(inspect.unwrap(call.fun))
    if found is None:
        return None
    fun, tree = found
    args, kwargs = tree_unflatten(tree, call.args)
    return Call(fun, Mapped(fun_signature(fun)), args, kwargs)


class Mapped(NamedTuple):
    """Options of a call by `jax.pmap`."""

    fun_signature: Any


_CALLS: dict[str, Callable[[Call], Call | None]] = {"equinox._jit": _equinox}
"""How to find the user's call, by the module of what is jitted. Seen on Equinox 0.13."""
