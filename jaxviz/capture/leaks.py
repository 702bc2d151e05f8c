"""Explains leaks: traced values that are used after their trace has ended. A sentence says where
the value was made and where it was used."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import jax
from jax import lax
from jax.core import Tracer
from jax.errors import UnexpectedTracerError

from jaxviz.capture._called import closed_over_tracers, is_tracing
from jaxviz.capture._jax import calls
from jaxviz.capture.source import file_kind, line_of, place

_BORN = re.compile(r"was created on line (?P<file>.*):(?P<line>\d+):\d+ \((?P<function>.*)\)")
_TRACED = re.compile(
    r"when the value leaked was (?P<function>.*) at .*:\d+ traced for (?P<kind>\w+)"
)


class Leak(NamedTuple):
    """A traced value that was used after its trace, and what was done with it."""

    error: UnexpectedTracerError
    """JAX's own exception, which says where the value was made."""
    used: str


def leaked_into(traced: Any) -> Leak | None:
    """A leaked value that the program closes over. JAX itself would refuse it only when the program
    is called."""
    if is_tracing():
        return None
    for index, value in enumerate(closed_over_tracers(traced)):
        error = error_of(value)
        if error is not None:
            return Leak(error, _use(traced.jaxpr.jaxpr, index))
    return None


def leaked_argument(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Leak | None:
    """A leaked value among the arguments."""
    if is_tracing():
        return None
    found = [leaf for leaf in jax.tree_util.tree_leaves((args, kwargs)) if isinstance(leaf, Tracer)]
    errors = (error for error in map(error_of, found) if error is not None)
    return next((Leak(error, "passed as an argument") for error in errors), None)


def error_of(value: Any) -> UnexpectedTracerError | None:
    """The exception that JAX raises when a leaked value is used outside of a trace; None if the
    value has not leaked."""
    try:
        lax.neg(value)
    except UnexpectedTracerError as error:
        return error
    except Exception:
        return None
    return None


def _use(jaxpr: Any, index: int) -> str:
    """What was done with the input: the user's line of the first eqn that reads it, or that it was
    returned, if none does."""
    for eqn in jaxpr.eqns:
        if jaxpr.invars[index] in [var for var in eqn.invars if not hasattr(var, "val")]:
            for code, at in calls(eqn)[1]:
                if file_kind(code.co_filename) == "own":
                    return f"used at {said(line_of(code, at))}"
    return "returned as it is"


def sentence(title: str, leak: Leak) -> str:
    """Says which function the value belongs to, at which line it was made, and what was done with
    it."""
    text = str(leak.error)
    traced, born = _TRACED.search(text), _BORN.search(text)
    function = traced["function"] if traced else "another function"
    at = ""
    if born:
        at = f": it was born at {said(place(born['file'], born['function'], int(born['line']), 0))}"
    return (
        f"{title} cannot be traced: a value of the trace of {function} has leaked out of it{at}, "
        f"and is {leak.used}; return it from {function} rather than storing it outside."
    )


def said(line: Any) -> str:
    """A line of the user's, in a sentence."""
    code = f" (`{line.code}`)" if line.code else ""
    return f"{line.file}, line {line.line}{code}"
