"""What went wrong while capturing, as one sentence: the argument or the line, and the mend."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from typing import Any

import jax

from jaxviz.capture.source import file_kind, place
from jaxviz.capture.statics import named_static
from jaxviz.capture.strings import name, plain

_MENDS: dict[str, str] = {
    "TracerBoolConversionError": "use jnp.where or jax.lax.cond there, or make the argument static",
    "TracerIntegerConversionError": "make the argument static, or index with jnp operations",
    "TracerArrayConversionError": "use jax.numpy there in place of numpy",
    "NonConcreteBooleanIndexError": "use jnp.where with three arguments, or with size=",
    "ConcretizationTypeError": "keep it a jax.numpy operation, or make the argument static",
    "UnexpectedTracerError": "return the value rather than storing it outside the function",
}

_UNHASHABLE = "Non-hashable static arg"
"""JAX's message goes on with the argument as it prints itself."""


class CaptureError(Exception):
    """A call that cannot be captured. Its message is one sentence with the mend, its cause
    the user's own exception."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows: the sentence and the user's exception, no traceback of ours."""
        lines = [f"CaptureError: {self}"]
        if self.__cause__ is not None and _UNHASHABLE not in str(self.__cause__):
            lines += ["", f"{type(self.__cause__).__name__}: {_paragraph(self.__cause__)}"]
        return lines


def explained(
    error: Exception, fun: Callable[..., Any], args: Any, kwargs: Any, title: str
) -> CaptureError:
    """The sentence for an exception that the trace of `fun(*args, **kwargs)` raised."""
    raised_at = _users_line(error)
    if raised_at is not None:
        return CaptureError(_while_tracing(error, title, raised_at))
    if _UNHASHABLE in str(error):
        return CaptureError(_unhashable(fun, args, kwargs, title))
    if isinstance(error, TypeError):
        sentence = _arity(fun, args, kwargs, title) or _rejected(fun, args, kwargs, title)
        if sentence is not None:
            return CaptureError(sentence)
    return CaptureError(f"{title} cannot be traced: {_paragraph(error)}")


def _while_tracing(error: Exception, title: str, raised_at: str) -> str:
    kinds = (kind.__name__ for kind in type(error).__mro__)
    mend = next((_MENDS[kind] for kind in kinds if kind in _MENDS), "mend that line")
    return f"{title} cannot be traced: {raised_at} raised {type(error).__name__}; {mend}."


def _users_line(error: Exception) -> str | None:
    """The innermost line of the user's own code that the exception went through."""
    found: str | None = None
    own = False
    for frame, line in traceback.walk_tb(error.__traceback__):
        kind = file_kind(frame.f_code.co_filename)
        if kind == "own" or (kind == "installed" and not own):
            at = place(frame.f_code.co_filename, frame.f_code.co_name, line, 0)
            code = f" (`{at.code}`)" if at.code else ""
            found = f"{at.file}, line {at.line}{code}"
            own = own or kind == "own"
    return found


def _arity(fun: Callable[..., Any], args: Any, kwargs: Any, title: str) -> str | None:
    try:
        signature = inspect.signature(fun)
    except (TypeError, ValueError):
        return None
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        return f"the call does not fit {title}{name(_written(signature))}: {error}."
    return None


def _written(signature: inspect.Signature) -> str:
    """With the defaults, as far as they may be shown."""
    parameters = [
        parameter.replace(
            annotation=inspect.Parameter.empty,
            default=_Default.of(parameter.name, parameter.default),
        )
        for parameter in signature.parameters.values()
    ]
    return str(inspect.Signature(parameters))


class _Default:
    """Stands for a parameter's default in a text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    @classmethod
    def of(cls, parameter: str, default: Any) -> Any:
        if default is inspect.Parameter.empty:
            return default
        return cls(named_static(parameter, default).text)


def _rejected(fun: Callable[..., Any], args: Any, kwargs: Any, title: str) -> str | None:
    for argument, value in _arguments(fun, args, kwargs):
        for keys, leaf in jax.tree_util.tree_flatten_with_path(value)[0]:
            if not _traceable(leaf):
                path = name(argument + jax.tree_util.keystr(keys))
                other = "close over it" if keys else f"make it static: static_argnames={argument!r}"
                return (
                    f"argument {path} of {title} is of type {type(leaf).__name__}, which JAX "
                    f"cannot trace: pass an array, or {other}."
                )
    return None


def _traceable(leaf: Any) -> bool:
    """Whether JAX takes the value as an array; of NumPy's, neither strings nor objects."""
    if isinstance(leaf, bool | int | float | complex) or hasattr(leaf, "__jax_array__"):
        return True
    return (
        hasattr(leaf, "shape") and getattr(getattr(leaf, "dtype", None), "kind", "O") not in "OSU"
    )


def _unhashable(fun: Callable[..., Any], args: Any, kwargs: Any, title: str) -> str:
    for argument, value in _arguments(fun, args, kwargs):
        try:
            hash(value)
        except Exception:
            if not all(map(_traceable, jax.tree_util.tree_leaves(value))) or isinstance(
                value, list | dict | set
            ):
                return (
                    f"static argument {name(argument)} of {title} is of type "
                    f"{type(value).__name__}, which cannot be hashed: pass a hashable value, "
                    "such as a tuple."
                )
    return f"a static argument of {title} cannot be hashed: pass a hashable value, such as a tuple."


def _arguments(fun: Callable[..., Any], args: Any, kwargs: Any) -> list[tuple[str, Any]]:
    """The arguments by the function's own names for them."""
    try:
        bound = inspect.signature(fun).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return [*((f"args[{i}]", value) for i, value in enumerate(args)), *kwargs.items()]
    found: list[tuple[str, Any]] = []
    for argument, value in bound.arguments.items():
        if bound.signature.parameters[argument].kind is inspect.Parameter.VAR_KEYWORD:
            found += value.items()
        else:
            found.append((argument, value))
    return found


def _paragraph(error: BaseException) -> str:
    """The first paragraph of an exception's message."""
    return plain(str(error)).strip().partition("\n\n")[0][:2000]
