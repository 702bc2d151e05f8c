"""Reads the function of a call, once: its library, name and parameters, and the function within its
jit."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from functools import partial, update_wrapper
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import jax
from jax.extend.core import ClosedJaxpr
from jax.stages import Compiled, Lowered, Traced

from jaxviz.capture._called import is_written_in_jax, under_ufunc, updated_at
from jaxviz.capture._jax import EXPORTED, maker, transforms
from jaxviz.capture.calls.libraries import (
    function_of,
    is_equinox,
    is_filter_jitted,
    nnx_grad_signature,
    wrapped_by_library,
)
from jaxviz.capture.shown.callables import parameters_of
from jaxviz.capture.shown.objects import (
    PARTIAL,
    attribute,
    has_attribute,
    inherits,
    is_a,
    module_of,
    title_of,
)
from jaxviz.capture.shown.strings import name


class CalledFunction(NamedTuple):
    """The function of a call, and all that is read from it before the trace."""

    fun: Any
    """The function to trace. It takes the `receiver` first."""
    title: str
    """The name with the transformations around it: `grad(loss)`."""
    library: str
    """`jax` for JAX's own functions, except those that it made from the user's; `equinox` for
    functions that Equinox wraps; else empty."""
    receiver: tuple[Any, ...]
    """For a method: its array or model. For an update `x.at[i]`: the array and the index. They
    become the first arguments."""
    jit: str
    """`jit` or Equinox's `filter_jit` if the function is jitted, so that it has a trace cache; else
    empty."""
    unjitted: Any
    """The function within the jit; `fun` itself if `jit` is not `jit`."""
    signature: inspect.Signature | None
    """None if the parameters are unknown."""

    @property
    def is_jitted(self) -> bool:
        """True if JAX traces it through the cache of the user's jit."""
        return self.jit == "jit" and self.library != "jax"

    def names(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
        """The parameter name of each argument of a call, the receiver first."""
        return argument_names(self.signature, args, kwargs)

    def static_names(self, numbers: Any, names: Any) -> set[str]:
        """The names of the arguments that `static_argnums` and `static_argnames` make static."""
        by_number = [] if numbers is None else [numbers] if is_a(numbers, int) else [*numbers]
        by_name = [] if names is None else [names] if is_a(names, str) else [*names]
        parameters = [] if self.signature is None else list(self.signature.parameters)
        found = {
            parameters[number]
            for number in by_number
            if -len(parameters) <= number < len(parameters)
        }
        return found | set(by_name)


def called_function(fun: Callable[..., Any]) -> CalledFunction:
    """Reads a function. The method `x.sum` counts as the function `sum` with the argument `x`, and
    a jitted method as a function of its object, as jit sees it."""
    fun, title, library, receiver = _read(fun)
    filtered = library == "equinox" and is_filter_jitted(fun)
    jit = "jit" if is_jitted(fun) else "filter_jit" if filtered else ""
    inner = attribute(fun, "__wrapped__", fun) if jit == "jit" else fun
    return CalledFunction(fun, title, library, receiver, jit, inner, signature_of(fun))


def _read(fun: Any) -> tuple[Any, str, str, tuple[Any, ...]]:
    """The first four fields of `CalledFunction`."""
    if type(fun) is not FunctionType:
        update = updated_at(fun)
        if update is not None:
            return _update(fun), name(fun.__name__), "jax", update
        receiver = fun.__self__ if type(fun) is MethodType else None
        if is_a(receiver, jax.Array):
            method = _public(fun.__name__)
            return _method(fun, method), name(method), "jax", (receiver,)
        found = function_of(fun)
        if found is not None:
            library = "equinox" if is_equinox(found.fun) else ""
            return found.fun, function_name(found.named), library, found.receiver
        if type(fun) is MethodType and is_jitted(fun.__func__):
            is_jax = module_of(type(receiver)).partition(".")[0] == "jax"
            return fun.__func__, function_name(fun.__func__), "jax" if is_jax else "", (receiver,)
    library = "jax" if _is_jax_function(fun) else "equinox" if is_equinox(fun) else ""
    return fun, function_name(fun), library, ()


if TYPE_CHECKING:
    from jax.export import Exported

JaxObject: TypeAlias = "ClosedJaxpr | Traced | Lowered | Compiled | Exported"
"""An object that JAX made of a call."""
_CLASSES = ClosedJaxpr, Traced, Lowered, Compiled
"""Their classes, except for `Exported`, whose module is imported by the user."""


def object_classes() -> list[str]:
    """The classes of `JaxObject`, each with its module: `jax._src.stages.Lowered`."""
    return [*(f"{one.__module__}.{one.__name__}" for one in _CLASSES), EXPORTED]


def kind_of_jax_object(value: Any) -> str:
    """The name of the class of a `JaxObject`; empty for any other value."""
    if type(value) is FunctionType:
        return ""
    export = sys.modules.get("jax.export")
    exported = () if export is None else (export.Exported,)
    return next((title_of(kind) for kind in (*_CLASSES, *exported) if is_a(value, kind)), "")


_JITTED: Any = type(jax.jit(lambda: None))
_METHODS = _JITTED.trace, _JITTED.lower, Traced.lower, Lowered.compile


def returns_jax_object(fun: Any) -> bool:
    """True if a call of the function only traces, lowers or compiles, and returns a `JaxObject`:
    the result of `jax.make_jaxpr`, and JAX's own methods `trace`, `lower` and `compile`."""
    if type(fun) is MethodType:
        return any(fun.__func__ is method for method in _METHODS)
    return maker(fun) == "make_jaxpr"


def is_jitted(fun: Any) -> bool:
    """True if the function is jitted already, so that it has a trace cache of its own."""
    if type(fun) is FunctionType and not fun.__dict__:  # a tenth of the time of the general test
        return False
    return has_attribute(fun, "trace") and has_attribute(fun, "lower")


def unjitted(fun: Any) -> Any:
    """The function within a jit; the function itself if it is not jitted."""
    return attribute(fun, "__wrapped__", fun) if is_jitted(fun) else fun


def _public(called: str) -> str:
    return re.sub("^_(?!_)", "", called)


def _method(method: Any, called: str) -> Callable[..., Any]:
    """A method of an array as a function of the array. A traced value uses its own method."""
    if not hasattr(jax.Array, called):
        return method.__func__

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, called)(*args, **kwargs)

    update_wrapper(call, method.__func__, updated=())
    return call


def _update(method: Any) -> Callable[..., Any]:
    """A method of `x.at[index]` as a function of the array and the index."""

    def update(array: Any, index: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(array.at[index], method.__name__)(*args, **kwargs)

    update_wrapper(update, method, updated=())
    own = inspect.signature(update, follow_wrapped=False).parameters
    parameters = [own["array"], own["index"], *inspect.signature(method).parameters.values()]
    setattr(update, "__signature__", inspect.Signature(parameters))  # noqa: B010
    return update


def _is_jax_function(fun: Any) -> bool:
    """True if JAX's own modules have the function under its name, or if JAX made it without a
    user's function, such as `jax.nn.initializers.he_normal()`."""
    while inherits(type(fun), partial) and not inherits(type(fun), jax.tree_util.Partial):
        fun = PARTIAL["func"].__get__(fun)
    module = attribute(fun, "__module__")
    if not is_a(module, str) or module.partition(".")[0] != "jax":
        return False
    called = attribute(fun, "__name__")
    if getattr(sys.modules.get(module), str(called), None) is fun:
        return True
    outer, inner = transforms(fun)
    return not outer and is_written_in_jax(inner)


def function_name(fun: Any) -> str:
    """The function's name with the transformations around it: `grad(loss)`."""
    labels: list[str] = []
    layer = None
    while layer is not fun:
        layer = fun
        more, fun = _within(fun)
        labels += more
    found = attribute(fun, "__name__")
    inner = name(found) if is_a(found, str) else title_of(type(fun))
    if is_written_in_jax(fun):
        inner = _public(inner)
    return "".join(f"{outer}(" for outer in labels) + inner + ")" * len(labels)


def _within(fun: Any) -> tuple[list[str], Any]:
    """The names that the outermost wrapper adds around a function (none for a jit), and the
    function in the wrapper."""
    if inherits(type(fun), partial):
        return [], PARTIAL["func"].__get__(fun)
    found = wrapped_by_library(fun)
    if found is None:
        return transforms(fun)
    inner, label = found
    return [label] if label not in ("", "filter_jit") else [], inner


_PUBLIC = ("jax", "jax.numpy", "jax.lax", "jax.nn", "jax.random", "jax.tree", "jax.numpy.linalg")


def public_name(fun: Any) -> str:
    """The public name of one of JAX's functions, such as `jax.lax.scan`; empty for any other."""
    called = _public(str(attribute(fun, "__name__", "")))
    found = (at for at in _PUBLIC if getattr(sys.modules.get(at), called, None) is fun)
    return next((f"{at}.{called}" for at in found), "")


def signature_of(fun: Any) -> inspect.Signature | None:
    """The parameters of a function; None if they are unknown."""
    return nnx_grad_signature(fun) or parameters_of(under_ufunc(fun))


def argument_names(
    signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[str]:
    """The parameter name of each argument of a call, as JAX names them."""
    positional, rest = by_position(signature)
    more = [f"{rest}[{i}]" for i in range(len(args) - len(positional))]
    return [*positional, *more][: len(args)] + list(kwargs)


def by_position(signature: inspect.Signature | None) -> tuple[list[str], str]:
    """The names of the positional parameters, and of the tuple that takes the rest (`args`)."""
    if signature is None:
        return [], "args"
    found = list(signature.parameters.values())
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    rest = [p.name for p in found if p.kind is inspect.Parameter.VAR_POSITIONAL]
    return [p.name for p in found if p.kind in kinds], rest[0] if rest else "args"
