"""Explains calls that fail before the function's body runs: arguments that do not fit the function
or that JAX cannot trace, with what to pass instead."""

from __future__ import annotations

import inspect
import re
import weakref
from types import FunctionType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxviz.capture._jax import transforms
from jaxviz.capture.calls.called_function import (
    CalledFunction,
    by_position,
    kind_of_jax_object,
)
from jaxviz.capture.calls.fixed_arguments import is_traced
from jaxviz.capture.calls.libraries import is_equinox
from jaxviz.capture.calls.statics import named_static
from jaxviz.capture.shown.callables import unwrapped
from jaxviz.capture.shown.objects import (
    attribute,
    is_a,
    is_hashable,
    module_of,
    title_of,
)
from jaxviz.capture.shown.shown_values import message_of, path_text
from jaxviz.capture.shown.strings import name

UNHASHABLE = "Non-hashable static arg"
"""The beginning of JAX's message. The argument's own text follows, which must not be shown."""


def refused_argument(
    error: Exception, called: CalledFunction, args: Any, kwargs: Any
) -> str | None:
    """Why the call failed before the function's body ran; None if the arguments do not explain
    it."""
    if UNHASHABLE in message_of(error):
        return _unhashable(called, args, kwargs)
    if not isinstance(error, TypeError):
        return None
    refused = _arity(called, args, kwargs) or _of_model(error, called, args, kwargs)
    return refused or (_rejected(called, args, kwargs) if called.is_jitted else None)


def not_traceable(fun: Any) -> str | None:
    """Why JAX cannot trace a value that is called; None if it may be able to."""
    if type(fun) is FunctionType:
        return None
    jax_kind = kind_of_jax_object(fun)
    if jax_kind:
        return (
            f"a {jax_kind} is shown as it is, without arguments: write %jaxviz {jax_kind.lower()}, "
            f"or jaxviz.inspect({jax_kind.lower()}), with the name that you gave it."
        )
    if not callable(fun):
        kind = "None" if fun is None else f"a value of type {title_of(type(fun))}"
        return (
            f"the call of a function is captured, and this is {kind}: write %jaxviz f(x), "
            "or jaxviz.inspect(f)(x)."
        )
    called = attribute(fun, "__name__", "")
    if is_a(attribute(fun, "__self__"), np.ndarray):
        return (
            f"{called} is a method of a NumPy array, which JAX does not trace: make it one of "
            f"JAX's, jnp.asarray(…).{called}(…)."
        )
    if module_of(type(fun)).partition(".")[0] == "numpy":
        fix = f"write jnp.{called}" if hasattr(jnp, called) else "use a function of jax.numpy"
        return f"{called} is a function of NumPy's, which JAX does not trace: {fix}."
    if not _has_weak_references(fun):
        kind = title_of(type(fun))
        return (
            f"JAX refers to what it traces weakly, and {kind} has __slots__ without __weakref__: "
            f"add it to them, or call it within a function, lambda *args: f(*args)."
        )
    return None


def _has_weak_references(fun: Any) -> bool:
    """True if `jax.jit` accepts it. For others jit raises a TypeError, and at the second call it
    ends the process (seen on 0.10.2 and 0.12.0)."""
    try:
        weakref.ref(fun)
    except TypeError:
        return False
    return True


def jitted_already(title: str) -> str:
    """Why the result of `jax.jit` takes no static arguments."""
    return (
        f"{title} is jitted already, and its static arguments were given there: "
        "leave out --static-argnames (static_argnums and static_argnames of jaxviz.inspect), or "
        "take the function before jax.jit."
    )


def unknown_static(called: CalledFunction, names: set[str]) -> str | None:
    """The sentence on a static argument that the function does not have; None if it has all."""
    signature = called.signature
    parameters = {} if signature is None else signature.parameters
    rest = [parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()]
    unknown = sorted(names - set(parameters))
    if signature is None or any(rest) or not unknown:
        return None
    own = ", ".join(parameters) or "none"
    return (
        f"{called.title} has no argument {name(unknown[0])} that could be static: its arguments "
        f"are {name(own)}; name one of these."
    )


def _arity(called: CalledFunction, args: Any, kwargs: Any) -> str | None:
    signature = called.signature
    if signature is None:
        return None
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        written = f"{called.title}{name(_written(signature))}"
        return f"the call does not fit {written}: {error}; {_fitting(str(error), signature)}."
    return None


def _fitting(text: str, signature: inspect.Signature) -> str:
    """The fix for arguments that do not fit, from the message of `inspect`."""
    quoted = re.search(r"'(\w+)'", text)
    argument = quoted[1] if quoted else "it"
    if "missing" in text:
        return f"pass {argument}=… too"
    if "multiple values" in text:
        return f"pass {argument} once"
    if "unexpected" in text:
        return f"leave {argument} out"
    return f"pass at most {len(by_position(signature)[0])} by position"


def _written(signature: inspect.Signature) -> str:
    """A signature as text. Defaults that must not be shown are replaced."""
    parameters = [
        parameter.replace(
            annotation=inspect.Parameter.empty,
            default=_Default.of(parameter.name, parameter.default),
        )
        for parameter in signature.parameters.values()
    ]
    return str(inspect.Signature(parameters))


class _Default:
    """Prints the text of a parameter's default."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    @classmethod
    def of(cls, parameter: str, default: Any) -> Any:
        if default is inspect.Parameter.empty:
            return default
        return cls(named_static(parameter, default).text)


def _rejected(called: CalledFunction, args: Any, kwargs: Any) -> str | None:
    """The sentence on an argument of a jitted function that JAX cannot trace. Other functions have
    none, since jaxviz closes over all that is not an array."""
    for argument, value in _arguments(called, args, kwargs):
        for keys, leaf in jax.tree_util.tree_flatten_with_path(value)[0]:
            if not is_traced(leaf):
                path = name(argument + path_text(keys))
                other = (
                    _without_part(argument, value, called) if keys else _as_static(argument, called)
                )
                return (
                    f"argument {path} of {called.title} is of type {title_of(type(leaf))}, which "
                    f"JAX cannot trace: pass an array, or {other}."
                )
    return None


def _without_part(argument: str, value: Any, called: CalledFunction) -> str:
    """Advice to pass a pytree without its part that is not an array."""
    if is_equinox(value):
        return f"jit {called.title} with equinox.filter_jit, which traces the arrays of {argument}"
    return f"take it out of {argument}, and let the function close over it"


_FILTERED = {"grad": "filter_grad", "value_and_grad": "filter_value_and_grad"}
"""Equinox's transformations for models, by JAX's."""


def _of_model(error: Exception, called: CalledFunction, args: Any, kwargs: Any) -> str | None:
    """Why an Equinox model cannot be passed: `jax.jit` cannot hash its arrays, or `jax.grad` cannot
    differentiate its other parts."""
    outer, inner = transforms(called.fun)
    if called.jit == "jit" and is_equinox(inner) and "unhashable" in message_of(error):
        return (
            f"{called.title} is an Equinox model, whose arrays jax.jit cannot hash: write "
            "equinox.filter_jit in place of jax.jit."
        )
    transform = outer[0] if outer else ""
    if "not a valid JAX type" not in message_of(error) or transform not in _FILTERED:
        return None
    for argument, value in _arguments(called, args, kwargs):
        for keys, leaf in jax.tree_util.tree_flatten_with_path(value)[0]:
            if is_equinox(value) and not is_traced(leaf):
                return (
                    f"argument {name(argument + path_text(keys))} of {called.title} is of "
                    f"type {title_of(type(leaf))}, which jax.{transform} cannot differentiate: "
                    f"write equinox.{_FILTERED[transform]} in place of jax.{transform}."
                )
    return None


def _as_static(argument: str, called: CalledFunction) -> str:
    """Advice to make an argument of a jitted function static. It names the jitted function as its
    module does: `fast` of `fast = jax.jit(scale)`."""
    title, jitted = called.title, _global_name(called.fun)
    static = f"jax.jit({title}, static_argnames={argument!r})"
    shown = f"; %jaxviz {jitted}.__wrapped__(…) --static-argnames {argument} shows it so"
    return f"make it static where {title} is jitted: {static}{shown if jitted else ''}"


def _global_name(fun: Any) -> str:
    """The name of a function in the module that defines it; empty if it has none there."""
    names = attribute(unwrapped(fun), "__globals__", {})
    own = attribute(fun, "__name__", "")
    if names.get(own) is fun:
        return own
    return next((name(one) for one, value in [*names.items()] if value is fun), "")


def _unhashable(called: CalledFunction, args: Any, kwargs: Any) -> str:
    for argument, value in _arguments(called, args, kwargs):
        if not is_hashable(value):
            leaves = jax.tree_util.tree_leaves(value)
            if not all(map(is_traced, leaves)) or is_a(value, list, dict, set):
                return (
                    f"static argument {name(argument)} of {called.title} is of type "
                    f"{title_of(type(value))}, which cannot be hashed: pass a hashable value, "
                    "such as a tuple."
                )
    return (
        f"a static argument of {called.title} cannot be hashed: pass a hashable value, such as a "
        "tuple."
    )


def _arguments(called: CalledFunction, args: Any, kwargs: Any) -> list[tuple[str, Any]]:
    """The arguments with their parameter names."""
    return [*zip(called.names(args, kwargs), [*args, *kwargs.values()], strict=True)]
